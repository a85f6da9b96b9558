import { sql } from 'kysely';
import { CONTAINER_TYPES } from '#features/documents/documents.ts';
import { audit, type AuditEntry } from '#platform/audit.server.ts';
import { now } from '#platform/clock.server.ts';
import { sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import type { Named } from './contents.server.ts';

const rowByToken = (token: string) =>
  db()
    .selectFrom('share_recipients')
    .innerJoin('shares', 'shares.share_id', 'share_recipients.share_id')
    .selectAll('shares')
    .select([
      'share_recipients.recipient_id',
      'share_recipients.email',
      'share_recipients.opens',
      'share_recipients.first_opened_at',
      'share_recipients.code_tries',
      'share_recipients.code_paused_until',
      'share_recipients.asked_again_at',
      'share_recipients.downloads',
      'share_recipients.revoked_at as link_revoked_at',
    ])
    .where('share_recipients.token_hash', '=', sha256(token))
    .executeTakeFirst();

/** The share behind a link's token, with its recipient. */
export async function recipientByToken(token: string) {
  const row = await rowByToken(token);
  return (
    row && {
      ...row,
      email: decryptFrom('share_recipients.email', row.recipient_id, row.email),
      subject: decryptFrom('shares.subject', row.share_id, row.subject),
      message: decryptFrom('shares.message', row.share_id, row.message),
    }
  );
}

export type Recipient = NonNullable<Awaited<ReturnType<typeof recipientByToken>>>;

/** What a share names. */
export async function namedBy(shareId: string): Promise<Named> {
  const documents = await db()
    .selectFrom('share_items')
    .select('document_id')
    .where('share_id', '=', shareId)
    .execute();
  const containers = await db()
    .selectFrom('share_containers')
    .innerJoin('containers', 'containers.container_id', 'share_containers.container_id')
    .select(['containers.container_id', 'containers.container_type'])
    .where('share_id', '=', shareId)
    .execute();
  return {
    documentIds: documents.map((row) => row.document_id),
    containers: containers.map((row) => ({
      containerId: row.container_id,
      containerType: CONTAINER_TYPES[row.container_type],
    })),
  };
}

/** A client whose documents a share names, where a page shows one: the list of shares is by client. */
export async function firstClientOf(shareId: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('share_clients')
    .select('client_id')
    .where('share_id', '=', shareId)
    .orderBy('client_id')
    .executeTakeFirst();
  return row?.client_id;
}

/** Notes what happened to a share for each client whose papers it was sent of. */
export async function noteShare(entry: AuditEntry): Promise<void> {
  const clients = await db()
    .selectFrom('share_clients')
    .select('client_id')
    .where('share_id', '=', entry.target)
    .orderBy('client_id')
    .execute();
  for (const { client_id: clientId } of clients) await audit({ ...entry, clientId });
}

/** Counts one opening. */
export async function countOpening(recipientId: string): Promise<void> {
  await db()
    .updateTable('share_recipients')
    .set((e) => ({
      opens: e('opens', '+', 1),
      first_opened_at: e.fn.coalesce('first_opened_at', e.val(now())),
      last_opened_at: now(),
      code_tries: 0,
      code_paused_until: null,
    }))
    .where('recipient_id', '=', recipientId)
    .execute();
}

/**
 * Counts one download, before its bytes flow, so that those at the same moment are all counted; false when
 * the recipient has had all that the share allows.
 */
export async function takeDownload(recipientId: string, most: number | null): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('share_recipients')
    .set((e) => ({ downloads: e('downloads', '+', 1) }))
    .where('recipient_id', '=', recipientId)
    .$if(most !== null, (recipients) => recipients.where('downloads', '<', most ?? 0))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Takes one try at the code, before the code is looked at, so that tries at the same moment are all counted.
 * Every `pauseAfter`th starts a pause. Answers which try it is, from one; undefined during a pause and after
 * the last try ever.
 */
export async function takeTry(
  recipientId: string,
  limits: { pauseAfter: number; pause: number; most: number },
): Promise<number | undefined> {
  const instant = now();
  const taken = await db()
    .updateTable('share_recipients')
    .set((e) => ({
      code_tries: e('code_tries', '+', 1),
      code_paused_until: sql<
        number | null
      >`case when (code_tries + 1) % ${limits.pauseAfter} = 0 then ${instant + limits.pause} else code_paused_until end`,
    }))
    .where('recipient_id', '=', recipientId)
    .where('code_tries', '<', limits.most)
    .where((e) => e.or([e('code_paused_until', 'is', null), e('code_paused_until', '<=', instant)]))
    .returning('code_tries')
    .executeTakeFirst();
  return taken?.code_tries;
}

/**
 * How many codes of a recipient were tried, and until when (epoch ms) none is looked at: as it is now, after
 * those of others.
 */
export const triesOf = (recipientId: string) =>
  db()
    .selectFrom('share_recipients')
    .select(['code_tries', 'code_paused_until'])
    .where('recipient_id', '=', recipientId)
    .executeTakeFirstOrThrow();

export async function addVisit(recipientId: string, token: string, lifetime: number): Promise<void> {
  await db()
    .insertInto('share_visits')
    .values({ visit_hash: sha256(token), recipient_id: recipientId, expires_at: now() + lifetime })
    .execute();
}

/**
 * The newest of a browser's visits (tokens, separated by dots) that opened this recipient's link, by its
 * stored hash; undefined where none did.
 */
export async function visitOf(recipientId: string, visits: string | undefined): Promise<string | undefined> {
  if (!visits) return undefined;
  const row = await db()
    .selectFrom('share_visits')
    .select('visit_hash')
    .where('visit_hash', 'in', visits.split('.').map(sha256))
    .where('recipient_id', '=', recipientId)
    .where('expires_at', '>', now())
    .orderBy('expires_at', 'desc')
    .orderBy('visit_hash')
    .executeTakeFirst();
  return row?.visit_hash;
}

/** Notes that a recipient asked for a new link; false when that was noted before. */
export async function noteAskedAgain(recipientId: string): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('share_recipients')
    .set({ asked_again_at: now() })
    .where('recipient_id', '=', recipientId)
    .where('asked_again_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Ends every share and visit there is, and answers how many shares: after a restore nobody knows which of
 * them were revoked before.
 */
export async function revokeAllShares(): Promise<number> {
  await db().deleteFrom('share_visits').execute();
  const { numUpdatedRows } = await db()
    .updateTable('shares')
    .set({ revoked_at: now() })
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now())
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Forgets visits that are over, and ends for good the links that are: they stay so when the clock is set
 * back.
 */
export async function sweepShares(): Promise<void> {
  await db().deleteFrom('share_visits').where('expires_at', '<', now()).execute();
  await db()
    .updateTable('shares')
    .set((e) => ({ revoked_at: e.ref('expires_at') }))
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', now())
    .execute();
}
