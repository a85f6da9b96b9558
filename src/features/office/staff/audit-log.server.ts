import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import { sendersOf } from '#features/documents/documents/senders.server.ts';
import { defineGrid, type CellContext } from '#features/base/grids/define.server.ts';
import type { Cell } from '#features/base/grids/grids.ts';
import { clientIdsWithMerged, mergedInto } from '#features/base/people/merged-clients.server.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { senderText } from '#features/base/people/sender-text.server.ts';
import { visibleReceipts } from '#features/base/receipts/receipts.server.ts';
import { actionText, allAuditActions, listedActions } from '#platform/security/audit-actions.server.ts';
import { db, fold, inBatches } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { namesOf } from '#platform/runtime/names.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import type { AuditLogEntry } from './staff.ts';
import { HOW_WORDS, isHow } from './ui/action-messages.ts';

const PAGE = 25;

export interface AuditLogPage {
  entries: AuditLogEntry[];
  /** The `before` of the next page; absent on the last one. */
  next: number | undefined;
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
        e.and([e('audit.client_id', 'in', clientIdsWithMerged(actor)), e('action', 'in', seen)]),
        e.and([e('target', '=', actor.contactId), e('action', 'in', OF_LOOKS)]),
        e.and([e('target', '=', actor.prismGuid), e('action', 'in', OF_SIGN_IN)]),
      ]),
    )
    .limit(PAGE + 1)
    .execute();
  const { entries, next } = await pageOf(actor, rows);
  const visible = await visibleReceipts(
    actor,
    entries.flatMap(({ receipt }) => receipt ?? []),
  );
  // The networks of others and the reasons for viewing are internal to the firm; the network of somebody who
  // tried to sign in as this person is shown.
  return {
    entries: entries.map(({ receipt, ...entry }) => ({
      ...entry,
      ...(receipt !== undefined && visible.has(receipt) && { receipt }),
      ...(OF_SIGN_IN.includes(entry.action) ? { what: '' } : { network: '' }),
      reason: '',
    })),
    next,
  };
}

/** Lists the entries about a client, or what was merged into it; FORBIDDEN for contacts. */
export async function activityOfClient(
  actor: Actor,
  clientId: string,
  before: number | undefined,
): Promise<AuditLogPage> {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  await assertActsFor(actor, clientId);
  return pageOf(
    actor,
    await entriesBefore(actor, before)
      .where('audit.client_id', 'in', [clientId, ...(await mergedInto(clientId))])
      .limit(PAGE + 1)
      .execute(),
  );
}

const byStaff = (e: ExpressionBuilder<Tables, 'audit'>) =>
  e.selectFrom('contacts').select('staff').whereRef('contact_id', '=', 'audit.actor').as('by_staff');

