import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { clientsOfDocuments } from '#features/documents/documents/documents.server.ts';
import { countFetched } from '#features/documents/downloads/allowance.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { NamedAddress } from '#platform/inputs/email-addresses.ts';
import type { Lang } from '#platform/text/languages.ts';
import { consume } from '#platform/security/limits.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { assertSendable, contentsOf, type Contents, type Named } from './contents.server.ts';
import { assertDomains } from './domains.server.ts';
import { shareMail } from './mails.server.ts';
import { EXPIRATION_DAYS, MAX_RECIPIENTS, type ExpirationPeriod } from './rules.ts';
import { shareRequest, type ShareAnswer, type ShareRequest } from './sharing.ts';
import { senderCompany } from './sender-company.server.ts';
import { noteShare } from './internal/store.server.ts';

const MAX_A_DAY = 100;

/** A share to be sent. `codeHash` is the argon2 hash of its code. */
export interface Sending {
  named: Named;
  recipients: readonly NamedAddress[];
  subject: string;
  message: string;
  expirationPeriod: ExpirationPeriod;
  codeHash: string | null;
  maxDownloads: number | null;
  lang: Lang;
}

/**
 * Shares documents by email. The mail is in the language of the page that the sender used. NOT_FOUND unless
 * the sender may see every document and folder; EMPTY for empty folders, TOO_LARGE beyond 2,000 documents;
 * TOO_MANY beyond 100 recipients a day; DOMAIN_NOT_ALLOWED if the firm does not allow a recipient's domain;
 * STEP_UP if `session` has exceeded the hourly download allowance.
 */
export async function shareDocuments(
  actor: Actor,
  input: ShareRequest,
  lang: Lang,
  session?: Session,
): Promise<ShareAnswer> {
  const { sharedItems, recipients, overrides, expirationPeriod, authorizationCode, maxDownloads } =
    shareRequest.parse(input);
  const unique = [
    ...new Map(
      recipients.map(({ emailAddress, name = '' }) => [emailAddress.toLowerCase(), { emailAddress, name }]),
    ).values(),
  ];
  const addresses = addressesOf(unique);
  const others = addresses.filter((address) => address.toLowerCase() !== actor.emailAddress.toLowerCase());
  const named: Named = {
    documentIds: [...new Set(sharedItems.flatMap(({ documentId }) => documentId ?? []))],
    containers: [
      ...new Map(
        sharedItems
          .filter(({ documentId }) => documentId === undefined)
          .map((item) => [item.containerId, item]),
      ).values(),
    ],
  };
  const contents = await contentsOf(actor, named);
  if (others.length > MAX_RECIPIENTS)
    throw new PortalError('INVALID', { field: 'recipients', most: MAX_RECIPIENTS });
  assertSendable(contents);
  await assertDomains(actor, addresses);
  if (session)
    await countFetched(
      session,
      contents.files.map(({ size }) => size),
    );
  await consume(`shares:${actor.contactId}`, MAX_A_DAY, DAY, addresses.length);
  const codeHash = authorizationCode === undefined ? null : await hashSecret(authorizationCode);
  return inTransaction(async () => {
    const current = await actorNow(actor);
    return sendLinks(current, await contentsOf(current, named), {
      named,
      recipients: unique,
      subject: overrides.subject,
      message: overrides.body,
      expirationPeriod,
      codeHash,
      maxDownloads: maxDownloads ?? null,
      lang,
    });
  });
}

const addressesOf = (recipients: readonly NamedAddress[]): string[] =>
  recipients.map(({ emailAddress }) => emailAddress);

/** Sends a share again to one of its recipients; it counts like any other. */
export async function sendOnceMore(actor: Actor, sending: Sending): Promise<ShareAnswer> {
  const contents = await contentsOf(actor, sending.named);
  assertSendable(contents);
  await assertDomains(actor, addressesOf(sending.recipients));
  await consume(`shares:${actor.contactId}`, MAX_A_DAY, DAY, sending.recipients.length);
  return sendLinks(actor, contents, sending);
}

/**
 * Creates a share, a link for each recipient, and their mails in one transaction, so that no link works
 * without its code and no mail is sent without its share.
 */
async function sendLinks(
  actor: Actor,
  { files, folders, clientIds }: Contents,
  { named, recipients, subject, message, expirationPeriod, codeHash, maxDownloads, lang }: Sending,
): Promise<ShareAnswer> {
  const firm = await firmOf(actor.companyId);
  const shareId = newId('share');
  const expiresAt = now() + EXPIRATION_DAYS[expirationPeriod] * DAY;
  const clients = [...new Set([...clientIds, ...(await clientsOfDocuments(named.documentIds))])];
  await db()
    .insertInto('shares')
    .values({
      share_id: shareId,
      company_id: actor.companyId,
      sender_contact_id: actor.contactId,
      subject: encryptFor('shares.subject', shareId, subject),
      message: encryptFor('shares.message', shareId, message),
      language: lang,
      code_hash: codeHash,
      created_at: now(),
      expires_at: expiresAt,
      revoked_at: null,
      max_downloads: maxDownloads,
    })
    .execute();
  const share = { share_id: shareId };
  if (named.documentIds.length > 0)
    await db()
      .insertInto('share_items')
      .values(named.documentIds.map((id) => ({ ...share, document_id: id })))
      .execute();
  if (named.containers.length > 0)
    await db()
      .insertInto('share_containers')
      .values(named.containers.map(({ containerId }) => ({ ...share, container_id: containerId })))
      .execute();
  await db()
    .insertInto('share_clients')
    .values(clients.map((id) => ({ ...share, client_id: id })))
    .execute();
  const company = await senderCompany(actor, firm, shareId);
  const single = files.filter(({ folder }) => folder.length === 0);
  const recipientIds = recipients.map(() => newId('recipient'));
  for (const [at, { emailAddress: address, name }] of recipients.entries()) {
    const [token, recipientId] = [newToken(), recipientIds[at] as string];
    await db()
      .insertInto('share_recipients')
      .values({
        ...share,
        recipient_id: recipientId,
        email: encryptFor('share_recipients.email', recipientId, address),
        name: name === '' ? null : encryptFor('share_recipients.name', recipientId, name),
        token_hash: sha256(token),
        opens: 0,
        first_opened_at: null,
        code_tries: 0,
        code_paused_until: null,
        asked_again_at: null,
      })
      .execute();
    await queueMail(
      shareMail({
        recipientId,
        clientId: clients.length === 1 ? clients[0] : undefined,
        actor,
        company,
        firm,
        to: address,
        subject,
        message,
        link: linkOf(lang, token),
        expiresAt,
        files: single,
        folders,
        count: files.length,
        needsCode: codeHash !== null,
        lang,
      }),
      recipientId,
    );
  }
  const receipt = await issueReceipts({
    companyId: actor.companyId,
    kind: 'share',
    actor: actor.contactId,
    documents: await bytesOf(
      actor,
      files.map(({ documentId }) => documentId),
    ),
  });
  await noteShare(
    {
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'share.send',
      target: shareId,
      details: { documents: files.length, recipients: recipients.length, ...receipt },
    },
    { documentIds: files.map(({ documentId }) => documentId), recipientIds },
  );
  return {
    shareId,
    expiresAt: new Date(expiresAt).toISOString(),
    recipients: recipients.map(({ emailAddress }) => ({ emailAddress, status: 'queued' as const })),
  };
}

const linkOf = (lang: Lang, token: string): string =>
  `${config.origin}/${config.base}/${lang}/share/${token}`;
