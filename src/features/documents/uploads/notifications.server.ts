import { html } from 'hono/html';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { assertActsFor, readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail, mailedPage, paragraph } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { postponeNotification, scheduleNotification } from '#platform/mail/notices.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { documentsAnnounced } from './events.server.ts';
import type { UploadNotice } from './notifications.ts';
import { CONTAINER_TYPES } from '#features/documents/folders/folders.ts';
import { folderTitle } from '#features/documents/folders/titles.server.ts';
import { containersOf } from '#features/documents/folders/scope.server.ts';
import { documentsNamed } from '#features/documents/documents/scope.server.ts';

/*
 * Uploads are announced to the other side: those by the client's contacts to the staff of the firm, those by
 * staff to the contacts. The server does it for every kind of upload: a mail is sent when nothing more has
 * been uploaded to a container for a while, and names all new documents. Its recipients depend on the client
 * only, never on a request. Uploads to a container within five minutes of a mail wait for the next, and no
 * document is announced twice.
 */

/**
 * How long nothing more must be uploaded before a mail is sent; a continuous series is announced after {@link
 * PAUSE} at the latest.
 */
const QUIET = 30 * SECOND;
const PAUSE = 5 * MINUTE;
const MAX_NAMED = 20;

interface UploadNotifications {
  container_id: string;
  by_staff: 0 | 1;
}

/**
 * Schedules the notification about documents that the actor just uploaded, and returns how many of them were
 * not announced yet; for uploads with `notify=false`. NOT_FOUND for a container that the actor may not see.
 */
export async function noticeOf(
  actor: Actor,
  { containerType, containerId, documentIds }: UploadNotice,
): Promise<number> {
  const place = await containersOf(actor).where('container_id', '=', containerId).executeTakeFirst();
  // nothing was uploaded yet
  if (!place && containerType === 'Client') await assertActsFor(actor, containerId);
  if (place ? CONTAINER_TYPES[place.container_type] !== containerType : containerType !== 'Client')
    throw notFound();
  if (!place) return 0;
  return inTransaction(async () => {
    const seen = await documentsNamed(actor, documentIds);
    const own = seen.filter(
      (row) =>
        row.created_by === actor.contactId &&
        row.client_id === place.client_id &&
        row.created_at > now() - DAY,
    );
    return announceUploads(
      actor,
      containerId,
      own.map((row) => row.document_id),
    );
  });
}

/**
 * Schedules the notification about documents that the actor adds to a container, in the open transaction:
 * stored documents are announced even if the connection breaks right after, with what the actor says about them.
 * Returns how many of them were not announced yet.
 */
export async function announceUploads(
  actor: Pick<Actor, 'staff' | 'companyId' | 'contactId'>,
  containerId: string,
  documentIds: readonly string[],
  { message = '' }: { message?: string } = {},
): Promise<number> {
  const arrivals: UploadNotifications = { container_id: containerId, by_staff: actor.staff ? 1 : 0 };
  const announced: string[] = [];
  for (const some of inBatches(documentIds)) {
    const values = some.map((documentId) => ({
      ...arrivals,
      document_id: documentId,
      company_id: actor.companyId,
      created_by: actor.contactId,
      message: message === '' ? null : encryptFor('upload_notices.message', documentId, message),
      created_at: now(),
      told_at: null,
    }));
    const added = db().insertInto('upload_notices').values(values);
    const once = added.onConflict((conflict) => conflict.column('document_id').doNothing());
    const rows = await once.returning('document_id').execute();
    announced.push(...rows.map((row) => row.document_id));
  }
  if (announced.length > 0) {
    const { companyId, staff } = actor;
    await documentsAnnounced.announce({ companyId, documentIds: announced, byStaff: staff });
    await scheduleNotification({ ...noticeAbout(arrivals, companyId), quiet: QUIET, pause: PAUSE });
  }
  return announced.length;
}

const noticeAbout = (arrivals: UploadNotifications, companyId: string) => ({
  kind: 'uploads',
  key: `uploads:${arrivals.container_id}:${arrivals.by_staff}`,
  payload: arrivals,
  companyId,
});

/** The job that sends the pending notifications. */
export const sendUploadMails = (payload: unknown): Promise<void> =>
  inTransaction(() => tellWhenQuiet(payload as UploadNotifications));

/** Notifies the others, or waits while more is being uploaded. */
async function tellWhenQuiet(arrivals: UploadNotifications): Promise<void> {
  const newest = await waitingNotices(arrivals)
    .select(
      (e) => ['company_id', e.fn.max('created_at').as('last'), e.fn.min('created_at').as('first')] as const,
    )
    .groupBy('company_id')
    .executeTakeFirst();
  const isComing = newest && newest.last > now() - QUIET && newest.first > now() - PAUSE;
  if (isComing) await postponeNotification(noticeAbout(arrivals, newest.company_id), newest.last + QUIET);
  else await tellOthers(arrivals);
}

const waitingNotices = ({ container_id: containerId, by_staff: byStaff }: UploadNotifications) =>
  db()
    .selectFrom('upload_notices')
    .where('upload_notices.container_id', '=', containerId)
    .where('upload_notices.by_staff', '=', byStaff)
    .where('upload_notices.told_at', 'is', null);

