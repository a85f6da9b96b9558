import { bytesOf, clientsOfDocuments, documentsByIds, type DocumentBytes } from '#features/documents/documents.server.ts';
import type { Document } from '#features/documents/documents.ts';
import { firmOf } from '#features/firms/firms.server.ts';
import { actorOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { audit, type AuditEntry } from '#platform/audit.server.ts';
import { DAY, HOUR, MINUTE, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { newId, newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError, refusal } from '#platform/errors.server.ts';
import type { Lang } from '#platform/languages.ts';
import { spend } from '#platform/limits.server.ts';
import { queueMail } from '#platform/mail.server.ts';
import { issueReceipts, type Paper } from '#platform/receipts.server.ts';
import { hashSecret, secretMatches } from '#platform/passwords.server.ts';
import { sealFor } from '#platform/sealed.server.ts';
import { EXPIRATION_DAYS, MOST_RECIPIENTS } from './rules.ts';
import { senderMail, shareMail } from './mails.server.ts';
import { shareRequest, type ShareAnswer, type SharedFile, type ShareRequest, type ShareView } from './sharing.ts';
import { addVisit, countOpening, itemsOf, noteAskedAgain, recipientByToken, takeTry, visitExists, type Recipient } from './store.server.ts';

export { revokeAllShares, sweepShares } from './store.server.ts';

const MOST_A_DAY = 100;
const CODE = { pauseAfter: 5, pause: 15 * MINUTE, most: 10 };
const VISIT = 12 * HOUR;

/**
 * Sends documents by e-mail: a share, a link of its own for each recipient, and their mails, all in one transaction, so that no link
 * works without its code and no mail leaves without its share. The mail is in the language of the page that the sender used. NOT_FOUND
 * unless the sender may see every document; TOO_MANY beyond 100 recipients a day.
 */
export async function shareDocuments(actor: Actor, input: ShareRequest, lang: Lang): Promise<ShareAnswer> {
  const request = shareRequest.parse(input);
  const documents = await documentsByIds(actor, [...new Set(request.sharedItems.map((item) => item.documentId))]);
  const addresses = [...new Map(request.recipients.map(({ emailAddress }) => [emailAddress.toLowerCase(), emailAddress])).values()];
  const others = addresses.filter((address) => address.toLowerCase() !== actor.emailAddress.toLowerCase());
  if (others.length > MOST_RECIPIENTS) throw new PortalError('INVALID', { field: 'recipients', most: MOST_RECIPIENTS });
  await spend(`shares:${actor.contactId}`, MOST_A_DAY, DAY, addresses.length);
  const codeHash = request.authorizationCode === undefined ? null : await hashSecret(request.authorizationCode);
  const firm = await firmOf(actor.companyId);
  const shareId = newId('share');
  const expiresAt = now() + EXPIRATION_DAYS[request.expirationPeriod] * DAY;
  const links = addresses.map((address) => ({ address, token: newToken(), recipientId: newId('recipient') }));

  await inTransaction(async () => {
    await db()
      .insertInto('shares')
      .values({
        share_id: shareId,
        company_id: actor.companyId,
        sender_contact_id: actor.contactId,
        subject: sealFor('shares.subject', shareId, request.overrides.subject),
        message: sealFor('shares.message', shareId, request.overrides.body),
        language: lang,
        code_hash: codeHash,
        created_at: now(),
        expires_at: expiresAt,
        revoked_at: null,
      })
      .execute();
    await db()
      .insertInto('share_items')
      .values(documents.map((document) => ({ share_id: shareId, document_id: document.id })))
      .execute();
    for (const { address, token, recipientId } of links) {
      await db()
        .insertInto('share_recipients')
        .values({ recipient_id: recipientId, share_id: shareId, email: sealFor('share_recipients.email', recipientId, address), token_hash: sha256(token), opens: 0, first_opened_at: null, code_tries: 0, code_paused_until: null, asked_again_at: null })
        .execute();
      const mail = shareMail({ actor, firm, to: address, subject: request.overrides.subject, message: request.overrides.body, link: linkOf(lang, token), expiresAt, files: documents.map(asFile), needsCode: codeHash !== null, lang });
      await queueMail(mail, recipientId);
    }
    const papers = (await bytesOf(actor, documents.map(({ id }) => id))) satisfies Paper[];
    const receipt = await issueReceipts({ companyId: actor.companyId, kind: 'share', actor: actor.contactId, papers });
    await noteShare({ companyId: actor.companyId, actor: actor.contactId, action: 'share.send', target: shareId, details: { documents: documents.length, recipients: links.length, ...receipt } });
  });
  return { shareId, expiresAt: new Date(expiresAt).toISOString(), recipients: addresses.map((emailAddress) => ({ emailAddress, status: 'queued' as const })) };
}

/** Notes what happened to a share for each client whose papers are in it. */
async function noteShare(entry: AuditEntry): Promise<void> {
  for (const clientId of await clientsOfDocuments(await itemsOf(entry.target))) await audit({ ...entry, clientId });
}

const linkOf = (lang: Lang, token: string): string => `${config.origin}/${config.base}/${lang}/share/${token}`;

const asFile = (document: { id: string; name: string; originalItemSize: number }): SharedFile => ({ documentId: document.id, name: document.name, size: document.originalItemSize });

/**
 * What the link shows. Looking changes nothing: no count, no try. What the sender may no longer see, the recipient does not see either
 * (security.md T46); names stay hidden until the code was right.
 */
export async function viewShare(token: string, visit: string | undefined): Promise<ShareView> {
  const recipient = await recipientByToken(token);
  if (!recipient) return { kind: 'unknown' };
  const [account, firm] = await Promise.all([actorOf(recipient.sender_contact_id), firmOf(recipient.company_id)]);
  const sender = { name: account.fullName, firmName: firm.name, companyId: firm.companyId };
  const documents = await stillShared(recipient, account);
  if (!documents) return { kind: 'over', sender, askedAgain: recipient.asked_again_at !== null };
  const files = documents.map(asFile);
  const totalSize = files.reduce((sum, file) => sum + file.size, 0);
  const common = { sender, message: recipient.message, expiresAt: recipient.expires_at, totalSize };
  if (await visitExists(recipient.recipient_id, visit)) return { kind: 'open', ...common, files };
  const needsCode = recipient.code_hash !== null;
  return { kind: 'closed', ...common, needsCode, message: needsCode ? '' : recipient.message, files: needsCode ? undefined : files, fileCount: files.length };
}

/**
 * Opens a link: counts it, and answers the value of the visit cookie that the downloads ask for. CODE_WRONG with `triesLeft`;
 * TOO_MANY in the pause after five wrong codes and after ten for good; GONE when it is over.
 */
export async function openShare(token: string, code: string | undefined, network: string): Promise<string> {
  await spend(`share:${network}`, 30, MINUTE);
  const recipient = await recipientByToken(token);
  if (!recipient) throw notFound();
  if (!(await stillShared(recipient, await actorOf(recipient.sender_contact_id)))) throw new PortalError('GONE');
  if (recipient.code_hash !== null) {
    await checkCode(recipient, code ?? '').catch(async (error: unknown) => {
      await noteShare({ companyId: recipient.company_id, actor: recipient.recipient_id, action: 'share.refuse', target: recipient.share_id, details: { result: refusal(error)?.code ?? 'INTERNAL' } });
      throw error;
    });
  }
  const visit = newToken();
  await inTransaction(async () => {
    await addVisit(recipient.recipient_id, visit, VISIT);
    await countOpening(recipient.recipient_id);
    await noteShare({ companyId: recipient.company_id, actor: recipient.recipient_id, action: 'share.open', target: recipient.share_id });
  });
  return visit;
}

async function checkCode(recipient: Recipient, code: string): Promise<void> {
  const tries = await takeTry(recipient.recipient_id, CODE);
  if (tries === undefined) {
    const wait = (recipient.code_paused_until ?? 0) - now();
    throw new PortalError('TOO_MANY', { asleep: recipient.code_tries >= CODE.most, minutes: Math.max(1, Math.ceil(wait / MINUTE)) });
  }
  if (await secretMatches(code.trim(), recipient.code_hash)) return;
  if (tries >= CODE.most) await tellSenderAsleep(recipient);
  throw new PortalError('CODE_WRONG', { triesLeft: CODE.pauseAfter - 1 - ((tries - 1) % CODE.pauseAfter) });
}

/** Tells the sender that a link sleeps after too many wrong codes: perhaps somebody guesses. */
async function tellSenderAsleep(recipient: Recipient): Promise<void> {
  const sender = await actorOf(recipient.sender_contact_id);
  await queueMail(senderMail('asleep', await firmOf(recipient.company_id), sender, recipient), `asleep-${recipient.recipient_id}`);
}

interface Fetching {
  /** False for who only looks. */
  downloads?: boolean;
  /** Told whose bytes they are before they flow. */
  belongsTo?: ((companyId: string) => void) | undefined;
}

/** The bytes of a shared document, or of all of them, for the one who opened the link; GONE when it is over since. */
export async function sharedBytes(token: string, visits: string | undefined, documentId?: string, { downloads = true, belongsTo }: Fetching = {}): Promise<DocumentBytes[]> {
  const recipient = await recipientByToken(token);
  if (!recipient || !(await visitExists(recipient.recipient_id, visits))) throw notFound();
  const sender = await actorOf(recipient.sender_contact_id);
  const documents = await stillShared(recipient, sender);
  if (!documents) throw new PortalError('GONE');
  const ids = documents.map((document) => document.id);
  if (documentId !== undefined && !ids.includes(documentId)) throw notFound();
  belongsTo?.(sender.companyId);
  const wanted = documentId === undefined ? ids : [documentId];
  const bytes = await bytesOf(sender, wanted);
  if (downloads) {
    await inTransaction(async () => {
      const receipt = await issueReceipts({ companyId: recipient.company_id, kind: 'download', actor: recipient.recipient_id, papers: bytes });
      await noteShare({ companyId: recipient.company_id, actor: recipient.recipient_id, action: 'share.download', target: recipient.share_id, details: { documents: wanted.length, ...receipt } });
    });
  }
  return bytes;
}

/** Asks the sender, once, for a new link in place of one that is over. */
export async function askAgain(token: string, network: string): Promise<void> {
  await spend(`share:${network}`, 30, MINUTE);
  const recipient = await recipientByToken(token);
  if (!recipient) throw notFound();
  const sender = await actorOf(recipient.sender_contact_id);
  if (await stillShared(recipient, sender)) return; // it still works: there is nothing to ask for
  const firm = await firmOf(recipient.company_id);
  await inTransaction(async () => {
    if (await noteAskedAgain(recipient.recipient_id)) await queueMail(senderMail('again', firm, sender, recipient), `again-${recipient.recipient_id}`);
  });
}

const isOver = (recipient: Recipient): boolean => recipient.revoked_at !== null || recipient.expires_at <= now();

/** The documents, while the link lasts, the firm is open and the sender may see every one of them; undefined otherwise. */
async function stillShared(recipient: Recipient, sender: Actor & { firmLocked: boolean }): Promise<Document[] | undefined> {
  if (isOver(recipient) || sender.firmLocked) return undefined;
  try {
    return await documentsByIds(sender, await itemsOf(recipient.share_id));
  } catch (error) {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
