import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { contains } from '#features/base/grids/filters.server.ts';
import type { GridQuery } from '#features/base/grids/grids.ts';
import { MAX_LOOKED_UP, rowsWithText, type WithText } from '#features/base/grids/rare-texts.server.ts';
import { actsForClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  clientsWithIds,
  clientsByText,
  db,
  fold,
  type ClientByText,
} from '#platform/database/database.server.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId, TAX_ID_KINDS, type TaxIdKind } from '#platform/inputs/tax-ids.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

/*
 * The clients that match a search and the filters by tag and responsible person, in a firm of any size
 * (docs/decisions/0059). All are served in the order of the list: by the index of the list, of a tag or of a person.
 */

/** What a search finds in a client: name, trade name, number and tags, folded, one a line. */
export const searchKeyOf = (client: {
  name: string;
  doingBusinessAs: string;
  code: string;
  tags: readonly string[];
}): string => [client.name, client.doingBusinessAs, client.code, ...client.tags].map(fold).join('\n');

/**
 * The clients that a search and the filters by tag and responsible person find, as the table `clients`, and whether they
 * are few.
 */
export async function soughtClients(
  actor: Actor,
  { isArchived, query }: { isArchived: boolean; query: Sought },
) {
  const { searchTerm, fields } = query;
  const { tag = '', responsible = '' } = fields;
  const text = fold(searchTerm);
  const taxIds = text === '' ? [] : await taxIdKeys(searchTerm);
  const found = text === '' ? undefined : (await clientsWith(actor, text, { isArchived, taxIds })).few;
  const list = found ? undefined : await shorterOf(actor, { tag, responsible });
  const from = found
    ? lookedUp(found, isArchived)
    : list
      ? listOf(actor, isArchived, list)
      : allOf(isArchived);
  const rows = db()
    .selectFrom(from.as('clients'))
    .where(actsForClient(actor))
    .$if(text !== '' && !found, (clients) => clients.where(hasText(text, taxIds)))
    .$if(tag !== '' && !list?.tag, (clients) => clients.where(hasTag(actor, tag)))
    .$if(responsible !== '' && !list?.responsible, (clients) => clients.where(hasResponsible(responsible)));
  return { rows, areFew: found !== undefined, some: [] };
}

/** The list to begin with: of a tag that few have, else of the responsible person. */
async function shorterOf(
  { companyId }: Actor,
  { tag, responsible }: { tag: string; responsible: string },
): Promise<{ tag?: string; responsible?: string } | undefined> {
  if (tag === '' || responsible === '')
    return tag === '' ? (responsible === '' ? undefined : { responsible }) : { tag };
  const some = db()
    .selectFrom('client_tags')
    .select('client_id')
    .where('company_id', '=', companyId)
    .where('tag_key', '=', fold(tag))
    .limit(MAX_LOOKED_UP + 1)
    .as('some');
  const { count } = await db()
    .selectFrom(some)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > MAX_LOOKED_UP ? { responsible } : { tag };
}

export interface FoundClient {
  id: string;
  name: string;
  code: string;
}

/**
 * The first current clients that a text finds, by name: for pages on which one of them is chosen. Tags are the firm's
 * own, so contacts find their clients by name and number only.
 */
export async function findClients(actor: Actor, searchTerm: string, max = 20): Promise<FoundClient[]> {
  if (fold(searchTerm.trim()) === '') return [];
  const query = { searchTerm: searchTerm.trim(), fields: {} };
  const { rows } = await soughtClients(actor, { isArchived: false, query });
  const found = await rows
    .select('clients.client_id')
    .$if(!actor.staff, (clients) => clients.where(hasNameOrCode(fold(query.searchTerm))))
    .orderBy('clients.name_key')
    .orderBy('clients.client_id')
    .limit(max)
    .execute();
  if (found.length === 0) return [];
  return db()
    .selectFrom('clients')
    .select(['client_id as id', 'name', 'code'])
    .where(
      'client_id',
      'in',
      found.map((row) => row.client_id),
    )
    .orderBy('name_key')
    .orderBy('client_id')
    .execute();
}

/**
 * The actor's clients with a text, current and archived ones, as the table `clients`: all if few of a large firm have it,
 * else some. For other texts {@link findsClient} is asked of each client.
 */
export async function ownClientsWith(actor: Actor, searchTerm: string): Promise<WithText<OwnClient>> {
  const taxIds = await taxIdKeys(searchTerm);
  const { few, some } = await clientsWith(actor, fold(searchTerm), { isArchived: false, taxIds });
  const own = (found: RawBuilder<ClientByText>): RawBuilder<OwnClient> =>
    sql`(select clients.client_key, clients.company_id from (select client_id, client_key, company_id || '' as company_id, archived_at, merged_into from (${found}) as found) as clients where ${actsForClient(actor)})`;
  return { few: few && own(few), some: some.map(own) };
}

type OwnClient = Pick<ClientByText, 'client_key' | 'company_id'>;

/** The condition that a search finds a client of the table `clients`. */
export const findsClient = async (searchTerm: string): Promise<Expression<SqlBool>> =>
  hasText(fold(searchTerm), await taxIdKeys(searchTerm));

type Sought = Pick<GridQuery, 'searchTerm' | 'fields'>;

