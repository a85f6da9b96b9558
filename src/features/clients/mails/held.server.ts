import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import {
  isTurnedOff,
  notificationSettingsOf,
  type NotificationSettings,
} from '#platform/mail/mail-delivery.server.ts';
import { DAILY_MAIL, isOptional } from '#platform/mail/mail-kinds.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { recordCanceled, takeHeldMails, type HeldMail } from '#platform/mail/mail-log.server.ts';
import { queueHeldMail, sendMail, type Mail, type MailContent } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

type QueuedMail = Mail & { key: string };

/**
 * The job of a mail that waited for the end of its recipient's quiet hours: sends it, or one mail with all of its
 * kind that waited; nothing if the recipient has turned it off since.
 */
export async function sendHeldMail(payload: unknown, attempt: { isLast: boolean }): Promise<void> {
  const mail = payload as QueuedMail;
  let result = await inTransaction(() => takeOut(mail));
  while (result === 'merged') result = await inTransaction(() => takeOut(mail));
  if (result === 'alone') await sendMail(mail, attempt);
}

async function takeOut(mail: QueuedMail): Promise<'alone' | 'gone' | 'merged'> {
  const { kind, contactId = '' } = mail.about;
  const settings = await notificationSettingsOf(contactId);
  if (isOptional(kind) && isTurnedOff(settings, kind)) {
    await recordCanceled([mail.key]);
    return 'gone';
  }
  const held = await takeHeldMails(mail.key, settings.daily);
  if (held === 'alone' || held === 'gone') return held;
  await queueHeldMail(await mergedMail(mail, held, settings), newId('held'));
  return 'merged';
}

/** How many of them a mail lists. */
const MAX_LISTED = 50;

/**
 * One mail with everything that several would have said, each with its own link: those of one kind after quiet hours, or
 * all of a day, ordered by client.
 */
async function mergedMail(
  { about, to, language, companyId = '' }: Mail,
  held: readonly HeldMail[],
  { daily }: NotificationSettings,
): Promise<Mail> {
  const lang = languageOf(language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const [firm, reader] = [await firmOf(companyId), await actorOf(about.contactId ?? '')];
  const isDaily = isOptional(about.kind) && daily.includes(about.kind);
  const items = await itemsOf(held);
  const clients = new Set(held.map(({ clientId }) => clientId));
  const clientId = clients.size === 1 ? (held[0]?.clientId ?? undefined) : undefined;
  const left = held.length - MAX_LISTED;
  return firmMail({
    about: {
      ...about,
      kind: isDaily ? DAILY_MAIL : about.kind,
      clientId,
      targets: held.flatMap(({ targets }) => targets),
    },
    firm,
    to,
    lang,
    title: t(isDaily ? 'dailyTitle' : 'heldTitle', { count: held.length, firm: firm.name }),
    text: [t(isDaily ? 'dailyText' : 'heldText'), ...(left > 0 ? [t('heldMore', { count: left })] : [])],
    items: items.slice(0, MAX_LISTED),
    button: {
      label: t(isDaily ? 'dailyButton' : 'heldButton'),
      link: mailedPage(lang, isDaily ? 'notifications' : reader.staff ? 'staff/inbox' : 'documents', {
        companyId,
        ...(!reader.staff && { clientId }),
      }),
    },
    reason: isDaily ? t('dailyReason', { firm: firm.name }) : (held.at(-1)?.content.reason ?? ''),
  });
}

/** What the mails said, by client, whose name stands before it if there are several. */
async function itemsOf(held: readonly HeldMail[]): Promise<MailContent[]> {
  const byClient = Map.groupBy(held, ({ clientId }) => clientId ?? '');
  if (byClient.size < 2) return held.map(({ content }) => content);
  const names = new Map(
    (
      await db()
        .selectFrom('clients')
        .select(['client_id', 'name'])
        .where('client_id', 'in', [...byClient.keys()])
        .execute()
    ).map((row) => [row.client_id, row.name]),
  );
  return [...byClient].flatMap(([id, mails]) =>
    mails.map(({ content }) => {
      const name = names.get(id);
      return name === undefined ? content : { ...content, title: `${name}: ${content.title}` };
    }),
  );
}
