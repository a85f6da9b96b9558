import { bytesOf, type DocumentBytes } from '#features/documents/documents/bytes.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newToken } from '#platform/security/crypto.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError, refusal, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { startOnce, hasStarted, consumeForNetwork } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { recordDone, recordLinkOpened } from '#platform/mail/mail-log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import type { RequestedPart } from '#platform/http/send-file.server.ts';
import { contentsOf, type Contents } from './contents.server.ts';
import { linkRequested } from './events.server.ts';
import { senderMail } from './mails.server.ts';
import { recordOpening } from './openings.server.ts';
import { senderCompany } from './sender-company.server.ts';
import type { ShareView } from './sharing.ts';
import {
  addVisit,
  countOpening,
  firstClientOf,
  isOfArchivedClient,
  namedBy,
  noteAskedAgain,
  noteShare,
  recipientByToken,
  takeDownload,
  takeTry,
  triesOf,
  visitOf,
  type Recipient,
} from './internal/store.server.ts';

const CODE = { pauseAfter: 5, pause: 15 * MINUTE, most: 10 };
const VISIT = 12 * HOUR;

/**
 * Returns the public view of a link. Viewing changes nothing: no count, no tries. Recipients do not see
 * documents that the sender may no longer see (threat-model.md T46); names are hidden until the right code
 * was entered.
 */
export async function viewShare(token: string, visit: string | undefined): Promise<ShareView> {
  const recipient = await recipientByToken(token);
  if (!recipient) return { kind: 'unknown' };
  const [account, firm] = await Promise.all([
    actorOf(recipient.sender_contact_id),
    firmOf(recipient.company_id),
  ]);
  const sender = {
    name: account.fullName,
    company: await senderCompany(account, firm, recipient.share_id),
    firmName: firm.name,
    companyId: firm.companyId,
  };
  const contents = await stillShared(recipient, account);
  if (!contents) return { kind: 'over', sender, askedAgain: recipient.asked_again_at !== null };
  const { files, isCut } = contents;
  const totalSize = files.reduce((sum, file) => sum + file.size, 0);
  const common = { sender, message: recipient.message, expiresAt: recipient.expires_at, totalSize, isCut };
  if ((await visitOf(recipient.recipient_id, visit)) !== undefined)
    return { kind: 'open', ...common, files, canBeShown: canBeShown(recipient) };
  const needsCode = recipient.code_hash !== null;
  return {
    kind: 'closed',
    ...common,
    needsCode,
    message: needsCode ? '' : recipient.message,
    files: needsCode ? undefined : files,
    fileCount: files.length,
  };
}

/**
 * Opens a link: counts it, notifies the sender the first time, and returns the value of the visit cookie that
 * downloads require. CODE_WRONG with `triesLeft`; TOO_MANY during the pause after five wrong codes, and permanently
 * after ten; GONE if it has ended.
 */
export async function openShare(token: string, code: string | undefined, network: string): Promise<string> {
  await consumeForNetwork('share', network, 30, MINUTE);
  const recipient = await recipientByToken(token);
  if (!recipient) throw notFound();
  const sender = await actorOf(recipient.sender_contact_id);
  if (!(await stillShared(recipient, sender))) throw new PortalError('GONE');
  if (recipient.code_hash !== null) {
    await checkCode(recipient, code ?? '').catch(async (error: unknown) => {
      await noteRefusal(recipient, refusal(error)?.code ?? 'INTERNAL');
      throw error;
    });
  }
  const visit = newToken();
  await inTransaction(async () => {
    await addVisit(recipient.recipient_id, visit, VISIT);
    if ((await countOpening(recipient.recipient_id)) === 1) await notifyOpened(recipient, sender);
    await recordLinkOpened(recipient.recipient_id);
    await noteShare({
      companyId: recipient.company_id,
      actor: recipient.recipient_id,
      action: 'share.open',
      target: recipient.share_id,
    });
  });
  return visit;
}

/** Audits a refused code: each wrong one, of which there are few, and the refusals of a pause once. */
async function noteRefusal(
  { company_id: companyId, recipient_id: actor, share_id: target }: Recipient,
  result: string,
): Promise<void> {
  if (result === 'TOO_MANY' && !(await startOnce(`share-refused:${actor}`, CODE.pause))) return;
  await noteShare({ companyId, actor, action: 'share.refuse', target, details: { result } });
}

