import { z } from 'zod';
import { actorNow } from '#features/people/people.server.ts';
import { consumeBatch } from '#features/invitations/batches.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import {
  IMPORT_KINDS,
  rowProblem,
  type Import,
  type ImportCounts,
  type ImportKind,
  type ImportRow,
  type ImportState,
  type RowQuery,
} from './imports.ts';
import {
  cellsOf,
  columnsOf,
  importRow,
  importsOf,
  textsOf,
  valuesOf,
  type ImportRecord,
} from './internal/rows.server.ts';
import { RECORD_KINDS } from './kinds.server.ts';
import { enqueueStep } from './steps.server.ts';

const MAX_LISTED = 50;
const PAGE = 50;

/** Lists the imports of the firm that the actor may see, the newest first; FORBIDDEN if none. */
export async function listImports(actor: Actor): Promise<Import[]> {
  const kinds = IMPORT_KINDS.filter((kind) => mayImport(actor, kind));
  if (kinds.length === 0) throw new PortalError('FORBIDDEN');
  const rows = await importsOf(actor)
    .innerJoin('contacts', 'contacts.contact_id', 'imports.contact_id')
    .selectAll('imports')
    .select('contacts.full_name')
    .where('imports.kind', 'in', kinds)
    .orderBy('imports.created_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return rows.map((row) => present(row, row.full_name));
}

/** Tells whether the actor may import and export records of a kind. */
export function mayImport(actor: Actor, kind: ImportKind): boolean {
  try {
    RECORD_KINDS[kind].assertMay(actor);
    return true;
  } catch {
    return false; // only FORBIDDEN can be thrown
  }
}

/** Finds an import of the firm; NOT_FOUND, FORBIDDEN. */
export async function importOf(actor: Actor, importId: string): Promise<Import> {
  const row = await ownImport(actor, importId);
  const { full_name: by } = await db()
    .selectFrom('contacts')
    .select('full_name')
    .where('contact_id', '=', row.contact_id)
    .executeTakeFirstOrThrow();
  return present(row, by);
}

async function ownImport(actor: Actor, importId: string): Promise<ImportRecord> {
  const row = await importRow(actor, importId);
  RECORD_KINDS[row.kind].assertMay(actor);
  return row;
}

const present = (row: ImportRecord, by: string): Import => ({
  id: row.import_id,
  kind: row.kind,
  state: row.state,
  fileName: decryptFrom('imports.file_name', row.import_id, row.file_name),
  by,
  columns: columnsOf(row),
  mapping: textsOf(row.mapping),
  total: row.total,
  position: row.position,
  invites: row.invites === 1,
  invited: row.invited,
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
});

/** Counts the rows of an import by what they do and by what became of them. */
export async function importCounts(actor: Actor, importId: string): Promise<ImportCounts> {
  await ownImport(actor, importId);
  return countsOf(importId);
}

export async function countsOf(importId: string): Promise<ImportCounts> {
  const rows = await db()
    .selectFrom('import_rows')
    .select((e) => ['action', 'state', e.fn.countAll<number>().as('count')])
    .where('import_id', '=', importId)
    .groupBy(['action', 'state'])
    .execute();
  const sum = (matches: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(matches).reduce((total, { count }) => total + Number(count), 0);
  const ofAction = (action: string): number => sum((row) => row.action === action);
  const ofState = (state: string): number => sum((row) => row.state === state);
  return {
    actions: {
      create: ofAction('create'),
      update: ofAction('update'),
      none: ofAction('none'),
      problem: ofAction('problem'),
    },
    states: {
      waiting: ofState('waiting'),
      done: ofState('done'),
      failed: ofState('failed'),
      undone: ofState('undone'),
      kept: ofState('kept'),
    },
  };
}

/** Lists the rows of an import, 50 a page. */
export async function listRows(
  actor: Actor,
  importId: string,
  { show, pageNum }: RowQuery,
): Promise<{ rows: ImportRow[]; total: number; pageSize: number }> {
  const record = await ownImport(actor, importId);
  const matching = db()
    .selectFrom('import_rows')
    .where('import_id', '=', importId)
    .$if(show !== 'all', (all) =>
      show === 'failed' || show === 'kept'
        ? all.where('state', '=', show)
        : all.where('action', '=', show === 'all' ? '' : show),
    );
  const { total } = await matching
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('number')
    .limit(PAGE)
    .offset((pageNum - 1) * PAGE)
    .execute();
  return { rows: rows.map((row) => presentRow(record, row)), total: Number(total), pageSize: PAGE };
}

type StoredRow = Parameters<typeof cellsOf>[0] & {
  line: number;
  action: ImportRow['action'];
  state: ImportRow['state'];
  problems: string;
  changes: string;
};

const problemList = z.array(rowProblem);

function presentRow({ kind, mapping }: ImportRecord, row: StoredRow): ImportRow {
  const cells = cellsOf(row);
  const label = RECORD_KINDS[kind].labelOf(valuesOf(textsOf(mapping), cells));
  return {
    number: row.number,
    line: row.line,
    label: label || cells.filter(Boolean).slice(0, 2).join(' · '),
    action: row.action,
    state: row.state,
    problems: problemList.parse(JSON.parse(row.problems)),
    changes: textsOf(row.changes),
  };
}

/** The rows with a problem, with all their cells, so that they can be corrected and imported again. */
export async function problemRows(
  actor: Actor,
  importId: string,
): Promise<{ columns: string[]; rows: (ImportRow & { cells: string[] })[] }> {
  const record = await ownImport(actor, importId);
  const rows = await db()
    .selectFrom('import_rows')
    .selectAll()
    .where('import_id', '=', importId)
    .where((e) => e.or([e('action', '=', 'problem'), e('state', 'in', ['failed', 'kept'])]))
    .orderBy('number')
    .execute();
  return {
    columns: columnsOf(record),
    rows: rows.map((row) => ({ ...presentRow(record, row), cells: cellsOf(row) })),
  };
}

/**
 * Assigns fields to the columns of a file, empty for those that are left out, and starts to check every row.
 * INVALID with `fields` that lack a column, or with `twice`; STALE once the import has begun.
 */
export async function setMapping(actor: Actor, importId: string, mapping: readonly string[]): Promise<void> {
  await inTransaction(async () => {
    const row = await ownImport(await actorNow(actor), importId);
    assertState(row, ['mapping', 'ready']);
    const { fields } = RECORD_KINDS[row.kind];
    const known = new Set(fields.map(({ name }) => name));
    const named = mapping.filter((field) => field !== '');
    const twice = named.find((field, index) => named.indexOf(field) !== index);
    if (twice !== undefined) throw new PortalError('INVALID', { twice });
    if (mapping.length !== columnsOf(row).length || named.some((field) => !known.has(field)))
      throw new PortalError('INVALID');
    const lacking = fields.filter(({ name, isRequired }) => isRequired && !named.includes(name));
    if (lacking.length > 0) throw new PortalError('INVALID', { fields: lacking.map(({ name }) => name) });
    await db().updateTable('import_rows').set({ row_key: '' }).where('import_id', '=', importId).execute();
    await begin(actor, row, { state: 'checking', mapping: JSON.stringify(mapping), position: 0 });
  });
}

/** Returns to the columns of a checked import. */
export async function changeMapping(actor: Actor, importId: string): Promise<void> {
  await inTransaction(async () => {
    const row = await ownImport(await actorNow(actor), importId);
    assertState(row, ['ready']);
    await db().updateTable('imports').set({ state: 'mapping' }).where('import_id', '=', importId).execute();
  });
}

/**
 * Imports the rows without a problem. With `invites` the contacts in the file who cannot sign in yet are invited
 * at the end; TOO_MANY beyond the invitations of a day.
 */
export async function confirmImport(actor: Actor, importId: string, invites: boolean): Promise<void> {
  const { kind } = await ownImport(actor, importId);
  const isInviting = invites && RECORD_KINDS[kind].invitationIn !== undefined;
  if (isInviting) await consumeBatch(actor);
  await start(actor, importId, ['ready'], { invites: isInviting ? 1 : 0 });
}

/** Continues an import that was cancelled or stopped, with the first row that waits. */
export const continueStopped = (actor: Actor, importId: string): Promise<void> =>
  start(actor, importId, ['cancelled', 'stopped'], {});

async function start(
  actor: Actor,
  importId: string,
  from: readonly ImportState[],
  change: { invites?: 0 | 1 },
): Promise<void> {
  await inTransaction(async () => {
    const row = await ownImport(await actorNow(actor), importId);
    assertState(row, from);
    const position = await firstWaiting(row);
    await begin(actor, row, { state: 'importing', position, ...change });
    const { actions } = await countsOf(importId);
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'import.start',
      target: importId,
      details: { kind: row.kind, create: actions.create, update: actions.update },
    });
  });
}

