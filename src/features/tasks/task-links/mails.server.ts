import { html } from 'hono/html';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail, mailedPage, paragraph } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

interface AskMail {
  linkId: string;
  clientId: string;
  sender: Actor;
  firm: Firm;
  to: { name: string; address: string };
  task: string;
  message: string;
  link: string;
  expiresAt: number;
  lang: Lang;
}

/** Asks somebody without an account to answer a step. The code is not in it, and the message is plain text. */
export function askMail(mail: AskMail): Mail {
  const { linkId, clientId, sender, firm, to, task, message, link, expiresAt, lang } = mail;
  const t = translationsFor(lang, 'task-links');
  const intro = t('mailIntro', { sender: sender.fullName, firm: firm.name, task });
  const until = t('mailUntil', { moment: formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone) });
  const code = t('mailCode', { sender: sender.fullName });
  return firmMail({
    about: { kind: 'share', clientId, targets: [linkId] },
    firm,
    to: to.address,
    lang,
    replyTo: { name: sender.fullName, address: sender.emailAddress },
    title: t('mailTitle', { sender: sender.fullName }),
    body: html`${paragraph(t('mailGreeting', { name: to.name }))} ${paragraph(intro)}
    ${message === '' ? '' : html`<p style="margin:0 0 16px;padding:12px 16px;border-left:3px solid #c9c4bb;white-space:pre-line">${message}</p>`}
    ${paragraph(`${until} ${code}`)}`,
    text: [t('mailGreeting', { name: to.name }), intro, message, until, code].filter((line) => line !== ''),
    button: { label: t('mailButton'), link },
    reason: t('mailReason', { sender: sender.fullName, email: sender.emailAddress }),
  });
}

interface AnsweredMail {
  reader: Actor;
  firm: Firm;
  person: string;
  count: number;
  taskId: string;
  clientId: string;
  title: (lang: Lang) => string;
}

/** Tells the contact that the person answered. */
export function answeredMail({ reader, firm, person, count, taskId, clientId, title }: AnsweredMail): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'task-links');
  return firmMail({
    about: {
      kind: 'task',
      contactId: reader.contactId,
      clientId,
      targets: [`task:${taskId}`],
      notification: 'answers-proposed',
    },
    firm,
    to: reader.emailAddress,
    lang,
    title: t('answeredTitle', { person, count }),
    text: [t('answeredText', { task: title(lang) })],
    button: {
      label: t('answeredButton'),
      link: mailedPage(lang, `tasks/clients/${clientId}/task/${taskId}/ask`, {
        companyId: firm.companyId,
        clientId,
      }),
    },
    reason: t('answeredReason', { person }),
  });
}