const entriesBefore = (actor: Actor, before: number | undefined) =>
  db()
    .selectFrom('audit')
    .select(['seq', 'at', 'actor', 'action', 'target', 'details', 'client_id', byStaff])
    .where('audit.company_id', '=', actor.companyId)
    .$if(before !== undefined, (entries) => entries.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc');

/** The firm's own audit log, the newest entries first; FORBIDDEN without the right to manage the firm. */
export const auditGrid = defineGrid({
  name: 'audit',
  namespace: 'staff',
  path: '/api/staff/v1/grids/audit',
  caption: 'auditTitle',
  submit: 'filterButton',
  empty: 'noEntry',
  noMatch: 'noEntry',
  from: (actor) => {
    assertManages(actor);
    return db().selectFrom('audit').where('audit.company_id', '=', actor.companyId);
  },
  id: sql.ref('audit.seq'),
  columns: {
    number: {
      label: 'columnNumber',
      type: 'number',
      sql: sql.ref('audit.seq'),
      isHidden: true,
      cell: ({ seq }) => String(seq),
    },
    at: {
      label: 'columnWhen',
      type: 'time',
      sql: sql.ref('audit.at'),
      sortSql: sql.ref('audit.seq'), // entries are numbered as they come
      isExactTime: true,
      textStyle: 'meta',
      cell: ({ at }) => ({ text: '', at }),
    },
    who: {
      label: 'columnWho',
      type: 'exact',
      sql: sql.ref('audit.actor'),
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => namesOf(ids, { lang: DEFAULT_LANG, contactId: undefined }), // people and clients have one name
      textStyle: 'person',
      cell: ({ who, askedBy, action }, { t, lang }) => {
        if (who === 'portal') return t('portalItself');
        return senderText(lang, who, askedBy) || (action.startsWith('share.') ? t('linkRecipient') : '–');
      },
    },
    action: {
      label: 'columnAction',
      type: 'choice',
      sql: sql.ref('audit.action'),
      isSortable: false,
      isGroupable: true,
      isRowHeader: true,
      options: listedActions,
      cell: actionCell,
    },
    about: { label: 'columnAbout', type: 'exact', isHidden: true, cell: ({ what }) => what },
    client: {
      label: 'columnClient',
      type: 'exact',
      sql: sql.ref('audit.client_id'),
      isNullable: true,
      isSortable: false,
      isFilterable: false,
      isGroupable: true,
      groupTexts: (_, ids) => namesOf(ids, { lang: DEFAULT_LANG, contactId: undefined }), // people and clients have one name
      textStyle: 'person',
      cell: ({ client }) => client,
    },
    network: { label: 'columnNetwork', type: 'exact', textStyle: 'meta', cell: ({ network }) => network },
    result: { label: 'columnResult', type: 'exact', isHidden: true, cell: ({ result }) => result },
    reason: { label: 'columnReason', type: 'exact', isHidden: true, cell: ({ reason }) => reason },
  },
  orderBy: [{ by: 'at', dir: 'desc' }],
  search: undefined,
  fields: {
    person: { kind: 'text', type: 'search', label: 'filterPerson', maxlength: 200, where: ofPerson },
    /** Not `client`, by which the address of every page names the active client. */
    clientName: { kind: 'text', label: 'filterClient', maxlength: 200, where: ofClient },
    action: { kind: 'select', label: 'filterAction', by: 'action', op: 'EQ' },
    from: { kind: 'date', label: 'filterFrom', by: 'at', op: 'GE' },
    to: { kind: 'date', label: 'filterTo', by: 'at', op: 'LE' },
  },
  rows: async (actor, seqs) =>
    described(
      actor,
      await db()
        .selectFrom('audit')
        .select(['seq', 'at', 'actor', 'action', 'target', 'details', 'client_id', byStaff])
        .where('audit.company_id', '=', actor.companyId)
        .where('seq', 'in', seqs.map(Number))
        .execute(),
    ),
  idOf: ({ seq }) => seq,
  nameOf: ({ seq }) => String(seq),
  exportAction: 'audit.export',
});

/** What happened: the action, and after it what it was about, how it ended and why. */
function actionCell(
  { action, byStaff: isByStaff, how, what, result, reason }: AuditLogEntry,
  { lang, t }: CellContext<KeysOf<'staff'>>,
): Cell {
  const text = actionText(lang, action, isByStaff);
  const notes = [
    what,
    result === 'done' ? '' : t('refusedResult'),
    reason === '' ? '' : t('reasonGiven', { reason }),
  ].filter(Boolean);
  return {
    text: isHow(how) ? `${text} (${t(HOW_WORDS[how])})` : text,
    ...(notes.length > 0 && { note: notes.join(' · ') }),
  };
}

/** Entries of people with this name, and views as them. */
async function ofPerson({ companyId }: Actor, name: string): Promise<Expression<SqlBool>> {
  const rows = await db()
    .selectFrom('contacts')
    .select(['contact_id as id', 'full_name as name'])
    .where('company_id', '=', companyId)
    .execute();
  const ids = sql.join(idsByName(rows, name));
  return sql<SqlBool>`(audit.actor in (${ids}) or (audit.target in (${ids}) and audit.action in (${sql.join(OF_LOOKS)})))`;
}

async function ofClient({ companyId }: Actor, name: string): Promise<Expression<SqlBool>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['client_id as id', 'name'])
    .where('company_id', '=', companyId)
    .execute();
  return sql<SqlBool>`audit.client_id in (${sql.join(idsByName(rows, name))})`;
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
  by_staff: number | null;
}

async function pageOf(actor: Actor, rows: readonly Row[]): Promise<AuditLogPage> {
  const shown = rows.slice(0, PAGE);
  return {
    entries: await described(actor, shown),
    next: rows.length > PAGE ? shown.at(-1)?.seq : undefined,
  };
}

type Details = Partial<Record<string, string | number>>;

/** Adds the current names of everything that the entries refer to; deleted things have none. */
async function described(
  { language, staff, contactId }: Actor,
  rows: readonly Row[],
): Promise<AuditLogEntry[]> {
  const all = rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Details }));
  const about = ({ details }: { details: Details }): string[] => String(details['about'] ?? '').split(' ');
  const names = await namesOf(
    all.flatMap((row) => [row.actor, row.target, row.client_id ?? '', ...about(row)]),
    { lang: languageOf(language) ?? DEFAULT_LANG, contactId: staff ? undefined : contactId },
  );
  const reasons = await reasonsOf(
    all.flatMap(({ details }) => (details['view'] === undefined ? [] : [String(details['view'])])),
  );
  const nameOf = (id: string): string => names.get(id) ?? '';
  const senders = await sendersOf(
    all.flatMap(({ details, target }) => (details['askedBy'] === undefined ? [] : [target])),
  );
  return all.map((row) => ({
    seq: row.seq,
    at: row.at,
    action: row.action,
    byStaff: row.by_staff === 1,
    ...((row.details['askedBy'] === undefined ? undefined : senders.get(row.target)) ?? {
      who: row.actor === 'portal' ? 'portal' : nameOf(row.actor),
    }),
    what: [...[row.target, ...about(row)].map(nameOf), String(row.details['question'] ?? '')]
      .filter(Boolean)
      .join(', '),
    client: nameOf(row.client_id ?? ''),
    how: String(row.details['how'] ?? ''),
    result: String(row.details['result'] ?? (row.action === 'view.refuse' ? 'EMULATION_READ_ONLY' : 'done')),
    network: String(row.details['network'] ?? ''),
    reason: reasons.get(String(row.details['view'])) ?? '',
    ...(typeof row.details['receipt'] === 'number' && { receipt: row.details['receipt'] }),
  }));
}

async function reasonsOf(viewIds: readonly string[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const some of inBatches(viewIds)) {
    const rows = await db()
      .selectFrom('views')
      .select(['view_id', 'reason'])
      .where('view_id', 'in', some)
      .execute();
    for (const { view_id: id, reason } of rows) reasons.set(id, decryptFrom('views.reason', id, reason));
  }
  return reasons;
}
