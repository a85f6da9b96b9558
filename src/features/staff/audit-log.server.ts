import { firmOf } from '#features/firms/firms.server.ts';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { allAuditActions } from '#platform/audit-actions.server.ts';
import { audit } from '#platform/audit.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { startOfDay } from '#platform/time-zones.ts';
import { csvOf } from '#platform/tabular/csv-writer.ts';
import type { AuditLogEntry, AuditLogQuery } from './staff.ts';

const PAGE = 25;
const MAX_EXPORTED = 100_000;

export interface AuditLogPage {
  entries: AuditLogEntry[];
  /** The `before` of the next page; absent on the last one. */
  next: number | undefined;
}

/**
 * Lists the firm's own audit log, the newest entries first; FORBIDDEN without the right to manage the firm.
 */
export async function listAuditLog(actor: Actor, query: AuditLogQuery): Promise<AuditLogPage> {
  assertManages(actor);
  return pageOf(await (await auditLogOf(actor, query)).entries.limit(PAGE + 1).execute());
}

/** Exports the same as CSV, without pages, at most 100,000 entries; the export is audited itself. */
export async function exportAuditLog(actor: Actor, query: AuditLogQuery): Promise<string> {
  assertManages(actor);
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'audit.export',
    target: actor.companyId,
  });
  const entries = await described(
    await (await auditLogOf(actor, query)).entries.limit(MAX_EXPORTED).execute(),
  );
  return csvOf(
    ['number', 'time', 'person', 'action', 'about', 'client', 'result', 'network', 'reason'],
    entries.map((entry) => [
      entry.seq,
      new Date(entry.at).toISOString(),
      entry.who,
      entry.action,
      entry.what,
      entry.client,
      entry.result,
      entry.network,
      entry.reason,
    ]),
  );
}

function assertManages(actor: Actor): void {
  if (!actor.staff || !actor.access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
}

const OF_LOOKS = ['view.start', 'view.end', 'view.read', 'view.refuse'];

/** The sign-in events of a person. */
const OF_SIGN_IN = ['sign-in.failed', 'sign-in.locked', 'sign-in.refused'];

/**
 * Lists the entries about documents of a contact's clients, who of the firm viewed as them, and failed
 * sign-ins as them; the newest first (product.md, Everywhere).
 */
export async function activityOf(actor: Actor, before: number | undefined): Promise<AuditLogPage> {
  const seen = [...allAuditActions()].flatMap(([name, { seenByClient }]) => (seenByClient ? [name] : []));
  const rows = await entriesBefore(actor, before)
    .where((e) =>
      e.or([
        e.and([e('audit.client_id', 'in', clientIdsOf(actor)), e('action', 'in', seen)]),
        e.and([e('target', '=', actor.contactId), e('action', 'in', OF_LOOKS)]),
        e.and([e('target', '=', actor.prismGuid), e('action', 'in', OF_SIGN_IN)]),
      ]),
    )
    .limit(PAGE + 1)
    .execute();
  const { entries, next } = await pageOf(rows);
  // The networks of others and the reasons for viewing are internal to the firm; the network of somebody who
  // tried to sign in as this person is shown.
  const shown = ({ action, network, what }: AuditLogEntry): string =>
    OF_SIGN_IN.includes(action) ? network : what;
  return {
    entries: entries.map((entry) => ({ ...entry, what: shown(entry), network: '', reason: '' })),
    next,
  };
}

const entriesBefore = (actor: Actor, before: number | undefined) =>
  db()
    .selectFrom('audit')
    .select(['seq', 'at', 'actor', 'action', 'target', 'details', 'client_id'])
    .where('audit.company_id', '=', actor.companyId)
    .$if(before !== undefined, (entries) => entries.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc');

/** The query, wrapped in an object: awaiting a bare query builder would execute it. */
async function auditLogOf(actor: Actor, { person, clientName, action, from, to, before }: AuditLogQuery) {
  const people =
    person.trim() === ''
      ? undefined
      : idsByName(
          await db()
            .selectFrom('contacts')
            .select(['contact_id as id', 'full_name as name'])
            .where('company_id', '=', actor.companyId)
            .execute(),
          person,
        );
  const clients =
    clientName.trim() === ''
      ? undefined
      : idsByName(
          await db()
            .selectFrom('clients')
            .select(['client_id as id', 'name'])
            .where('company_id', '=', actor.companyId)
            .execute(),
          clientName,
        );
  const { timeZone } = await firmOf(actor.companyId);
  const entries = entriesBefore(actor, before)
    .$if(people !== undefined, (all) =>
      all.where((e) =>
        e.or([
          e('actor', 'in', people ?? []),
          e.and([e('target', 'in', people ?? []), e('action', 'in', OF_LOOKS)]),
        ]),
      ),
    )
    .$if(clients !== undefined, (all) => all.where('audit.client_id', 'in', clients ?? []))
    .$if(action !== '', (all) => all.where('action', '=', action))
    .$if(from !== '', (all) => all.where('at', '>=', startOfDay(from, timeZone)))
    .$if(to !== '', (all) => all.where('at', '<', startOfDay(to, timeZone, 1)));
  return { entries };
}

const MAX_NAMED = 500;

/** The ids of people whose name matches; an id that nobody has if there is none, so that nothing is found. */
function idsByName(rows: readonly { id: string; name: string }[], words: string): string[] {
  const ids = rows.filter(({ name }) => fold(name).includes(fold(words.trim()))).map(({ id }) => id);
  return ids.length > 0 ? ids.slice(0, MAX_NAMED) : ['-'];
}

interface Row {
  seq: number;
  at: number;
  actor: string;
  action: string;
  target: string;
  details: string;
  client_id: string | null;
}

async function pageOf(rows: readonly Row[]): Promise<AuditLogPage> {
  const shown = rows.slice(0, PAGE);
  return { entries: await described(shown), next: rows.length > PAGE ? shown.at(-1)?.seq : undefined };
}

type Details = Partial<Record<string, string | number>>;

/** Adds the current names of everything that the entries refer to; deleted things have none. */
async function described(rows: readonly Row[]): Promise<AuditLogEntry[]> {
  const all = rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Details }));
  const about = ({ details }: { details: Details }): string[] => String(details['about'] ?? '').split(' ');
  const names = await namesOf(
    all.flatMap((row) => [row.actor, row.target, row.client_id ?? '', ...about(row)]),
  );
  const reasons = await reasonsOf(
    all.flatMap(({ details }) => (details['view'] === undefined ? [] : [String(details['view'])])),
  );
  const nameOf = (id: string): string => names.get(id) ?? '';
  return all.map((row) => ({
    seq: row.seq,
    at: row.at,
    action: row.action,
    who: row.actor === 'portal' ? 'portal' : nameOf(row.actor),
    what: [row.target, ...about(row)].map(nameOf).filter(Boolean).join(', '),
    client: nameOf(row.client_id ?? ''),
    how: String(row.details['how'] ?? ''),
    result: String(row.details['result'] ?? (row.action === 'view.refuse' ? 'EMULATION_READ_ONLY' : 'done')),
    network: String(row.details['network'] ?? ''),
    reason: reasons.get(String(row.details['view'])) ?? '',
  }));
}

