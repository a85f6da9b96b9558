import { sql } from 'kysely';
import type { AnswerValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, lockRows } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';

/** What somebody proposes, by path; null empties an answer. */
export type Proposed = Readonly<Record<string, AnswerValue | null>>;

interface NewLink {
  companyId: string;
  taskId: string;
  purpose: 'answer' | 'phone';
  section: string;
  path: string;
  person: string | null;
  email: string | null;
  codeHash: string | null;
  showsAnswers: boolean;
  madeBy: string;
  lifetime: number;
}

/** Stores a link, and returns its token, which only its hash remembers. */
export async function insertLink(
  link: NewLink,
): Promise<{ linkId: string; token: string; expiresAt: number }> {
  const [linkId, token, expiresAt] = [newId('tasklink'), newToken(), now() + link.lifetime];
  await db()
    .insertInto('task_links')
    .values({
      link_id: linkId,
      company_id: link.companyId,
      task_id: link.taskId,
      purpose: link.purpose,
      section: link.section,
      path: link.path,
      person: link.person === null ? null : encryptFor('task_links.person', linkId, link.person),
      email: link.email === null ? null : encryptFor('task_links.email', linkId, link.email),
      token_hash: sha256(token),
      code_hash: link.codeHash,
      code_tries: 0,
      code_paused_until: null,
      shows_answers: link.showsAnswers ? 1 : 0,
      made_by: link.madeBy,
      made_at: now(),
      expires_at: expiresAt,
      opened_at: null,
      revoked_at: null,
    })
    .execute();
  return { linkId, token, expiresAt };
}

const rows = () =>
  db()
    .selectFrom('task_links')
    .leftJoin('task_proposals', 'task_proposals.link_id', 'task_links.link_id')
    .selectAll('task_links')
    .select(['task_proposals.sent_at', 'task_proposals.decided_at', 'task_proposals.decided_by']);

type Row = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>;
export type Link = Omit<Row, 'person' | 'email'> & { person: string; email: string };

const decrypted = (row: Row): Link => ({
  ...row,
  person: row.person === null ? '' : decryptFrom('task_links.person', row.link_id, row.person),
  email: row.email === null ? '' : decryptFrom('task_links.email', row.link_id, row.email),
});

/** The link of a token. */
export async function linkByToken(token: string): Promise<Link | undefined> {
  const row = await rows().where('token_hash', '=', sha256(token)).executeTakeFirst();
  return row && decrypted(row);
}

/** The links with which others are asked, of a task; the newest first. */
export async function linksOfTask(taskId: string): Promise<Link[]> {
  const found = await rows()
    .where('task_id', '=', taskId)
    .where('purpose', '=', 'answer')
    .orderBy('made_at', 'desc')
    .orderBy('task_links.link_id')
    .execute();
  return found.map(decrypted);
}

export const isOver = ({
  revoked_at: revoked,
  expires_at: expires,
}: Pick<Link, 'revoked_at' | 'expires_at'>): boolean => revoked !== null || expires <= now();

