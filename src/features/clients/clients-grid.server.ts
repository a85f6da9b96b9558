import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/grids/define.server.ts';
import { contains } from '#features/grids/filters.server.ts';
import { actsForClient } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { isTaxId, TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { taxIdKey } from './tax-id-index.server.ts';

/** A client as the list of the firm shows it. */
interface ListedClient {
  id: string;
  name: string;
  doingBusinessAs: string;
  code: string;
  kind: 'business' | 'individual';
  tags: string[];
  responsible: string[];
  contacts: number;
  lastActivityAt: number | undefined;
}

/** The current clients of the firm, or the archived ones. */
const gridOf = (name: string, isArchived: boolean) =>
  defineGrid({
    name,
    namespace: 'records',
    path: `/api/staff/v1/grids/${name}`,
    caption: 'title',
    submit: 'filter',
    empty: isArchived ? 'noArchived' : 'noClient',
    noMatch: 'noMatch',
    from: (actor) => {
      if (!actor.staff) throw new PortalError('FORBIDDEN');
      return db()
        .selectFrom('clients')
        .where(actsForClient(actor))
        .where('clients.archived_at', isArchived ? 'is not' : 'is', null);
    },
    id: sql.ref('clients.client_id'),
    columns: {
      name: {
        label: 'name',
        type: 'text',
        sql: sql.ref('clients.name_key'),
        isRowHeader: true,
        cell: ({ id, name: text, doingBusinessAs }, { pathTo }) => ({
          text,
          href: pathTo(`staff/clients/${id}`),
          ...(doingBusinessAs !== '' && { note: doingBusinessAs }),
        }),
      },
      code: { label: 'code', type: 'text', sql: sql.ref('clients.code_key'), cell: ({ code }) => code },
      kind: {
        label: 'kind',
        type: 'choice',
        sql: sql.ref('clients.kind'),
        isSortable: false,
        textStyle: 'phrase',
        options: [
          ['business', 'business'],
          ['individual', 'individual'],
        ],
        cell: ({ kind }, { t }) => t(kind),
      },
      tags: { label: 'tags', type: 'text', textStyle: 'phrase', cell: ({ tags }) => tags.join(', ') },
      responsible: {
        label: 'responsible',
        type: 'text',
        textStyle: 'person',
        cell: ({ responsible }) => responsible.join(', '),
      },
      contacts: {
        label: 'contacts',
        type: 'text',
        textStyle: 'meta',
        cell: ({ contacts: count }, { t }) => t('contactCount', { count }),
      },
      lastActivityAt: {
        label: 'lastActivity',
        type: 'time',
        textStyle: 'meta',
        cell: ({ lastActivityAt: at }) => (at === undefined ? undefined : { text: '', at }),
      },
    },
    orderBy: [{ by: 'name', dir: 'asc' }],
    search: { label: 'search', where: matches },
    fields: {
      kind: {
        kind: 'select',
        label: 'kind',
        by: 'kind',
        op: 'EQ',
        options: [
          ['', 'all'],
          ['business', 'business'],
          ['individual', 'individual'],
        ],
      },
      tag: { kind: 'select', label: 'tag', where: (actor, tag) => hasTag(actor, fold(tag)) },
      responsible: { kind: 'select', label: 'responsible', where: (_, id) => hasResponsible(id) },
      state: {
        kind: 'select',
        label: 'state',
        options: [
          ['', 'current'],
          ['archived', 'archived'],
        ],
        // the page chooses the list by it
        where: () => sql<SqlBool>`1 = 1`,
      },
    },
    rows: described,
    idOf: ({ id }) => id,
    nameOf: ({ name: text }) => text,
  });

export const clientsGrid = gridOf('clients', false);
export const archivedClientsGrid = gridOf('archived-clients', true);

const hasTag = ({ companyId }: Actor, key: string): Expression<SqlBool> =>
  sql<SqlBool>`clients.client_id in (select client_tags.client_id from client_tags where company_id = ${companyId} and tag_key = ${key})`;

const hasResponsible = (contactId: string): Expression<SqlBool> =>
  sql<SqlBool>`clients.client_id in (select staff_clients.client_id from staff_clients where contact_id = ${contactId} and is_responsible = 1)`;

/** The condition that a name, the number or a tag contains the text, or that it is a whole tax id. */
async function matches(actor: Actor, term: string): Promise<Expression<SqlBool>> {
  const key = fold(term);
  const kinds = TAX_ID_KINDS.filter((kind) => isTaxId(kind, term));
  const keys = await Promise.all(kinds.map((kind) => taxIdKey(kind, withoutMask(kind, term))));
  const byTaxId = keys.map(
    (value) =>
      sql<SqlBool>`clients.client_id in (select client_tax_ids.client_id from client_tax_ids where value_key = ${value})`,
  );
  return sql<SqlBool>`(${sql.join(
    [
      contains(sql.ref('clients.name_key'), key),
      contains(sql.ref('clients.code_key'), key),
      sql<SqlBool>`lower(clients.doing_business_as) like ${`%${key.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`,
      hasTag(actor, key),
      ...byTaxId,
    ],
    sql` or `,
  )})`;
}

async function described(actor: Actor, found: readonly (string | number)[]): Promise<ListedClient[]> {
  const ids = found.map(String);
  const rows = await db()
    .selectFrom('clients')
    .select((e) => [
      'client_id as id',
      'name',
      'doing_business_as',
      'code',
      'kind',
      e
        .selectFrom('client_contacts')
        .select((contacts) => contacts.fn.countAll<number>().as('count'))
        .whereRef('client_contacts.client_id', '=', 'clients.client_id')
        .as('contacts'),
      e
        .selectFrom('audit')
        .select('at')
        .where('audit.company_id', '=', actor.companyId)
        .whereRef('audit.client_id', '=', 'clients.client_id')
        .orderBy('seq', 'desc')
        .limit(1)
        .as('last_activity_at'),
    ])
    .where('client_id', 'in', ids)
    .execute();
  const tags = await db()
    .selectFrom('client_tags')
    .select(['client_id', 'tag'])
    .where('client_id', 'in', ids)
    .orderBy('tag_key')
    .execute();
  const staff = await db()
    .selectFrom('staff_clients')
    .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
    .select(['staff_clients.client_id', 'contacts.full_name'])
    .where('staff_clients.client_id', 'in', ids)
    .where('is_responsible', '=', 1)
    .orderBy('contacts.full_name')
    .execute();
  return rows.map(
    ({ id, name, doing_business_as: tradeName, code, kind, contacts, last_activity_at: at }) => ({
      id,
      name,
      doingBusinessAs: tradeName ?? '',
      code,
      kind,
      tags: tags.filter((row) => row.client_id === id).map(({ tag }) => tag),
      responsible: staff.filter((row) => row.client_id === id).map((row) => row.full_name),
      contacts: Number(contacts),
      lastActivityAt: at === null ? undefined : Number(at),
    }),
  );
}