async function checkCode(recipient: Recipient, code: string): Promise<void> {
  const tries = await takeTry(recipient.recipient_id, CODE);
  if (tries === undefined) {
    const { code_tries: used, code_paused_until: until } = await triesOf(recipient.recipient_id);
    const wait = (until ?? 0) - now();
    throw new PortalError('TOO_MANY', {
      asleep: used >= CODE.most,
      minutes: Math.max(1, Math.ceil(wait / MINUTE)),
    });
  }
  if (await secretMatches(code.trim(), recipient.code_hash)) return;
  if (tries >= CODE.most) await tellSenderAsleep(recipient);
  throw new PortalError('CODE_WRONG', { triesLeft: CODE.pauseAfter - 1 - ((tries - 1) % CODE.pauseAfter) });
}

/** Notifies the sender, by mail and in the portal, that a recipient opened the link; not of their own copy. */
async function notifyOpened(recipient: Recipient, sender: Actor): Promise<void> {
  if (recipient.email.toLowerCase() === sender.emailAddress.toLowerCase()) return;
  await recordOpening(recipient.recipient_id, sender.contactId);
  await mailSender('opened', recipient, sender);
}

/** Notifies the sender that a link is disabled after too many wrong codes: somebody may be guessing. */
const tellSenderAsleep = async (recipient: Recipient): Promise<void> =>
  mailSender('asleep', recipient, await actorOf(recipient.sender_contact_id));

/** Mails the sender about a link, once for each kind. */
async function mailSender(
  kind: Parameters<typeof senderMail>[0],
  recipient: Recipient,
  sender: Actor,
): Promise<void> {
  const [firm, clientId] = [await firmOf(recipient.company_id), await firstClientOf(recipient.share_id)];
  const about = { ...recipient, clientId, at: now() };
  await queueMail(senderMail(kind, firm, sender, about), `${kind}-${recipient.recipient_id}`);
}

interface Fetching {
  /** The part of a document that is downloaded; without it everything. */
  requestedPart?: (file: { size: number; etag: string }) => RequestedPart;
  /** Called with the owner of the bytes before they are sent. */
  belongsTo?: ((companyId: string) => void) | undefined;
  /** Called with the recipient of the link. */
  through?: (recipientId: string) => void;
}

/** Finds the link that a visitor opened. */
async function visitedLink(
  token: string,
  visits: string | undefined,
): Promise<{ recipient: Recipient; visit: string }> {
  const recipient = await recipientByToken(token);
  const visit = recipient && (await visitOf(recipient.recipient_id, visits));
  if (!recipient || visit === undefined) throw notFound();
  return { recipient, visit };
}

/**
 * Finds a shared document, to show it to the visitor who opened the link; GONE if the link has ended since. This does
 * not count as a download, so it is NOT_FOUND for a link with a limit of downloads.
 */
export async function fileToShow(
  token: string,
  visits: string | undefined,
  documentId: string,
): Promise<{ file: DocumentBytes; asker: QueueUser; recipient: Recipient; visit: string }> {
  const { recipient, visit } = await visitedLink(token, visits);
  const sender = await actorOf(recipient.sender_contact_id);
  const contents = await stillShared(recipient, sender);
  if (!contents) throw new PortalError('GONE');
  const isShared = contents.files.some((file) => file.documentId === documentId);
  const [file] = isShared && canBeShown(recipient) ? await bytesOf(sender, [documentId]) : [];
  if (!file) throw notFound();
  const asker = { person: recipient.recipient_id, firm: recipient.company_id };
  return { file, asker, recipient, visit };
}

/** Audits that a visitor viewed a document, once for each visit; on a full disk it is only logged. */
export async function noteShown(
  { company_id: companyId, recipient_id: actor, share_id: target }: Recipient,
  visit: string,
  documentId: string,
): Promise<void> {
  const note = async (): Promise<void> => {
    if (!(await startOnce(`link-view:${visit}:${documentId}`, VISIT))) return;
    await noteShare({ companyId, actor, action: 'share.view', target, details: { documents: 1 } });
  };
  if (!(await unlessStorageIsFull(() => inTransaction(note)))) log.warn({ event: 'document.view-not-noted' });
}

/** Page images are as good as a download, so a link with a limit of downloads has none. */
const canBeShown = (recipient: Recipient): boolean => recipient.max_downloads === null;

const pathOf = ({ folder }: { folder: readonly string[] }): string => folder.join('\n');

/** The bytes of a shared document, and its folders within the share. */
export type SharedBytes = DocumentBytes & { folder: readonly string[] };

/**
 * Returns the bytes of a shared document, or of all of them, to the visitor who opened the link; GONE if it
 * has ended since. A download is counted once, however it is split: all ranges of a document that a visit
 * requests count as one, and a download that has started can be completed even if it was the last one
 * allowed.
 */
