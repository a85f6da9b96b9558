import { html } from 'hono/html';
import { firmOf } from '#features/firms/firms.server.ts';
import type { Firm } from '#features/firms/firms.ts';
import { assertActsFor, readersOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { DAY, MINUTE, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { db, inPieces, inTransaction } from '#platform/database.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { handle } from '#platform/jobs.server.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/languages.ts';
import { firmMail, paragraph } from '#platform/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail.server.ts';
import { tellSoon } from '#platform/notices.server.ts';
import { wordsFor } from '#platform/words.server.ts';
import type { UploadNotice } from './arrivals.ts';
import { CONTAINER_TYPES, type Document } from './documents.ts';
import { containersOf, documentsNamed } from './store.server.ts';

/*
 * The other side is told of what was handed in: the staff of the firm by the client's people, the client's people by staff. To whom a
 * mail goes follows from the client alone, never from a request (security.md section 2). What comes into one container within five
 * minutes of a mail stands together in the next, and of no document anybody is told twice.
 */

const PAUSE = 5 * MINUTE;
const MOST_NAMED = 20;

interface Arrivals {
  container_id: string;
  by_staff: 0 | 1;
}

/** Lets the other side be told of documents that the actor just handed in, and answers of how many. NOT_FOUND for a container that the actor may not see. */
export async function noticeOf(actor: Actor, { containerType, containerId, documentIds }: UploadNotice): Promise<number> {
  const place = await containersOf(actor).where('container_id', '=', containerId).executeTakeFirst();
  if (!place && containerType === 'Client') await assertActsFor(actor, containerId); // nothing was handed in yet
  if (place ? CONTAINER_TYPES[place.container_type] !== containerType : containerType !== 'Client') throw notFound();
  if (!place) return 0;
  const by = { created_by: actor.contactId, by_staff: actor.staff ? 1 : 0 } as const;
  return inTransaction(async () => {
    const own = (await documentsNamed(actor, documentIds)).filter((row) => row.created_by === actor.contactId && row.client_id === place.client_id && row.created_at > now() - DAY);
    let documents = 0;
    for (const some of inPieces(own)) {
      const rows = some.map((row) => ({ document_id: row.document_id, company_id: row.company_id, container_id: containerId, ...by, created_at: now(), told_at: null }));
      documents += (await db().insertInto('upload_notices').values(rows).onConflict((conflict) => conflict.column('document_id').doNothing()).returning('document_id').execute()).length;
    }
    const payload: Arrivals = { container_id: containerId, by_staff: by.by_staff };
    if (documents > 0) await tellSoon({ kind: 'uploads', key: `uploads:${containerId}:${by.by_staff}`, payload, companyId: actor.companyId, pause: PAUSE });
    return documents;
  });
}

/** The same for documents of one upload, which lie in one container. */
export async function announceUploads(actor: Actor, documents: readonly Document[]): Promise<void> {
  const [first] = documents;
  if (first) await noticeOf(actor, { containerType: first.parent.containerType, containerId: first.parent.id, documentIds: documents.map(({ id }) => id) });
}

handle('uploads', (payload) => inTransaction(() => tellOthers(payload as Arrivals)));

async function tellOthers({ container_id: containerId, by_staff: byStaff }: Arrivals): Promise<void> {
  const waiting = db().selectFrom('upload_notices').where('upload_notices.container_id', '=', containerId).where('by_staff', '=', byStaff).where('told_at', 'is', null);
  const rows = await waiting
    .innerJoin('documents', 'documents.document_id', 'upload_notices.document_id')
    .innerJoin('contacts', 'contacts.contact_id', 'upload_notices.created_by')
    .select(['documents.name', 'documents.deleted_at', 'contacts.full_name'])
    .orderBy('documents.name_key')
    .execute();
  await db().updateTable('upload_notices').set({ told_at: now() }).where('container_id', '=', containerId).where('by_staff', '=', byStaff).where('told_at', 'is', null).execute();
  const there = rows.filter((row) => row.deleted_at === null);
  const place = await db()
    .selectFrom('containers')
    .innerJoin('clients', 'clients.client_id', 'containers.client_id')
    .select(['containers.container_id', 'containers.container_type', 'containers.name', 'containers.company_id', 'clients.client_id', 'clients.name as client_name'])
    .where('container_id', '=', containerId)
    .executeTakeFirst();
  if (there.length === 0 || !place) return;
  const firm = await firmOf(place.company_id);
  const letter: Letter = { firm, place, files: there.map((row) => row.name), names: [...new Set(there.map((row) => row.full_name))] };
  for (const reader of await readersOf(place.company_id, place.client_id, byStaff ? 'contacts' : 'staff')) await queueMail(arrivalMail(letter, reader), newId('notice'));
}

interface Letter {
  firm: Firm;
  place: { container_id: string; container_type: keyof typeof CONTAINER_TYPES; name: string; client_id: string; client_name: string };
  files: readonly string[];
  /** Who handed them in. */
  names: readonly string[];
}

function arrivalMail({ firm, place, files, names }: Letter, reader: Actor): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = wordsFor(lang, 'notes');
  const count = files.length;
  const title = reader.staff ? t('uploadsTitleStaff', { count, client: place.client_name }) : t('uploadsTitle', { count, firm: firm.name });
  const line = t('uploadsText', { names: new Intl.ListFormat(LANGUAGES[lang], { type: 'conjunction' }).format(names), folder: place.name, client: place.client_name });
  const list = [...files.slice(0, MOST_NAMED), ...(count > MOST_NAMED ? [t('uploadsMore', { count: count - MOST_NAMED })] : [])];
  const query = new URLSearchParams({ client: place.client_id, ...(place.container_type !== 'client' && { folder: place.container_id }) });
  return firmMail({
    firm,
    to: reader.emailAddress,
    lang,
    title,
    body: html`${paragraph(line)}<ul style="margin:0 0 16px;padding-left:20px">${list.map((name) => html`<li>${name}</li>`)}</ul>`,
    text: [line, ...list.map((name) => `- ${name}`)],
    button: { label: t('uploadsButton'), link: `${config.origin}/${config.base}/${lang}/documents?${query}` },
    reason: reader.staff ? t('mailReasonStaff') : t('mailReason', { firm: firm.name }),
  });
}