const BATCH = 500;

async function namesOf(ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const wanted = [...new Set(ids)];
  const add = async (
    prefixes: readonly string[],
    find: (some: readonly string[]) => Promise<{ id: string; name: string }[]>,
  ): Promise<void> => {
    const all = wanted.filter((id) => prefixes.includes(id.split('_', 1)[0] ?? ''));
    for (let start = 0; start < all.length; start += BATCH)
      for (const { id, name } of await find(all.slice(start, start + BATCH))) names.set(id, name);
  };
  await add(['contact'], (some) =>
    db()
      .selectFrom('contacts')
      .select(['contact_id as id', 'full_name as name'])
      .where('contact_id', 'in', some)
      .execute(),
  );
  await add(['client'], (some) =>
    db().selectFrom('clients').select(['client_id as id', 'name']).where('client_id', 'in', some).execute(),
  );
  await add(['doc'], (some) =>
    db()
      .selectFrom('documents')
      .select(['document_id as id', 'name'])
      .where('document_id', 'in', some)
      .where('deleted_at', 'is', null)
      .execute(),
  );
  await add(['invitation'], invitedNames);
  await add(['project', 'folder'], (some) =>
    db()
      .selectFrom('containers')
      .select(['container_id as id', 'name'])
      .where('container_id', 'in', some)
      .execute(),
  );
  return names;
}

async function invitedNames(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  const rows = await db()
    .selectFrom('invitations')
    .select(['invitation_id', 'first_name', 'last_name'])
    .where('invitation_id', 'in', ids)
    .execute();
  return rows.map((row) => ({ id: row.invitation_id, name: `${row.first_name} ${row.last_name}`.trim() }));
}

async function reasonsOf(viewIds: readonly string[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (let start = 0; start < viewIds.length; start += BATCH) {
    for (const { view_id: id, reason } of await db()
      .selectFrom('views')
      .select(['view_id', 'reason'])
      .where('view_id', 'in', viewIds.slice(start, start + BATCH))
      .execute())
      reasons.set(id, decryptFrom('views.reason', id, reason));
  }
  return reasons;
}