/** Ends the links of a task that have not ended, or one of them; returns how many. */
export async function revokeLinks(taskId: string, linkId?: string): Promise<number> {
  const { numUpdatedRows } = await db()
    .updateTable('task_links')
    .set({ revoked_at: now() })
    .where('task_id', '=', taskId)
    .where('revoked_at', 'is', null)
    .$if(linkId !== undefined, (links) => links.where('link_id', '=', linkId ?? ''))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Takes one of the tries of a code before it is checked, so that parallel tries are counted; undefined during a pause,
 * and for good after the last one.
 */
export async function takeTry(
  linkId: string,
  limits: { pauseAfter: number; pause: number; most: number },
): Promise<number | undefined> {
  const instant = now();
  const taken = await db()
    .updateTable('task_links')
    .set((e) => ({
      code_tries: e('code_tries', '+', 1),
      code_paused_until: sql<
        number | null
      >`case when (code_tries + 1) % ${limits.pauseAfter} = 0 then ${instant + limits.pause} else code_paused_until end`,
    }))
    .where('link_id', '=', linkId)
    .where('code_tries', '<', limits.most)
    .where((e) => e.or([e('code_paused_until', 'is', null), e('code_paused_until', '<=', instant)]))
    .returning('code_tries')
    .executeTakeFirst();
  return taken?.code_tries;
}

/** How many codes were tried, and until when none is checked. */
export const triesOf = (linkId: string) =>
  db()
    .selectFrom('task_links')
    .select(['code_tries', 'code_paused_until'])
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow();

/** Opens a link for a browser; returns the value of its cookie. */
export async function addVisit(linkId: string, lifetime: number): Promise<string> {
  const visit = newToken();
  await db()
    .insertInto('task_link_visits')
    .values({ visit_hash: sha256(visit), link_id: linkId, expires_at: now() + lifetime })
    .execute();
  return visit;
}

/** Records that a link was opened; false if it was before. */
export async function noteOpened(linkId: string): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('task_links')
    .set({ opened_at: now() })
    .where('link_id', '=', linkId)
    .where('opened_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether one of a browser's visits (tokens, separated by dots) opened this link. */
export async function hasVisited(linkId: string, visits: string | undefined): Promise<boolean> {
  if (!visits) return false;
  const row = await db()
    .selectFrom('task_link_visits')
    .select('visit_hash')
    .where('visit_hash', 'in', visits.split('.').slice(0, 20).map(sha256))
    .where('link_id', '=', linkId)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks a link until the end of the transaction, and returns what was proposed by it. */
export async function lockProposal(
  linkId: string,
): Promise<{ content: Proposed; isSent: boolean; isDecided: boolean }> {
  await db()
    .selectFrom('task_links')
    .select('link_id')
    .where('link_id', '=', linkId)
    .modifyEnd(lockRows)
    .execute();
  const row = await db()
    .selectFrom('task_proposals')
    .selectAll()
    .where('link_id', '=', linkId)
    .executeTakeFirst();
  return {
    content: row ? contentOf(linkId, row.content) : {},
    isSent: (row?.sent_at ?? null) !== null,
    isDecided: (row?.decided_at ?? null) !== null,
  };
}

const contentOf = (linkId: string, encrypted: string): Proposed =>
  JSON.parse(decryptFrom('task_proposals.content', linkId, encrypted as never)) as Proposed;

/** What was proposed by a link. */
export async function proposedBy(linkId: string): Promise<Proposed> {
  const row = await db()
    .selectFrom('task_proposals')
    .select('content')
    .where('link_id', '=', linkId)
    .executeTakeFirst();
  return row ? contentOf(linkId, row.content) : {};
}

/** Stores what is proposed, under the lock of its link; with `isSent` it can no longer be changed. */
export async function writeProposal(linkId: string, content: Proposed, isSent: boolean): Promise<void> {
  const values = {
    content: encryptFor('task_proposals.content', linkId, JSON.stringify(content)),
    saved_at: now(),
    sent_at: isSent ? now() : null,
  };
  await db()
    .insertInto('task_proposals')
    .values({ link_id: linkId, ...values, decision: '', decided_at: null, decided_by: null })
    .onConflict((conflict) => conflict.column('link_id').doUpdateSet(values))
    .execute();
}

/** Records the decision about a proposal. */
export async function writeDecision(
  linkId: string,
  decision: 'taken' | 'part' | 'declined',
  by: string,
): Promise<void> {
  await db()
    .updateTable('task_proposals')
    .set({ decision, decided_at: now(), decided_by: by })
    .where('link_id', '=', linkId)
    .execute();
}

/** Whether somebody sent answers that nobody has decided about. */
export async function hasOpenProposals(taskId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('task_proposals')
    .innerJoin('task_links', 'task_links.link_id', 'task_proposals.link_id')
    .select('task_proposals.link_id')
    .where('task_links.task_id', '=', taskId)
    .where('task_proposals.sent_at', 'is not', null)
    .where('task_proposals.decided_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Declines what was sent by links and nobody has decided about; `by` is null if nobody decides any more. */
export async function declineProposals(linkIds: readonly string[], by: string | null): Promise<void> {
  if (linkIds.length === 0) return;
  await db()
    .updateTable('task_proposals')
    .set({ decision: 'declined', decided_at: now(), decided_by: by })
    .where('link_id', 'in', linkIds)
    .where('sent_at', 'is not', null)
    .where('decided_at', 'is', null)
    .execute();
}
