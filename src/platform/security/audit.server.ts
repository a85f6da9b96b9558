import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { AuditAction } from './audit-actions.server.ts';
import { scheduleAnchoring, readAnchors, type Anchors } from './audit-anchors.server.ts';
import { now } from '../runtime/clock.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, inBatches, inTransaction, noteFirm } from '../database/database.server.ts';

/**
 * An event for the audit log: who did what to what. Ids only; `details` holds what may matter later, such as
 * the digest of a document.
 */
export interface AuditEntry {
  companyId: string;
  /** The contact who acted, or the recipient of a link. */
  actor: string;
  action: AuditAction;
  target: string;
  /** The client concerned: its contacts can see the entry (product.md, Everywhere). */
  clientId?: string | undefined;
  details?: Record<string, string | number>;
}

/** The caller of a request: its network, and the staff member who impersonates the actor, if any. */
export interface Caller {
  network: string;
  viewedBy?: string | undefined;
}

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work` for a request: every audit entry in it records the caller's network and impersonator. */
export const withCaller = <T>(caller: Caller, work: () => T): T => callers.run(caller, work);

/** The network address of the current request; undefined outside one. */
export const callerNetwork = (): string | undefined => callers.getStore()?.network;

const FIRST = '0'.repeat(64);
/** Maximum entries of a firm between two anchors. */
const ANCHORED_EVERY = 100;

/**
 * Appends an entry to a firm's audit log, in the open transaction if there is one. Each entry's hash covers
 * the previous one, so {@link verifyAudit} detects any change, removal or insertion (threat-model.md T81).
 */
export const audit = ({ companyId, ...entry }: AuditEntry): Promise<void> => auditAll(companyId, [entry]);

/** Does the same with many entries of a firm, in this order and with few statements. */
export async function auditAll(
  companyId: string,
  entries: readonly Omit<AuditEntry, 'companyId'>[],
): Promise<void> {
  if (entries.length === 0) return;
  await inTransaction(async () => {
    noteFirm(companyId);
    await db()
      .insertInto('audit_heads')
      .values({ company_id: companyId, seq: 0, hash: FIRST })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    // Updating the head locks it until the transaction ends, which serializes the entries of a firm.
    const head = await db()
      .updateTable('audit_heads')
      .set((e) => ({ seq: e('seq', '+', entries.length) }))
      .where('company_id', '=', companyId)
      .returning(['seq', 'hash'])
      .executeTakeFirstOrThrow();
    const before = head.seq - entries.length;
    let { hash } = head;
    const rows = entries.map((entry, index) => {
      const row = {
        company_id: companyId,
        seq: before + index + 1,
        at: now(),
        actor: entry.actor,
        action: entry.action,
        target: entry.target,
        details: JSON.stringify(detailsOf(entry)),
      };
      hash = chained(hash, row);
      return { ...row, client_id: entry.clientId ?? null, hash };
    });
    for (const some of inBatches(rows)) await db().insertInto('audit').values(some).execute();
    await db().updateTable('audit_heads').set({ hash }).where('company_id', '=', companyId).execute();
    if (Math.floor(head.seq / ANCHORED_EVERY) > Math.floor(before / ANCHORED_EVERY)) scheduleAnchoring();
  });
}

function detailsOf({ details, clientId }: Omit<AuditEntry, 'companyId'>): Record<string, string | number> {
  const { network, viewedBy } = callers.getStore() ?? {};
  return {
    ...details,
    ...(network !== undefined && { network }),
    ...(viewedBy !== undefined && { viewedBy }),
    ...(clientId !== undefined && { ofClient: clientId }),
  };
}

interface Row {
  company_id: string;
  seq: number;
  at: number;
  actor: string;
  action: string;
  target: string;
  details: string;
  client_id?: string | null;
}

const chained = (previous: string, row: Row): string =>
  sha256(
    JSON.stringify([
      previous,
      row.company_id,
      row.seq,
      row.at,
      row.actor,
      row.action,
      row.target,
      row.details,
    ]),
  );

/** The first entry of a firm's audit log that fails verification, and why. */
export interface AuditFault {
  companyId: string;
  seq: number;
  fault: 'missing' | 'changed' | 'cut short' | 'rewritten';
}

const PAGE = 5000;

/**
 * Verifies every audit log from its first entry, while others may append. Returns how many entries are valid,
 * and the first fault of each firm. Anchored entries must still exist, which also detects a log that was
 * rewritten entirely with valid hashes; `seq` is then the first entry after the last valid anchor.
 */
export async function verifyAudit(
  anchors: Anchors = readAnchors(),
): Promise<{ entries: number; faults: AuditFault[] }> {
  const firms = await sql<{
    company_id: string;
  }>`select company_id from audit_heads union select company_id from audit order by company_id`.execute(db());
  const faults: AuditFault[] = [];
  let entries = 0;
  for (const companyId of new Set([...firms.rows.map((row) => row.company_id), ...anchors.keys()])) {
    const { count, fault } = await verifyAuditLog(
      companyId,
      anchors.get(companyId) ?? new Map<number, string>(),
    );
    entries += count;
    if (fault) faults.push({ companyId, ...fault });
  }
  return { entries, faults };
}

interface LogCheck {
  count: number;
  fault?: Omit<AuditFault, 'companyId'>;
}

async function verifyAuditLog(companyId: string, anchored: ReadonlyMap<number, string>): Promise<LogCheck> {
  let seq = 0;
  let hash = FIRST;
  let held = 0;
  for (;;) {
    const rows = await db()
      .selectFrom('audit')
      .selectAll()
      .where('company_id', '=', companyId)
      .where('seq', '>', seq)
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      if (row.seq !== seq + 1) return { count: seq, fault: { seq: seq + 1, fault: 'missing' } };
      if (chained(hash, row) !== row.hash || !clientIdMatchesDetails(row))
        return { count: seq, fault: { seq: row.seq, fault: 'changed' } };
      const anchor = anchored.get(row.seq);
      if (anchor !== undefined && anchor !== row.hash)
        return { count: held, fault: { seq: held + 1, fault: 'rewritten' } };
      if (anchor !== undefined) held = row.seq;
      ({ seq, hash } = row);
    }
    if (rows.length === PAGE) continue;
    const last = Math.max(0, ...anchored.keys());
    if (last > seq) return { count: seq, fault: { seq: seq + 1, fault: 'cut short' } };
    const head = await db()
      .selectFrom('audit_heads')
      .select(['seq', 'hash'])
      .where('company_id', '=', companyId)
      .executeTakeFirst();
    if (head?.seq === seq && head.hash === hash) return { count: seq };
    // Entries may have been appended in the meantime.
    const hasNextEntry =
      head &&
      head.seq > seq &&
      (await db()
        .selectFrom('audit')
        .select('seq')
        .where('company_id', '=', companyId)
        .where('seq', '=', seq + 1)
        .executeTakeFirst());
    if (!hasNextEntry)
      return {
        count: seq,
        fault: { seq: head && head.seq < seq ? head.seq + 1 : seq + 1, fault: 'cut short' },
      };
  }
}

/**
 * The hash does not cover the `client_id` column: it must match the client in the details, which the hash
 * does cover.
 */
const clientIdMatchesDetails = ({ client_id: clientId, details }: Row): boolean =>
  (/"ofClient":"([^"]*)"/.exec(details)?.[1] ?? null) === (clientId ?? null);
