import { firmOf } from '#features/firms/firms.server.ts';
import { actorOf } from '#features/people/people.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { inTransaction } from '#platform/database.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { notificationSettingsOf } from '#platform/mail-delivery.server.ts';
import { isOptional } from '#platform/mail-kinds.ts';
import { firmMail, mailedPage } from '#platform/mail-layout.server.ts';
import { recordCanceled, takeHeldMails, type HeldMail } from '#platform/mail-log.server.ts';
import { queueMail, sendMail, type Mail } from '#platform/mail.server.ts';
import { translationsFor } from '#platform/translations.server.ts';

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
  const { turnedOff } = await notificationSettingsOf(contactId);
  if (isOptional(kind) && turnedOff.includes(kind)) {
    await recordCanceled([mail.key]);
    return 'gone';
  }
  const held = await takeHeldMails(mail.key);
  if (held === 'alone' || held === 'gone') return held;
  await queueMail(await mergedMail(mail, held), newId('held'));
  return 'merged';
}

/** One mail with everything that several would have said, each with its own link. */
async function mergedMail({ about, to, language, companyId = '' }: Mail, held: HeldMail[]): Promise<Mail> {
  const lang = languageOf(language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const [firm, reader] = [await firmOf(companyId), await actorOf(about.contactId ?? '')];
  const clients = new Set(held.map(({ clientId }) => clientId));
  const clientId = clients.size === 1 ? (held[0]?.clientId ?? undefined) : undefined;
  return firmMail({
    about: { ...about, clientId, targets: held.flatMap(({ targets }) => targets) },
    firm,
    to,
    lang,
    title: t('heldTitle', { count: held.length, firm: firm.name }),
    text: [t('heldText')],
    items: held.map(({ content }) => content),
    button: {
      label: t('heldButton'),
      link: mailedPage(lang, reader.staff ? 'staff/inbox' : 'documents', {
        companyId,
        ...(!reader.staff && { clientId }),
      }),
    },
    reason: held.at(-1)?.content.reason ?? '',
  });
}