/** The position before the first row that is to be imported; the last one if there is none. */
async function firstWaiting({ import_id: importId, total }: ImportRecord): Promise<number> {
  const { first } = await db()
    .selectFrom('import_rows')
    .select((e) => e.fn.min<number | null>('number').as('first'))
    .where('import_id', '=', importId)
    .where('action', 'in', ['create', 'update'])
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return first === null ? total : Number(first) - 1;
}

/** Stops an import after the batch at work; what is imported stays, and can be undone. */
export async function cancelImport(actor: Actor, importId: string): Promise<void> {
  await inTransaction(async () => {
    const row = await ownImport(await actorNow(actor), importId);
    if (row.state !== 'importing' && row.state !== 'checking') return;
    await db()
      .updateTable('imports')
      .set(row.state === 'importing' ? { state: 'cancelled', finished_at: now() } : { state: 'mapping' })
      .where('import_id', '=', importId)
      .execute();
    if (row.state === 'importing')
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'import.cancel',
        target: importId,
      });
  });
}

/** Begins to undo an import: what it created is removed, what it changed gets its values from before. */
export async function undoImport(actor: Actor, importId: string): Promise<void> {
  await inTransaction(async () => {
    const row = await ownImport(await actorNow(actor), importId);
    assertState(row, ['finished', 'cancelled', 'stopped']);
    await begin(actor, row, { state: 'undoing', position: 0 });
  });
}

function assertState({ state }: ImportRecord, allowed: readonly ImportState[]): void {
  if (!allowed.includes(state)) throw new PortalError('STALE');
}

async function begin(
  actor: Actor,
  { import_id: importId, company_id: companyId }: ImportRecord,
  change: { state: ImportState; position: number; mapping?: string; invites?: 0 | 1 },
): Promise<void> {
  await db()
    .updateTable('imports')
    .set({ ...change, moved_at: now() })
    .where('import_id', '=', importId)
    .execute();
  const { state, position } = change;
  await enqueueStep(companyId, { importId, state, position, by: actor.contactId });
}
