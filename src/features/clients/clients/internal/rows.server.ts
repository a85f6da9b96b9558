import {
  invitedResponsible,
  isInvitationId,
  setInvitedResponsible,
} from '#features/identity/invitations/invited-staff.server.ts';
import { taxIdsStored } from '#features/base/people/events.server.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { searchKeyOf, taxIdKey } from '../client-search.server.ts';
import {
  address,
  type Address,
  type ClientChange,
  type ClientRecord,
  type NewClient,
  type TaxId,
} from '../client-records.ts';

/** Inserts clients with all of their fields, and returns their ids. */
export async function insertClients(companyId: string, clients: readonly NewClient[]): Promise<string[]> {
  const instant = now();
  const made = clients.map((client) => ({ clientId: newId('client'), ...client }));
  const rows = made.map(
    ({ clientId, name, code, kind, doingBusinessAs, language, yearEnd, tags, address: at }) => ({
      client_id: clientId,
      company_id: companyId,
      name,
      name_key: fold(name),
      code,
      code_key: fold(code),
      kind,
      doing_business_as: doingBusinessAs || null,
      language,
      year_end: yearEnd,
      address: encryptedAddress(clientId, at),
      nickname: null,
      nickname_key: '',
      created_at: instant,
      modified_at: instant,
      search_key: searchKeyOf({ name, doingBusinessAs, code, tags }),
    }),
  );
  for (const some of inBatches(rows)) await db().insertInto('clients').values(some).execute();
  await insertTags(made.flatMap(({ clientId, tags }) => tagsToStore(companyId, clientId, tags)));
  await insertTaxIds(made);
  for (const { clientId, responsible } of made)
    for (const contactId of responsible)
      if (!isInvitationId(contactId)) await assignClient(clientId, contactId, true);
  if (made.some(({ responsible }) => responsible.some(isInvitationId)))
    await setInvitedResponsible(companyId, made);
  return made.map(({ clientId }) => clientId);
}

/** Updates these fields of a client; `version` is the new one. */
export async function updateRows(
  { companyId, before, version }: { companyId: string; before: ClientRecord; version: number },
  change: ClientChange,
): Promise<void> {
  const { id: clientId } = before;
  const { name, code, kind, doingBusinessAs, language, yearEnd, tags } = change;
  await db()
    .updateTable('clients')
    .set({
      ...(name !== undefined && { name, name_key: fold(name) }),
      ...(code !== undefined && { code, code_key: fold(code) }),
      ...(kind !== undefined && { kind }),
      ...(doingBusinessAs !== undefined && { doing_business_as: doingBusinessAs || null }),
      ...(language !== undefined && { language }),
      ...(yearEnd !== undefined && { year_end: yearEnd }),
      ...(change.address !== undefined && { address: encryptedAddress(clientId, change.address) }),
      modified_at: version,
      search_key: searchKeyOf({
        name: name ?? before.name,
        doingBusinessAs: doingBusinessAs ?? before.doingBusinessAs,
        code: code ?? before.code,
        tags: tags ?? before.tags,
      }),
    })
    .where('client_id', '=', clientId)
    .execute();
  if (tags) await replaceTags(companyId, clientId, tags);
  if (change.taxIds) await replaceTaxIds(clientId, change.taxIds);
  if (change.responsible) {
    await replaceResponsible(
      clientId,
      change.responsible.filter((id) => !isInvitationId(id)),
    );
    await setInvitedResponsible(companyId, [{ clientId, responsible: change.responsible }]);
  }
}

const encryptedAddress = (clientId: string, stored: Address | null): string | null =>
  stored && encryptFor('clients.address', clientId, JSON.stringify(stored));

/** The stored address of a client. */
export const addressOf = (clientId: string, encrypted: string | null): Address | null =>
  encrypted === null ? null : address.parse(JSON.parse(decryptFrom('clients.address', clientId, encrypted)));

