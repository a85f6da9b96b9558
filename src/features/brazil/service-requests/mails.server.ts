import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { DEFAULT_LANG, LANGUAGES, languageOf, type Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { seesRequests, visibleTypes } from './access.server.ts';
import type { RequestAction } from './course.ts';
import type { LapseStage } from './deadlines.ts';
import type { RequestRow } from './scope.server.ts';
import { shownNumber } from './service-requests.ts';

/*
 * The other side is notified of each step, in each recipient's language. A mail has the number and the kind of the request
 * and nothing of its content, since mails are not encrypted.
 */

/** What a mail about a request is about: it is done when its reader has opened the request. */
export const aboutRequest = (requestId: string): string => `service-request:${requestId}`;

type Key = KeysOf<'service-requests'>;

/** What a mail says, by what has happened. */
const TITLES = {
  submit: 'mailSubmitted',
  'submit-minimum': 'mailMinimum',
  'submit-rest': 'mailRest',
  resubmit: 'mailCorrected',
  answer: 'mailAnswered',
  reopen: 'mailReopened',
  cancel: 'mailCanceled',
  message: 'mailMessage',
  ask: 'mailQuestion',
  return: 'mailReturned',
  reply: 'mailReplied',
  decline: 'mailDeclined',
} as const satisfies Partial<Record<RequestAction | 'message', Key>>;

type Told = keyof typeof TITLES;

const LAPSES = { half: 'mailLapses', soon: 'mailLapses', over: 'mailLapsed' } as const satisfies Record<
  LapseStage,
  Key
>;

/** Reminds the client that a request will lapse, or tells both sides that it has, in the open transaction. */
export async function notifyOfLapse(row: RequestRow, stage: LapseStage): Promise<void> {
  const { company_id: companyId, client_id: clientId, request_id: id } = row;
  const context = { ...(await namesOf(row)), titleKey: LAPSES[stage] };
  for (const side of stage === 'over' ? (['contacts', 'staff'] as const) : (['contacts'] as const))
    for (const reader of await readersOf(companyId, clientId, side))
      if (isReader(reader, row))
        await queueMail(
          mailTo(reader, row, context),
          `service-request:${id}:${row.lapses_on ?? ''}:${stage}:${reader.contactId}`,
        );
}

/** The firm and the client of a request. */
async function namesOf({ company_id: companyId, client_id: clientId }: RequestRow) {
  const { name: client } = await db()
    .selectFrom('clients')
    .select('name')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return { firm: await firmOf(companyId), client };
}

const isTold = (kind: string): kind is Told => Object.hasOwn(TITLES, kind);

/** Notifies the other side of what somebody did with a request, in the open transaction. */
export async function notifyOtherSide(
  actor: Actor,
  row: RequestRow,
  { kind, messageId }: { kind: RequestAction | 'message'; messageId: string },
): Promise<void> {
  if (!isTold(kind)) return;
  const { company_id: companyId, client_id: clientId } = row;
  const context = { ...(await namesOf(row)), titleKey: TITLES[kind] };
  const readers = await readersOf(companyId, clientId, actor.staff ? 'contacts' : 'staff');
  for (const reader of readers.filter((each) => isReader(each, row)))
    await queueMail(mailTo(reader, row, context), `service-request:${messageId}:${reader.contactId}`);
}

/** Whether somebody can open the request. */
export const isReader = (reader: Actor, { type }: Pick<RequestRow, 'type'>): boolean =>
  reader.staff ||
  (seesRequests(reader) && hasPart(reader.access, 'actions') && visibleTypes(reader).includes(type));

type MailTitle = (typeof TITLES)[Told] | (typeof LAPSES)[LapseStage];

function mailTo(
  reader: Actor,
  row: RequestRow,
  { firm, client, titleKey }: { firm: Firm; client: string; titleKey: MailTitle },
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'service-requests');
  const { company_id: companyId, client_id: clientId, request_id: id } = row;
  const page = reader.staff ? `staff/service-requests/${id}` : `actions/service-request/requests/${id}`;
  return firmMail({
    about: { kind: 'service-request', contactId: reader.contactId, clientId, targets: [aboutRequest(id)] },
    firm,
    to: reader.emailAddress,
    lang,
    title: t(titleKey, {
      number: shownNumber(Number(row.year), Number(row.number)),
      firm: firm.name,
      date: row.lapses_on === null ? '' : dayIn(lang, row.lapses_on),
    }),
    text: [t('mailText', { type: t(`type_${row.type}`), client })],
    button: { label: t('mailButton'), link: mailedPage(lang, page, { companyId, clientId }) },
    reason: t(reader.staff ? 'mailReasonStaff' : 'mailReason', { firm: firm.name }),
  });
}

/** The subject of a reminder of so many requests. */
export const reminderSubject = (lang: Lang, firm: Pick<Firm, 'name'>, count: number): string =>
  translationsFor(lang, 'service-requests')('mailReminder', { count, firm: firm.name });

/**
 * Reminds a contact of requests of one client that wait for them, in one mail, in the open transaction. False if they have
 * turned off mails about requests.
 */
export async function remindReader(reader: Actor, rows: readonly RequestRow[]): Promise<boolean> {
  const [first] = rows;
  if (!first) return false;
  const { company_id: companyId, client_id: clientId, request_id: id } = first;
  const { firm, client } = await namesOf(first);
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'service-requests');
  const page =
    rows.length === 1 ? `actions/service-request/requests/${id}` : 'actions/service-request/requests';
  const delivery = await queueMail(
    firmMail({
      about: {
        kind: 'service-request',
        contactId: reader.contactId,
        clientId,
        targets: rows.map((row) => aboutRequest(row.request_id)),
      },
      firm,
      to: reader.emailAddress,
      lang,
      title: reminderSubject(lang, firm, rows.length),
      text: [t('mailReminderText', { client }), ...rows.map((row) => waitingLine(row, lang))],
      button: {
        label: t(rows.length === 1 ? 'mailButton' : 'mailReminderButton'),
        link: mailedPage(lang, page, { companyId, clientId }),
      },
      reason: t('mailReason', { firm: firm.name }),
    }),
    `service-request-reminder:${id}:${now()}:${reader.contactId}`,
  );
  return delivery.kind !== 'turned-off';
}

/** A request that waits for its client, and until when. */
function waitingLine(row: RequestRow, lang: Lang): string {
  const t = translationsFor(lang, 'service-requests');
  const title = t('requestTitle', {
    type: t(`type_${row.type}`),
    number: shownNumber(Number(row.year), Number(row.number)),
  });
  if (row.lapses_on === null) return title;
  return t('mailReminderLine', { title, date: dayIn(lang, row.lapses_on) });
}

const dayIn = (lang: Lang, day: string): string => formatDate(LANGUAGES[lang], `${day}T00:00:00Z`, 'UTC');