async function tellOthers(arrivals: UploadNotifications): Promise<void> {
  const { container_id: containerId, by_staff: byStaff } = arrivals;
  const rows = await waitingNotices(arrivals)
    .innerJoin('documents', 'documents.document_id', 'upload_notices.document_id')
    .innerJoin('contacts', 'contacts.contact_id', 'upload_notices.created_by')
    .select([
      'documents.document_id',
      'documents.name',
      'documents.deleted_at',
      'contacts.full_name',
      'upload_notices.message',
    ])
    .orderBy('documents.name_key')
    .execute();
  await db()
    .updateTable('upload_notices')
    .set({ told_at: now() })
    .where('container_id', '=', containerId)
    .where('by_staff', '=', byStaff)
    .where('told_at', 'is', null)
    .execute();
  const there = rows.filter((row) => row.deleted_at === null);
  const place = await db()
    .selectFrom('containers')
    .innerJoin('clients', 'clients.client_id', 'containers.client_id')
    .select([
      'containers.container_id',
      'containers.container_type',
      'containers.product_type',
      'containers.name',
      'containers.company_id',
      'clients.client_id',
      'clients.name as client_name',
    ])
    .where('container_id', '=', containerId)
    .executeTakeFirst();
  if (there.length === 0 || !place) return;
  const firm = await firmOf(place.company_id);
  const notification: Notification = {
    firm,
    place,
    documentIds: there.map((row) => row.document_id),
    files: there.map((row) => row.name),
    names: [...new Set(there.map((row) => row.full_name))],
    messages: messagesOf(there),
  };
  for (const reader of await readersOf(place.company_id, place.client_id, byStaff ? 'contacts' : 'staff'))
    await queueMail(uploadNotificationMail(notification, reader), newId('notice'));
}

interface Message {
  name: string;
  text: string;
}

/** Each message once, with who wrote it. */
function messagesOf(
  rows: readonly { document_id: string; full_name: string; message: string | null }[],
): Message[] {
  const all = rows.flatMap(({ document_id: id, full_name: name, message }) =>
    message === null ? [] : [{ name, text: decryptFrom('upload_notices.message', id, message) }],
  );
  return [...new Map(all.map((message) => [`${message.name}\n${message.text}`, message])).values()];
}

interface Notification {
  firm: Firm;
  place: {
    container_id: string;
    container_type: keyof typeof CONTAINER_TYPES;
    product_type: string | null;
    name: string;
    client_id: string;
    client_name: string;
  };
  documentIds: readonly string[];
  files: readonly string[];
  /** The uploaders. */
  names: readonly string[];
  /** What they say to the readers. */
  messages: readonly Message[];
}

function uploadNotificationMail(
  { firm, place, documentIds, files, names, messages }: Notification,
  reader: Actor,
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'notes');
  const count = files.length;
  // Names a single document, and counts several.
  const [key, keyForStaff] =
    count === 1
      ? (['uploadsTitleNamed', 'uploadsTitleNamedStaff'] as const)
      : (['uploadsTitle', 'uploadsTitleStaff'] as const);
  const vars = { count, name: files[0] ?? '', client: place.client_name, firm: firm.name };
  const title = t(reader.staff ? keyForStaff : key, vars);
  const who = {
    names: new Intl.ListFormat(LANGUAGES[lang], { type: 'conjunction' }).format(names),
    folder: folderTitle(lang, reader.staff, { name: place.name, productType: place.product_type }),
    client: place.client_name,
  };
  // what is in no folder is only for the client
  const isAtTop = place.container_type === 'client';
  const [uploaded, published] = isAtTop
    ? (['uploadsTextAtTop', 'uploadsTextPublishedAtTop'] as const)
    : (['uploadsText', 'uploadsTextPublished'] as const);
  const line = t(reader.staff ? uploaded : published, who);
  const list = [
    ...files.slice(0, MAX_NAMED),
    ...(count > MAX_NAMED ? [t('uploadsMore', { count: count - MAX_NAMED })] : []),
  ];
  const about = { companyId: firm.companyId, clientId: place.client_id };
  const folder = isAtTop ? {} : { folder: place.container_id };
  return firmMail({
    about: {
      kind: 'documents',
      contactId: reader.contactId,
      clientId: place.client_id,
      // staff have no read marks
      targets: reader.staff ? [] : documentIds.slice(0, MAX_NAMED),
    },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    body: html`${paragraph(line)}
      ${messages.map(
        ({ name, text }) =>
          html`<p style="margin:0 0 4px">${t('uploadsMessage', { name })}</p>
            <p style="margin:0 0 16px;padding:12px 16px;border-left:3px solid #c9c4bb;white-space:pre-line">
              ${text}
            </p>`,
      )}
      <ul style="margin:0 0 16px;padding-left:20px">
        ${list.map((name) => html`<li>${name}</li>`)}
      </ul>`,
    text: [
      line,
      ...messages.map(({ name, text }) => `${t('uploadsMessage', { name })}\n${text}`),
      ...list.map((name) => `- ${name}`),
    ],
    button:
      count === 1
        ? { label: t('uploadsButtonOne'), link: mailedPage(lang, `documents/${documentIds[0]}`, about) }
        : { label: t('uploadsButton'), link: mailedPage(lang, 'documents', { ...about, ...folder }) },
    reason: reader.staff ? t('mailReasonStaff', { firm: firm.name }) : t('mailReason', { firm: firm.name }),
  });
}