/** What the list reads of a client. A client that was merged is archived, which the indexes of the others know. */
type Listed = Pick<
  Tables['clients'],
  | 'client_id'
  | 'company_id'
  | 'name_key'
  | 'kind'
  | 'code_key'
  | 'search_key'
  | 'merged_into'
  | 'language'
  | 'year_end'
>;

const state = (isArchived: boolean): RawBuilder<SqlBool> =>
  sql<SqlBool>`archived_at is ${isArchived ? sql`not null` : sql`null`}`;
const mergedInto = (isArchived: boolean) =>
  isArchived ? sql`merged_into` : sql`cast(null as text) as merged_into`;

const allOf = (isArchived: boolean): RawBuilder<Listed> =>
  sql`(select client_id, company_id, name_key, code_key, kind, search_key, archived_at, language, year_end, ${mergedInto(isArchived)}
    from clients where ${state(isArchived)})`;

/** These clients, which are not looked for in the firm's whole list: the query planner might prefer that one. */
const lookedUp = (found: RawBuilder<ClientByText>, isArchived: boolean): RawBuilder<Listed> =>
  sql`(select client_id, company_id || '' as company_id, name_key, code_key, kind, search_key, archived_at, merged_into,
      (select one.language from clients as one where one.client_id = found.client_id) as language,
      (select one.year_end from clients as one where one.client_id = found.client_id) as year_end
    from (${found}) as found where ${state(isArchived)})`;

/** The clients of a responsible person, else of a tag, in the order of names and numbers. */
function listOf(
  { companyId }: Actor,
  isArchived: boolean,
  { tag, responsible }: { tag?: string; responsible?: string },
): RawBuilder<Listed> {
  const of = (column: string) =>
    sql`(select ${sql.ref(`client.${column}`)} from clients as client where client.client_id = list.client_id) as ${sql.ref(column)}`;
  const where =
    tag !== undefined
      ? sql`client_tags as list where list.tag_key = ${fold(tag)}`
      : sql`staff_clients as list where list.contact_id = ${responsible} and list.is_responsible = 1`;
  return sql`(select list.client_id, list.company_id, list.client_name_key as name_key, list.client_code_key as code_key,
      ${of('kind')}, ${of('search_key')}, ${of('language')}, ${of('year_end')}, ${isArchived ? of('merged_into') : mergedInto(false)}
    from ${where} and list.company_id = ${companyId} and list.is_archived = ${sql.lit(isArchived ? 1 : 0)})`;
}

const hasTag = ({ companyId }: Actor, tag: string): Expression<SqlBool> =>
  sql<SqlBool>`exists (select 1 from client_tags as tags where tags.client_id = clients.client_id and tags.tag_key = ${fold(tag)} and tags.company_id || '' = ${companyId})`;

const hasResponsible = (contactId: string): Expression<SqlBool> =>
  sql<SqlBool>`exists (select 1 from staff_clients as staff where staff.client_id = clients.client_id and staff.contact_id = ${contactId} and staff.is_responsible = 1)`;

const hasNameOrCode = (text: string): Expression<SqlBool> =>
  sql<SqlBool>`(${contains(sql.ref('clients.name_key'), text)} or ${contains(sql.ref('clients.code_key'), text)})`;

const hasText = (text: string, taxIds: readonly string[]): Expression<SqlBool> =>
  taxIds.length === 0
    ? contains(sql.ref('clients.search_key'), text)
    : sql<SqlBool>`(${contains(sql.ref('clients.search_key'), text)} or clients.client_id in (${idsOfTaxIds(taxIds)}))`;

/** The blind indexes of a text that is a whole tax id. */
const taxIdKeys = (term: string): Promise<string[]> =>
  Promise.all(
    TAX_ID_KINDS.filter((kind) => isTaxId(kind, term)).map((kind) => taxIdKey(kind, withoutMask(kind, term))),
  );

const idsOfTaxIds = (keys: readonly string[]): RawBuilder<string> =>
  sql`select tax_ids.client_id from client_tax_ids as tax_ids where tax_ids.value_key in (${sql.join(keys)})`;

/** The clients with a text that few of a large firm have, as a subquery, or some with a common one. */
async function clientsWith(
  { companyId }: Actor,
  text: string,
  { isArchived, taxIds }: { isArchived: boolean; taxIds: readonly string[] },
): Promise<WithText<ClientByText>> {
  const found = await rowsWithText(text, {
    column: sql.ref('search_key'),
    list: sql`from clients where company_id = ${companyId} and ${state(isArchived)} order by name_key, client_id`,
    index: clientsByText(companyId, text),
  });
  if (!found.few || taxIds.length === 0) return found;
  const few = sql<ClientByText>`select * from (${found.few}) as by_text union ${clientsWithIds(idsOfTaxIds(taxIds))}`;
  return { few, some: [] };
}

/** The blind index of a tax id, of which `number` is without punctuation. */
export const taxIdKey = (kind: TaxIdKind, number: string): Promise<string> =>
  blindIndex(`tax-id:${kind}:${number}`);

/** The clients of a firm with these characters in their names, as a subquery. */
export const clientsNamed = (companyId: string, name: string) =>
  db()
    .selectFrom('clients')
    .select('clients.client_id')
    .where('clients.company_id', '=', companyId)
    .where(contains(sql.ref('clients.name_key'), fold(name)));

/** The names of clients by their ids. */
export async function loadClientNames(ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id', 'name'])
    .where('client_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.client_id, row.name]));
}
