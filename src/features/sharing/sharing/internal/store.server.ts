import { sql } from 'kysely';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { audit, type AuditEntry } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import type { Named } from '../contents.server.ts';

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

/** Finds the share of a link's token, with its recipient. */
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

/** The contents that a share names. */
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

/** One client whose documents a share names, for page links: the list of shares is by client. */
export async function firstClientOf(shareId: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('share_clients')
    .select('client_id')
    .where('share_id', '=', shareId)
    .orderBy('client_id')
    .executeTakeFirst();
  return row?.client_id;
}

/** The names of the clients whose documents a share includes. */
export async function clientNamesOf(shareId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('share_clients')
    .innerJoin('clients', 'clients.client_id', 'share_clients.client_id')
    .select('clients.name')
    .where('share_id', '=', shareId)
    .execute();
  return rows.map(({ name }) => name);
}

/** Tells whether a share has documents of an archived client. */
export async function isOfArchivedClient(shareId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('share_clients')
    .innerJoin('clients', 'clients.client_id', 'share_clients.client_id')
    .select('clients.client_id')
    .where('share_id', '=', shareId)
    .where('clients.archived_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Audits an event of a share for each client whose documents it contains; it names some of these documents and people. */
export async function noteShare(
  entry: AuditEntry,
  {
    documentIds = [],
    recipientIds = [],
  }: { documentIds?: readonly string[]; recipientIds?: readonly string[] } = {},
): Promise<void> {
  const clients = await db()
    .selectFrom('share_clients')
    .select('client_id')
    .where('share_id', '=', entry.target)
    .orderBy('client_id')
    .execute();
  for (const { client_id: clientId } of clients) {
    const documents = await firstOfClient(clientId, documentIds);
    const named = [...documents, ...recipientIds.slice(0, MAX_NAMED)];
    const details = { ...entry.details, ...(named.length > 0 && { about: named.join(' ') }) };
    await audit({ ...entry, details, clientId });
  }
}

/** Documents, and recipients, that an entry names. */
const MAX_NAMED = 3;

async function firstOfClient(clientId: string, documentIds: readonly string[]): Promise<string[]> {
  if (documentIds.length === 0) return [];
  const rows = await db()
    .selectFrom('documents')
    .select('document_id')
    .where('document_id', 'in', documentIds.slice(0, 100))
    .where('client_id', '=', clientId)
    .orderBy('name_key')
    .limit(MAX_NAMED)
    .execute();
  return rows.map((row) => row.document_id);
}

/** Counts an opening of a link; returns how often it was opened by now. */
export async function countOpening(recipientId: string): Promise<number> {
  const { opens } = await db()
    .updateTable('share_recipients')
    .set((e) => ({
      opens: e('opens', '+', 1),
      first_opened_at: e.fn.coalesce('first_opened_at', e.val(now())),
      last_opened_at: now(),
      code_tries: 0,
      code_paused_until: null,
    }))
    .where('recipient_id', '=', recipientId)
    .returning('opens')
    .executeTakeFirstOrThrow();
  return opens;
}

/**
 * Counts a download, before its bytes are sent, so that concurrent ones are all counted; false if the
 * recipient has used up the limit of the share.
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
 * Counts a try at the code, before the code is checked, so that concurrent tries are all counted. Every
 * `pauseAfter`th starts a pause. Returns the number of the try, from one; undefined during a pause and after
 * the last try.
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
 * Returns how many codes of a recipient were tried, and until when (epoch ms) none is checked: the current
 * values, including concurrent tries.
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
 * Finds the newest of a browser's visits (tokens, separated by dots) that opened this recipient's link, by
 * its stored hash; undefined if there is none.
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

/** Records that a recipient requested a new link; false if that was recorded before. */
export async function noteAskedAgain(recipientId: string): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('share_recipients')
    .set({ asked_again_at: now() })
    .where('recipient_id', '=', recipientId)
    .where('asked_again_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The addresses of recipients of links: for the firm, and for the contact who sent the link. */
export const recipientAddresses: NamesOf = async (ids, { contactId }) => {
  const rows = await db()
    .selectFrom('share_recipients')
    .innerJoin('shares', 'shares.share_id', 'share_recipients.share_id')
    .select(['share_recipients.recipient_id', 'share_recipients.email'])
    .where('share_recipients.recipient_id', 'in', ids)
    .$if(contactId !== undefined, (recipients) =>
      recipients.where('shares.sender_contact_id', '=', contactId ?? ''),
    )
    .execute();
  return rows.map(({ recipient_id: id, email }) => ({
    id,
    name: decryptFrom('share_recipients.email', id, email),
  }));
};
