import { MAX_TAGS, type ClientRecord } from '#features/clients/clients/client-records.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { assertManagesClients, managerNow, updateClient } from '#features/clients/clients/editing.server.ts';
import { containerOf } from '#features/documents/folders/folders.server.ts';
import { nameKey } from '#features/documents/folders/names.server.ts';
import { freeName } from '#features/documents/folders/rules.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import { assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { assignClient, insertLink } from '#features/base/people/rights.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { allTables } from '#platform/database/tables.server.ts';

/** The maximum number of containers of a client, as in folders. */
const MAX_CONTAINERS = 5000;

/** What a merge will do. */
export interface MergePreview {
  from: ClientRecord;
  into: ClientRecord;
  documents: number;
  folders: number;
  contacts: number;
  links: number;
  /** The kinds of tax ids of which each has another number: that of `into` stays. */
  differentTaxIds: TaxIdKind[];
  /** Why they cannot be merged. */
  problem: 'LOCKED' | 'TOO_MANY_FOLDERS' | undefined;
}

/** Tells what a merge will do. INVALID for a client with itself, GONE for one that is merged already. */
export async function previewMerge(actor: Actor, fromId: string, intoId: string): Promise<MergePreview> {
  assertManagesClients(actor);
  if (fromId === intoId) throw new PortalError('INVALID');
  const [from, into] = [await clientRecord(actor, fromId), await clientRecord(actor, intoId)];
  if (from.mergedInto !== null || into.mergedInto !== null || into.archivedDate !== null)
    throw new PortalError('GONE');
  const count = async (table: 'documents' | 'containers' | 'client_contacts'): Promise<number> => {
    const row = await db()
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('client_id', '=', fromId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };
  const folders = await count('containers');
  const links = await db()
    .selectFrom('share_clients')
    .innerJoin('shares', 'shares.share_id', 'share_clients.share_id')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('client_id', '=', fromId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirstOrThrow();
  return {
    from,
    into,
    documents: await count('documents'),
    folders: Math.max(0, folders - 1),
    contacts: await count('client_contacts'),
    links: Number(links.count),
    differentTaxIds: from.taxIds.flatMap(({ kind, number }) =>
      into.taxIds.some((other) => other.kind === kind && other.number !== number) ? [kind] : [],
    ),
    problem: await problemOf(fromId, intoId),
  };
}

/** Folders cannot move out of or into a client that is locked as a whole, nor beyond the limit. */
async function problemOf(fromId: string, intoId: string): Promise<MergePreview['problem']> {
  const locked = await db()
    .selectFrom('item_locks')
    .select('item_id')
    .where('item_id', 'in', [fromId, intoId])
    .executeTakeFirst();
  if (locked) return 'LOCKED';
  const row = await db()
    .selectFrom('containers')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('client_id', 'in', [fromId, intoId])
    .executeTakeFirstOrThrow();
  return Number(row.count) > MAX_CONTAINERS ? 'TOO_MANY_FOLDERS' : undefined;
}

/**
 * Merges a client into another one: the rows of all tables that say so follow; folders, shares, contacts, staff, tags and
 * tax ids are united; receipts and the audit log keep the client that they name, because hashes cover it, and are shown
 * with the other one. The merged client is archived for good. STEP_UP without recent authentication, LOCKED,
 * TOO_MANY_FOLDERS, GONE; everything or nothing.
 */
export async function mergeClients(session: Session, fromId: string, intoId: string): Promise<void> {
  const { actor } = session;
  assertManagesClients(actor);
  assertRecentlyAuthenticated(session);
  await inTransaction(async () => {
    const current = await managerNow(actor);
    const { from, into, problem } = await previewMerge(current, fromId, intoId);
    if (problem) throw new PortalError(problem);
    await moveContents(current, from, into);
    await moveRights(fromId, intoId);
    await moveData(current, from, into);
    await clientMerged.announce({ companyId: current.companyId, from: fromId, into: intoId });
    const instant = Math.max(now(), from.version + 1);
    await db()
      .updateTable('clients')
      .set({ archived_at: instant, merged_into: intoId, modified_at: instant })
      .where('client_id', '=', fromId)
      .execute();
    await db()
      .updateTable('clients')
      .set({ merged_into: intoId })
      .where('merged_into', '=', fromId)
      .execute();
    const { companyId, contactId } = current;
    for (const [target, about] of [
      [intoId, fromId],
      [fromId, intoId],
    ] as const)
      await audit({
        companyId,
        actor: contactId,
        action: 'client.merge',
        target,
        clientId: target,
        details: { about },
      });
  });
}

/** Moves folders and documents; what has a name that is taken in the other client gets a number. */
async function moveContents(actor: Actor, from: ClientRecord, into: ClientRecord): Promise<void> {
  const home = await containerOf(actor, 'Client', into.id);
  await releaseUploadFolders(from.id, into.id);
  const taken = new Set(
    (await db().selectFrom('containers').select('name_key').where('parent_id', '=', into.id).execute()).map(
      (row) => row.name_key,
    ),
  );
  const top = await db()
    .selectFrom('containers')
    .select(['container_id', 'name'])
    .where('parent_id', '=', from.id)
    .execute();
  for (const { container_id: id, name } of top) {
    const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
    taken.add(nameKey(free));
    await db()
      .updateTable('containers')
      .set({ parent_id: home.container_id, name: free, name_key: nameKey(free) })
      .where('container_id', '=', id)
      .execute();
  }
  await moveLooseDocuments(from.id, home.container_id);
  const move = { client_id: into.id };
  await db()
    .updateTable('containers')
    .set(move)
    .where('client_id', '=', from.id)
    .where('container_id', '!=', from.id) // the client's own container stays, empty
    .execute();
  for (const { name, ofClient } of allTables())
    if (ofClient?.merged === 'follows')
      await db()
        .updateTable(name as 'documents')
        .set(move)
        .where('client_id', '=', from.id)
        .execute();
  const shares = db()
    .selectFrom('share_clients')
    .select((e) => ['share_id', e.val(into.id).as('client_id')])
    .where('client_id', '=', from.id);
  await db()
    .insertInto('share_clients')
    .columns(['share_id', 'client_id'])
    .expression(shares)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db().deleteFrom('share_clients').where('client_id', '=', from.id).execute();
}

/** A client has one upload folder of each kind: where both have one, the moved one becomes a plain folder. */
async function releaseUploadFolders(fromId: string, intoId: string): Promise<void> {
  await db()
    .updateTable('containers')
    .set({ product_type: null })
    .where('client_id', '=', fromId)
    .where('product_type', 'in', ['ClientContactFolder', 'FirmFolder'])
    .where('product_type', 'in', (e) =>
      e
        .selectFrom('containers as other')
        .select('other.product_type')
        .where('other.client_id', '=', intoId)
        .where('other.product_type', 'is not', null)
        .$castTo<{ product_type: string }>(),
    )
    .execute();
}

/** Moves the documents that are in no folder. Deleted ones need no free name: restoring finds one. */
async function moveLooseDocuments(fromId: string, homeId: string): Promise<void> {
  const names = async (containerId: string) =>
    db()
      .selectFrom('documents')
      .select(['document_id', 'name', 'name_key'])
      .where('container_id', '=', containerId)
      .where('deleted_at', 'is', null)
      .execute();
  const taken = new Set((await names(homeId)).map((row) => row.name_key));
  for (const { document_id: id, name, name_key: key } of await names(fromId)) {
    if (!taken.has(key)) continue;
    const free = freeName(name, (candidate) => taken.has(nameKey(candidate)));
    taken.add(nameKey(free));
    await db()
      .updateTable('documents')
      .set({ name: free, name_key: nameKey(free) })
      .where('document_id', '=', id)
      .execute();
  }
  for (const table of ['documents', 'uploads', 'upload_notices'] as const)
    await db().updateTable(table).set({ container_id: homeId }).where('container_id', '=', fromId).execute();
}

/** Contacts and staff of one client see both from now on. */
async function moveRights(fromId: string, intoId: string): Promise<void> {
  const contacts = await db()
    .deleteFrom('client_contacts')
    .where('client_id', '=', fromId)
    .returning('contact_id')
    .execute();
  for (const { contact_id: id } of contacts) await insertLink(intoId, id);
  const staff = await db()
    .deleteFrom('staff_clients')
    .where('client_id', '=', fromId)
    .returning(['contact_id', 'is_responsible'])
    .execute();
  for (const row of staff) await assignClient(intoId, row.contact_id, row.is_responsible === 1 || undefined);
}

/** Adds the tags and tax ids of one client to the other, and its address if that one has none. */
async function moveData(actor: Actor, from: ClientRecord, into: ClientRecord): Promise<void> {
  const missing = from.taxIds.filter(({ kind }) => into.taxIds.every((other) => other.kind !== kind));
  const own = new Set(into.tags.map(nameKey));
  const tags = [...into.tags, ...from.tags.filter((tag) => !own.has(nameKey(tag)))];
  await updateClient(actor, into.id, {
    tags: tags.slice(0, MAX_TAGS),
    taxIds: [...into.taxIds, ...missing],
    ...(into.address === null && { address: from.address }),
    allowDuplicate: true, // the other one is being merged
  });
  for (const table of ['client_tags', 'client_tax_ids'] as const)
    await db().deleteFrom(table).where('client_id', '=', from.id).execute();
}
