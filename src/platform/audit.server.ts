import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import { readAnchors, type Anchors } from './audit-anchors.server.ts';
import { now } from './clock.server.ts';
import { sha256 } from './crypto.server.ts';
import { db, inTransaction } from './database.server.ts';

/** What happened: who did what to what. Ids only; `details` for what is worth knowing later, such as the digest of a document. */
export interface AuditEntry {
  companyId: string;
  /** The contact who acted, or the recipient of a link. */
  actor: string;
  action:
    | 'session.start'
    | 'session.end'
    | 'document.upload'
    | 'share.send'
    | 'share.open'
    | 'portal.restored'
    | 'document.download'
    | 'document.view'
    | 'document.export'
    | 'folder.create'
    | 'container.role'
    | 'item.lock'
    | 'item.unlock'
    | 'share.download'
    | 'share.refuse'
    | 'share.revoke'
    | 'share.extend'
    | 'view.start'
    | 'view.end'
    | 'view.read'
    | 'view.refuse'
    | 'audit.export'
    | 'client.nickname'
    | 'access.change'
    | 'theme.change'
    | 'theme.reset'
    | 'profile.change'
    | 'language.change'
    | 'session.switch'
    | 'token.issue'
    | 'token.revoke'
    | 'terms.publish'
    | 'terms.accept'
    | 'password.change'
    | 'factor.add'
    | 'factor.remove'
    | 'recovery-codes.make'
    | 'recovery-codes.use'
    | 'password.reset'
    | 'invitation.send'
    | 'invitation.revoke'
    | 'invitation.accept'
    | 'owner.create'
    | 'rescue.issue'
    | 'rescue.use'
    | 'firm.lock'
    | 'firm.unlock'
    | 'document.trash'
    | 'document.restore'
    | 'document.purge'
    | 'document.alarm'
    | 'share.domains'
    | 'document.metadata'
    | 'comment.added'
    | 'comment.removed';
  target: string;
  /** The client whose papers it is about: their contacts see it (product.md, Everywhere). */
  clientId?: string | undefined;
  details?: Record<string, string | number>;
}

/** Who asks in a request: where from, and the member of staff who looks with somebody else's eyes, if anybody does. */
export interface Caller {
  network: string;
  viewedBy?: string | undefined;
}

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work` for a request: every entry that is made in it says where it came from, and who was looking as whom. */
export const calledBy = <T>(caller: Caller, work: () => T): T => callers.run(caller, work);

const FIRST = '0'.repeat(64);

/**
 * Adds an entry to a firm's audit trail, in the open transaction if there is one. Each entry's hash covers the one before it, so nothing
 * can be changed, removed or put in between without {@link verifyAudit} naming the place (security.md T81).
 */
export async function audit(entry: AuditEntry): Promise<void> {
  const { network, viewedBy } = callers.getStore() ?? {};
  const details = { ...entry.details, ...(network !== undefined && { network }), ...(viewedBy !== undefined && { viewedBy }), ...(entry.clientId !== undefined && { ofClient: entry.clientId }) };
  await inTransaction(async () => {
    await db().insertInto('audit_heads').values({ company_id: entry.companyId, seq: 0, hash: FIRST }).onConflict((conflict) => conflict.doNothing()).execute();
    // Whoever updates the head holds it until the end of the transaction: entries of one firm come one after the other.
    const head = await db().updateTable('audit_heads').set((e) => ({ seq: e('seq', '+', 1) })).where('company_id', '=', entry.companyId).returning(['seq', 'hash']).executeTakeFirstOrThrow();
    const row = { company_id: entry.companyId, seq: head.seq, at: now(), actor: entry.actor, action: entry.action, target: entry.target, details: JSON.stringify(details) };
    const hash = chained(head.hash, row);
    await db().insertInto('audit').values({ ...row, client_id: entry.clientId ?? null, hash }).execute();
    await db().updateTable('audit_heads').set({ hash }).where('company_id', '=', entry.companyId).execute();
  });
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

const chained = (previous: string, row: Row): string => sha256(JSON.stringify([previous, row.company_id, row.seq, row.at, row.actor, row.action, row.target, row.details]));

/** Where a trail does not hold: the firm, the first entry that is not as it was written, and what is wrong with it. */
export interface AuditFault {
  companyId: string;
  seq: number;
  fault: 'missing' | 'changed' | 'cut short' | 'rewritten';
}

const PAGE = 5000;

/**
 * Reads every trail from its beginning, while others may add to it, and answers how many entries hold, and the first fault of each firm.
 * What was anchored outside the database must still be there: so also a trail that was rewritten whole, with right hashes, is found; then
 * `seq` is the first entry after the last anchor that holds.
 */
export async function verifyAudit(anchors: Anchors = readAnchors()): Promise<{ entries: number; faults: AuditFault[] }> {
  const firms = await sql<{ company_id: string }>`select company_id from audit_heads union select company_id from audit order by company_id`.execute(db());
  const faults: AuditFault[] = [];
  let entries = 0;
  for (const companyId of new Set([...firms.rows.map((row) => row.company_id), ...anchors.keys()])) {
    const { count, fault } = await verifyTrail(companyId, anchors.get(companyId) ?? new Map<number, string>());
    entries += count;
    if (fault) faults.push({ companyId, ...fault });
  }
  return { entries, faults };
}

interface Verdict {
  count: number;
  fault?: Omit<AuditFault, 'companyId'>;
}

async function verifyTrail(companyId: string, anchored: ReadonlyMap<number, string>): Promise<Verdict> {
  let seq = 0;
  let hash = FIRST;
  let held = 0;
  for (;;) {
    const rows = await db().selectFrom('audit').selectAll().where('company_id', '=', companyId).where('seq', '>', seq).orderBy('seq').limit(PAGE).execute();
    for (const row of rows) {
      if (row.seq !== seq + 1) return { count: seq, fault: { seq: seq + 1, fault: 'missing' } };
      if (chained(hash, row) !== row.hash || !namesItsClient(row)) return { count: seq, fault: { seq: row.seq, fault: 'changed' } };
      const anchor = anchored.get(row.seq);
      if (anchor !== undefined && anchor !== row.hash) return { count: held, fault: { seq: held + 1, fault: 'rewritten' } };
      if (anchor !== undefined) held = row.seq;
      ({ seq, hash } = row);
    }
    if (rows.length === PAGE) continue;
    const last = Math.max(0, ...anchored.keys());
    if (last > seq) return { count: seq, fault: { seq: seq + 1, fault: 'cut short' } };
    const head = await db().selectFrom('audit_heads').select(['seq', 'hash']).where('company_id', '=', companyId).executeTakeFirst();
    if (head?.seq === seq && head.hash === hash) return { count: seq };
    // Somebody may have added entries meanwhile.
    const isThere = head && head.seq > seq && (await db().selectFrom('audit').select('seq').where('company_id', '=', companyId).where('seq', '=', seq + 1).executeTakeFirst());
    if (!isThere) return { count: seq, fault: { seq: head && head.seq < seq ? head.seq + 1 : seq + 1, fault: 'cut short' } };
  }
}

/** The column by which a client's entries are found is no part of the hash: it must repeat what stands in the details, which are. */
const namesItsClient = ({ client_id: clientId, details }: Row): boolean => (/"ofClient":"([^"]*)"/.exec(details)?.[1] ?? null) === (clientId ?? null);
