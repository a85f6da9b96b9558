import { containerNames } from '#features/documents/folders/names.server.ts';
import { documentNames } from '#features/documents/documents/names.server.ts';
import { clientIdsOf, actorNow, assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { mailStatuses, cancelMails } from '#platform/mail/mail.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { linkSentAgain } from './events.server.ts';
import { newOpenings } from './openings.server.ts';
import { EXPIRATION_DAYS, type ExpirationPeriod } from './rules.ts';
import { sendOnceMore } from './sending.server.ts';
import type { SentLink, SentShare, SharePage, ShareQuery } from './my-shares.ts';
import { namedBy, noteShare } from './internal/store.server.ts';

/**
 * Lists one page of the shares of a client's documents, the newest first: a contact's own shares, for staff
 * those of the whole firm. NOT_FOUND for a client that the actor does not act for.
 */
export async function listShares(
  actor: Actor,
  { clientId, senderId, pageNum, pageSize }: ShareQuery,
): Promise<SharePage> {
  await assertActsFor(actor, clientId);
  const found = sharesOfClient(actor, { clientId, senderId });
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll('shares')
    .select('contacts.full_name')
    .orderBy('shares.created_at', 'desc')
    .orderBy('shares.share_id', 'desc')
    .limit(pageSize)
    .offset((pageNum - 1) * pageSize)
    .execute();
  return {
    shares: await present(actor, rows),
    pageNum,
    totalPages: Math.max(1, Math.ceil(Number(total) / pageSize)),
    total: Number(total),
  };
}

/**
 * Lists one page of the links to a client's documents, one for each recipient, those of the newest share first. Scope
 * and NOT_FOUND are as in {@link listShares}.
 */
export async function listLinks(
  actor: Actor,
  { clientId, senderId, pageNum, pageSize }: ShareQuery,
): Promise<{ links: SentLink[]; total: number }> {
  await assertActsFor(actor, clientId);
  const found = sharesOfClient(actor, { clientId, senderId }).innerJoin(
    'share_recipients',
    'share_recipients.share_id',
    'shares.share_id',
  );
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll('shares')
    .select(['contacts.full_name', 'share_recipients.recipient_id'])
    .orderBy('shares.created_at', 'desc')
    .orderBy('shares.share_id', 'desc')
    .orderBy('share_recipients.recipient_id')
    .limit(pageSize)
    .offset((pageNum - 1) * pageSize)
    .execute();
  const shares = await present(actor, [...new Map(rows.map((row) => [row.share_id, row])).values()]);
  const onPage = new Set(rows.map((row) => row.recipient_id));
  return {
    links: shares.flatMap((share) =>
      share.recipients
        .filter(({ recipientId }) => onPage.has(recipientId))
        .map((recipient) => ({ share, recipient })),
    ),
    total: Number(total),
  };
}

/** The newest shares that a contact sent, over all their clients. */
export async function newestOwnShares(actor: Actor, limit: number): Promise<SentShare[]> {
  const rows = await sharesOf(actor)
    .selectAll('shares')
    .select('contacts.full_name')
    .where('sender_contact_id', '=', actor.contactId)
    .orderBy('shares.created_at', 'desc')
    .orderBy('shares.share_id', 'desc')
    .limit(limit)
    .execute();
  // the frame of the page need not ask about the links of shares that do not exist
  if (rows.length === 0) newOpenings.found([], actor);
  return present(actor, rows);
}

/** The company, other than this one, whose documents a contact shared last; undefined if there is none. */
export async function sharedElsewhere(
  actor: Actor,
  clientId: string,
): Promise<{ clientId: string; client: string } | undefined> {
  const row = await clientIdsOf(actor)
    .innerJoin('share_clients', 'share_clients.client_id', 'clients.client_id')
    .innerJoin('shares', 'shares.share_id', 'share_clients.share_id')
    .select(['clients.name', 'clients.doing_business_as'])
    .where('shares.sender_contact_id', '=', actor.contactId)
    .where('clients.client_id', '!=', clientId)
    .orderBy('shares.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { clientId: row.client_id, client: row.doing_business_as ?? row.name };
}

/** Lists the senders of a client's shares by name, for filtering. */
export async function sendersOf(
  actor: Actor,
  clientId: string,
): Promise<{ contactId: string; fullName: string }[]> {
  await assertActsFor(actor, clientId);
  const rows = await sharesOfClient(actor, { clientId })
    .select(['contacts.contact_id', 'contacts.full_name'])
    .distinct()
    .execute();
  return rows
    .map((row) => ({ contactId: row.contact_id, fullName: row.full_name }))
    .toSorted((a, b) => a.fullName.localeCompare(b.fullName));
}

/** Finds a share that the actor sent, for staff any of the firm; NOT_FOUND otherwise. */
export async function shareOf(actor: Actor, shareId: string): Promise<SentShare> {
  const rows = await sharesOf(actor)
    .selectAll('shares')
    .select('contacts.full_name')
    .where('shares.share_id', '=', shareId)
    .execute();
  const [share] = await present(actor, rows);
  if (!share) throw notFound();
  return share;
}

/**
 * Ends all links of a share at once and permanently, and cancels pending mails. Allowed to the sender and
 * staff of the firm.
 */
export async function revokeShare(actor: Actor, shareId: string): Promise<SentShare> {
  await inTransaction(async () => {
    const { recipients } = await shareOf(actor, shareId);
    const { numUpdatedRows } = await db()
      .updateTable('shares')
      .set({ revoked_at: now() })
      .where('share_id', '=', shareId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now())
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await cancelMails(recipients.map(({ recipientId }) => recipientId));
    await noteShare(
      {
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'share.revoke',
        target: shareId,
        details: { recipients: recipients.length },
      },
      { recipientIds: recipients.map((recipient) => recipient.recipientId) },
    );
  });
  return shareOf(actor, shareId);
}

/**
 * Ends the link of one recipient at once and permanently; the others keep working. Allowed to the sender and
 * staff of the firm.
 */
export async function revokeRecipient(
  actor: Actor,
  shareId: string,
  recipientId: string,
): Promise<SentShare> {
  await inTransaction(async () => {
    const { recipients } = await shareOf(actor, shareId);
    if (!recipients.some((recipient) => recipient.recipientId === recipientId)) throw notFound();
    if (await endLink(recipientId))
      await noteShare(
        {
          companyId: actor.companyId,
          actor: actor.contactId,
          action: 'share.revoke',
          target: shareId,
          details: { recipients: 1 },
        },
        { recipientIds: [recipientId] },
      );
  });
  return shareOf(actor, shareId);
}

async function endLink(recipientId: string): Promise<boolean> {
  const { numUpdatedRows } = await db()
    .updateTable('share_recipients')
    .set({ revoked_at: now() })
    .where('recipient_id', '=', recipientId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  await cancelMails([recipientId]);
  return numUpdatedRows > 0n;
}

/**
 * Extends the links of a share to one of the four periods from now; an expiry never becomes earlier. Allowed
 * to the sender only; GONE if the share has ended, which is permanent.
 */
export async function extendShare(
  actor: Actor,
  shareId: string,
  period: ExpirationPeriod,
): Promise<SentShare> {
  await inTransaction(async () => {
    const until = now() + EXPIRATION_DAYS[period] * DAY;
    if (!(await shareOf(actor, shareId)).isOwn) throw notFound();
    const extended = await db()
      .updateTable('shares')
      .set((e) => ({
        expires_at: e.case().when('expires_at', '<', until).then(until).else(e.ref('expires_at')).end(),
      }))
      .where('share_id', '=', shareId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now())
      .executeTakeFirst();
    if (extended.numUpdatedRows === 0n) throw new PortalError('GONE');
    await noteShare({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'share.extend',
      target: shareId,
      details: { period },
    });
  });
  return shareOf(actor, shareId);
}

/**
 * Sends one recipient a new link to the same contents, with the same text and the same code, as a share of
 * its own; the old link ends. Allowed to the sender only. NOT_FOUND if the sender may no longer see all of
 * it, TOO_MANY beyond 100 recipients a day, DOMAIN_NOT_ALLOWED.
 */
export async function sendAgain(
  actor: Actor,
  shareId: string,
  recipientId: string,
  period: ExpirationPeriod,
): Promise<SentShare> {
  const answer = await inTransaction(async () => {
    const row = await sharesOf(actor)
      .innerJoin('share_recipients', 'share_recipients.share_id', 'shares.share_id')
      .selectAll('shares')
      .select(['share_recipients.email', 'share_recipients.name'])
      .where('shares.sender_contact_id', '=', actor.contactId)
      .where('shares.share_id', '=', shareId)
      .where('recipient_id', '=', recipientId)
      .executeTakeFirst();
    if (!row) throw notFound();
    await endLink(recipientId);
    await linkSentAgain.announce({ recipientId });
    return sendOnceMore(await actorNow(actor), {
      named: await namedBy(shareId),
      recipients: [
        {
          emailAddress: decryptFrom('share_recipients.email', recipientId, row.email),
          name: nameOf({ recipient_id: recipientId, name: row.name }),
        },
      ],
      subject: decryptFrom('shares.subject', shareId, row.subject),
      message: decryptFrom('shares.message', shareId, row.message),
      expirationPeriod: period,
      codeHash: row.code_hash,
      maxDownloads: row.max_downloads,
      lang: languageOf(row.language) ?? DEFAULT_LANG,
    });
  });
  return shareOf(actor, answer.shareId);
}

/** The shares that the actor sent; for staff those about documents of their clients. */
const sharesOf = (actor: Actor) =>
  db()
    .selectFrom('shares')
    .innerJoin('contacts', 'contacts.contact_id', 'shares.sender_contact_id')
    .where('shares.company_id', '=', actor.companyId)
    .$if(!actor.staff, (shares) => shares.where('shares.sender_contact_id', '=', actor.contactId))
    .$if(actor.staff && !actor.hasAllClients, (shares) =>
      shares.where((e) =>
        e.or([
          e('shares.sender_contact_id', '=', actor.contactId),
          e.exists(
            e
              .selectFrom('share_clients')
              .select('share_clients.share_id')
              .whereRef('share_clients.share_id', '=', 'shares.share_id')
              .where('share_clients.client_id', 'in', clientIdsOf(actor)),
          ),
        ]),
      ),
    );

/** The shares of a client's documents, optionally of one sender. */
const sharesOfClient = (
  actor: Actor,
  { clientId, senderId }: { clientId: string; senderId?: string | undefined },
) =>
  sharesOf(actor)
    .where(
      'shares.share_id',
      'in',
      db().selectFrom('share_clients').select('share_clients.share_id').where('client_id', '=', clientId),
    )
    .$if(senderId !== undefined, (shares) => shares.where('sender_contact_id', '=', senderId ?? ''));

interface Row {
  share_id: string;
  sender_contact_id: string;
  full_name: string;
  subject: string;
  code_hash: string | null;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  max_downloads: number | null;
}

async function present(actor: Actor, rows: readonly Row[]): Promise<SentShare[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.share_id);
  const items = Map.groupBy(
    await db().selectFrom('share_items').selectAll().where('share_id', 'in', ids).execute(),
    (item) => item.share_id,
  );
  const places = Map.groupBy(
    await db().selectFrom('share_containers').selectAll().where('share_id', 'in', ids).execute(),
    (place) => place.share_id,
  );
  const documents = await documentNames(actor, [
    ...new Set([...items.values()].flat().map((item) => item.document_id)),
  ]);
  const containers = await containerNames(actor, [
    ...new Set([...places.values()].flat().map((place) => place.container_id)),
  ]);
  const recipients = await recipientsOf(rows);
  return rows.map((row) => {
    const [ofItems, ofPlaces] = [items.get(row.share_id) ?? [], places.get(row.share_id) ?? []];
    const files = ofItems.flatMap(({ document_id: documentId }) =>
      documents.has(documentId) ? [{ documentId, name: documents.get(documentId) ?? '' }] : [],
    );
    const folders = ofPlaces.flatMap(({ container_id: containerId }) => {
      const container = containers.get(containerId);
      return container ? [{ containerId, ...container }] : [];
    });
    return {
      shareId: row.share_id,
      subject: decryptFrom('shares.subject', row.share_id, row.subject),
      sender: { contactId: row.sender_contact_id, fullName: row.full_name },
      isOwn: row.sender_contact_id === actor.contactId,
      createdAt: new Date(row.created_at).toISOString(),
      expiresAt: new Date(row.expires_at).toISOString(),
      state: stateOf(row),
      requiresCode: row.code_hash !== null,
      maxDownloads: row.max_downloads,
      documents: files.toSorted((a, b) => a.name.localeCompare(b.name)),
      folders,
      missing: ofItems.length + ofPlaces.length - files.length - folders.length,
      recipients: recipients.get(row.share_id) ?? [],
    };
  });
}

/** When an expired share is swept, its time of revocation is set to its expiry. */
function stateOf({ expires_at: expires, revoked_at: revoked }: Row): SentShare['state'] {
  if (revoked !== null && revoked !== expires) return 'revoked';
  return revoked !== null || expires <= now() ? 'expired' : 'open';
}

const nameOf = (row: { recipient_id: string; name: string | null }): string =>
  row.name === null ? '' : decryptFrom('share_recipients.name', row.recipient_id, row.name);

async function recipientsOf(shares: readonly Row[]): Promise<Map<string, SentShare['recipients']>> {
  const revoked = new Set(
    shares.filter((share) => stateOf(share) === 'revoked').map((share) => share.share_id),
  );
  const rows = await db()
    .selectFrom('share_recipients')
    .selectAll()
    .where(
      'share_id',
      'in',
      shares.map((share) => share.share_id),
    )
    .execute();
  const mails = await mailStatuses(rows.map((row) => row.recipient_id));
  const sent = rows.map((row) => ({
    shareId: row.share_id,
    recipient: {
      recipientId: row.recipient_id,
      emailAddress: decryptFrom('share_recipients.email', row.recipient_id, row.email),
      name: nameOf(row),
      status:
        revoked.has(row.share_id) || row.revoked_at !== null
          ? ('revoked' as const)
          : (mails.get(row.recipient_id) ?? 'sent'),
      opens: row.opens,
      lastOpenedAt: row.last_opened_at === null ? null : new Date(row.last_opened_at).toISOString(),
      downloads: row.downloads,
      asksForANewLink: row.asked_again_at !== null && row.revoked_at === null,
    },
  }));
  const byAddress = sent.toSorted((a, b) => a.recipient.emailAddress.localeCompare(b.recipient.emailAddress));
  return new Map(
    [...Map.groupBy(byAddress, ({ shareId }) => shareId)].map(([shareId, all]) => [
      shareId,
      all.map(({ recipient }) => recipient),
    ]),
  );
}