export async function sharedBytes(
  token: string,
  visits: string | undefined,
  documentId?: string,
  { requestedPart = () => 'whole', belongsTo, through }: Fetching = {},
): Promise<SharedBytes[]> {
  const { recipient, visit } = await visitedLink(token, visits);
  const sender = await actorOf(recipient.sender_contact_id);
  const download = documentId === undefined ? undefined : `link-download:${visit}:${documentId}`;
  const goesOn = download !== undefined && (await hasStarted(download));
  const contents = await stillShared(goesOn ? { ...recipient, max_downloads: null } : recipient, sender);
  if (!contents) throw new PortalError('GONE');
  const wanted =
    documentId === undefined
      ? contents.files
      : contents.files.filter((file) => file.documentId === documentId);
  if (documentId !== undefined && wanted.length === 0) throw notFound();
  belongsTo?.(sender.companyId);
  through?.(recipient.recipient_id);
  const folderOf = new Map(wanted.map(({ documentId, folder }) => [documentId, folder]));
  const found = (await bytesOf(sender, [...folderOf.keys()])).map((file): SharedBytes => ({
    ...file,
    folder: folderOf.get(file.documentId) ?? [],
  }));
  const byFolder = Map.groupBy(found, pathOf);
  const bytes = [...new Set(wanted.map(pathOf))].flatMap((path) => byFolder.get(path) ?? []);
  const [first] = bytes;
  const asks =
    download !== undefined && first
      ? requestedPart({ size: first.size, etag: first.sha256 })
      : requestedPart({ size: 0, etag: '' });
  if (asks === 'headers' && isOver(recipient)) throw new PortalError('GONE');
  if (asks === 'whole' || (asks === 'part' && !goesOn)) await countDownload(recipient, bytes, asks, download);
  return bytes;
}

/**
 * Counts a download, audits it, and issues a receipt for each document; does nothing for a range of a
 * download that another one started.
 */
async function countDownload(
  recipient: Recipient,
  bytes: readonly SharedBytes[],
  asks: RequestedPart,
  download: string | undefined,
): Promise<void> {
  await inTransaction(async () => {
    const begins = download === undefined || (await startOnce(download, VISIT));
    if (!begins && asks === 'part') return;
    if (!(await takeDownload(recipient.recipient_id, recipient.max_downloads))) throw new PortalError('GONE');
    await recordDone([recipient.recipient_id]);
    const receipt = await issueReceipts({
      companyId: recipient.company_id,
      kind: 'download',
      actor: recipient.recipient_id,
      documents: bytes,
    });
    await noteShare({
      companyId: recipient.company_id,
      actor: recipient.recipient_id,
      action: 'share.download',
      target: recipient.share_id,
      details: { documents: bytes.length, ...receipt },
    });
  });
}

/** Asks the sender, once, for a new link to replace one that has ended. */
export async function askAgain(token: string, network: string): Promise<void> {
  await consumeForNetwork('share', network, 30, MINUTE);
  const recipient = await recipientByToken(token);
  if (!recipient) throw notFound();
  const sender = await actorOf(recipient.sender_contact_id);
  if (await stillShared(recipient, sender)) return; // it still works: there is nothing to request
  await inTransaction(async () => {
    if (!(await noteAskedAgain(recipient.recipient_id))) return;
    await linkRequested.announce({
      companyId: recipient.company_id,
      clientId: (await firstClientOf(recipient.share_id)) ?? null,
      recipientId: recipient.recipient_id,
      email: recipient.email,
      senderId: sender.contactId,
    });
    await mailSender('again', recipient, sender);
  });
}

const isOver = (recipient: Recipient): boolean =>
  recipient.revoked_at !== null ||
  recipient.link_revoked_at !== null ||
  recipient.expires_at <= now() ||
  (recipient.max_downloads !== null && recipient.downloads >= recipient.max_downloads);

/**
 * Resolves the current contents of a link; undefined unless it has not ended, the firm is not locked, and the
 * sender may enter the portal and see every document and folder that it names, of clients that are not
 * archived. The rights are those that the sender has now (threat-model.md T46).
 */
async function stillShared(
  recipient: Recipient,
  sender: Actor & { firmLocked: boolean },
): Promise<Contents | undefined> {
  if (isOver(recipient) || sender.firmLocked || !canAccessPortal(sender)) return undefined;
  if (await isOfArchivedClient(recipient.share_id)) return undefined;
  try {
    return await contentsOf(sender, await namedBy(recipient.share_id));
  } catch (error) {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