export async function tagsOf(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('client_tags')
    .select('tag')
    .where('client_id', '=', clientId)
    .orderBy('tag_key')
    .execute();
  return rows.map(({ tag }) => tag);
}

async function replaceTags(companyId: string, clientId: string, tags: readonly string[]): Promise<void> {
  await db().deleteFrom('client_tags').where('client_id', '=', clientId).execute();
  await insertTags(tagsToStore(companyId, clientId, tags));
}

const tagsToStore = (companyId: string, clientId: string, tags: readonly string[]) =>
  tags.map((tag) => ({ client_id: clientId, company_id: companyId, tag_key: fold(tag), tag }));

async function insertTags(rows: ReturnType<typeof tagsToStore>): Promise<void> {
  for (const some of inBatches(rows)) await db().insertInto('client_tags').values(some).execute();
}

/** The tax ids of a client, in the order of their kinds. */
export async function taxIdsOf(clientId: string): Promise<TaxId[]> {
  const rows = await db()
    .selectFrom('client_tax_ids')
    .select(['kind', 'value'])
    .where('client_id', '=', clientId)
    .execute();
  const numbers = new Map(rows.map(({ kind, value }) => [kind, value]));
  return TAX_ID_KINDS.flatMap((kind) => {
    const number = numbers.get(kind);
    if (number === undefined) return [];
    return [{ kind, number: decryptFrom('client_tax_ids.value', `${clientId}/${kind}`, number) }];
  });
}

async function replaceTaxIds(clientId: string, taxIds: readonly TaxId[]): Promise<void> {
  await db().deleteFrom('client_tax_ids').where('client_id', '=', clientId).execute();
  await insertTaxIds([{ clientId, taxIds }]);
}

async function insertTaxIds(
  clients: readonly { clientId: string; taxIds: readonly TaxId[] }[],
): Promise<void> {
  const rows = [];
  for (const { clientId, taxIds } of clients)
    for (const { kind, number } of taxIds)
      rows.push({
        client_id: clientId,
        kind,
        value: encryptFor('client_tax_ids.value', `${clientId}/${kind}`, number),
        value_key: await taxIdKey(kind, number),
      });
  for (const some of inBatches(rows)) await db().insertInto('client_tax_ids').values(some).execute();
  await taxIdsStored.announce(clients.map(({ clientId, taxIds }) => ({ clientId, taxIds })));
}

/** The ids of those who are responsible for a client: contact ids of staff, then invitations to the team. */
export async function responsibleOf(companyId: string, clientId: string): Promise<string[]> {
  const invited = (await invitedResponsible(companyId)).get(clientId) ?? [];
  return [...(await responsibleStaff(clientId)), ...invited.map(({ invitationId }) => invitationId)];
}

async function responsibleStaff(clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('staff_clients')
    .select('contact_id')
    .where('client_id', '=', clientId)
    .where('is_responsible', '=', 1)
    .orderBy('contact_id')
    .execute();
  return rows.map(({ contact_id: id }) => id);
}

/**
 * Sets who is responsible for a client. Staff who are no longer responsible keep the client if they act only
 * for assigned ones; the assignment of others has no other purpose.
 */
async function replaceResponsible(clientId: string, contactIds: readonly string[]): Promise<void> {
  const before = await responsibleStaff(clientId);
  const gone = before.filter((id) => !contactIds.includes(id));
  if (gone.length > 0) {
    const withAll = db().selectFrom('contacts').select('contact_id').where('all_clients', '=', 1);
    await db()
      .deleteFrom('staff_clients')
      .where('client_id', '=', clientId)
      .where('contact_id', 'in', gone)
      .where('contact_id', 'in', withAll)
      .execute();
    await db()
      .updateTable('staff_clients')
      .set({ is_responsible: 0 })
      .where('client_id', '=', clientId)
      .where('contact_id', 'in', gone)
      .execute();
  }
  for (const id of contactIds) if (!before.includes(id)) await assignClient(clientId, id, true);
}
