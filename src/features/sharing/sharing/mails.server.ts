import { html } from 'hono/html';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { formatMoment, formatSize } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail, mailedPage, paragraph } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { senderParts } from './sender-company.server.ts';
import type { SharedFile } from './sharing.ts';

/** Names that can be in the header of a mail: nothing that could pass for an address or for another header. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N} .,'’&()/+-]{1,80}$/u;

interface ShareMail {
  recipientId: string;
  /** The client, if all documents are of one. */
  clientId: string | undefined;
  actor: Actor;
  /** Whom the recipient sees as the sender. */
  company: string;
  firm: Firm;
  to: string;
  subject: string;
  message: string;
  link: string;
  expiresAt: number;
  /** Single documents, and folders by name; `count` is the current total of documents. */
  files: SharedFile[];
  folders: readonly { name: string; count: number }[];
  count: number;
  needsCode: boolean;
  lang: Lang;
}

/**
 * The mail with a link. The sender's text is sent as plain text; the code, if there is one, is never in the
 * mail.
 */
export function shareMail({
  recipientId,
  clientId,
  actor,
  company,
  firm,
  to,
  subject,
  message,
  link,
  expiresAt,
  files,
  folders,
  count,
  needsCode,
  lang,
}: ShareMail): Mail {
  const t = translationsFor(lang, 'mail');
  const locale = LANGUAGES[lang];
  const s = translationsFor(lang, 'shares');
  const list = [
    ...folders.map((folder) => s('folderInMail', folder)),
    ...files.map((file) => `${file.name} (${formatSize(locale, file.size)})`),
  ];
  const shown = needsCode ? [] : list;
  const r = translationsFor(lang, 'sharing');
  const intro = r('recipientTitle', { company, count });
  const from = senderParts({ company, name: actor.fullName, firmName: firm.name }, r).join(' · ');
  const senderName = [
    company === actor.fullName ? company : `${actor.fullName} (${company})`,
    ...(company === firm.name ? [] : [r('recipientVia', { firm: firm.name })]),
  ].join(' ');
  const isPlain = [actor.fullName, company].every((name) => PLAIN_NAME.test(name));
  const until = t('shareUntil', { moment: formatMoment(locale, expiresAt, firm.timeZone) });
  const code = needsCode ? [t('shareCode', { sender: actor.fullName })] : [];
  const reason = t('shareReason', { sender: actor.fullName, email: actor.emailAddress });
  return firmMail({
    about: { kind: 'share', clientId, targets: [recipientId] },
    firm,
    to,
    subject,
    lang,
    ...(isPlain && { senderName }),
    replyTo: { name: actor.fullName, address: actor.emailAddress },
    title: intro,
    body: html`${from === '' ? '' : paragraph(from)}
    ${message.trim() === '' ? '' : html`<p style="margin:0 0 16px;padding:12px 16px;border-left:3px solid #c9c4bb;white-space:pre-line">${message}</p>`}
    ${
      shown.length === 0
        ? ''
        : html`<ul style="margin:0 0 16px;padding-left:20px">
            ${shown.map((line) => html`<li>${line}</li>`)}
          </ul>`
    }
    ${paragraph(`${until} ${code.join(' ')}`)}`,
    text: [from, message.trim(), ...shown.map((line) => `- ${line}`), until, ...code].filter(
      (line) => line !== '',
    ),
    button: { label: t('shareButton'), link },
    reason,
  });
}

/** The facts about a link in a mail to its sender: its recipient, and one client of the share. */
interface AboutShare {
  email: string;
  subject: string;
  clientId: string | undefined;
  /** When it happened. */
  at: number;
}

const SENDER_MAILS = { opened: 'share-opened', again: 'share-request', asleep: 'security' } as const;

/**
 * A mail to the sender about a link: its recipient opened it for the first time (`opened`) or requests a new one
 * (`again`), or it is disabled after too many wrong codes (`asleep`).
 */
export function senderMail(
  kind: keyof typeof SENDER_MAILS,
  firm: Firm,
  sender: Actor,
  share: AboutShare,
): Mail {
  const lang = languageOf(sender.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const title = t(`${kind}Title`, { email: share.email });
  const moment = formatMoment(LANGUAGES[lang], share.at, firm.timeZone);
  const line = t(`${kind}Text`, { subject: share.subject, moment });
  return firmMail({
    about: {
      kind: SENDER_MAILS[kind],
      contactId: sender.contactId,
      clientId: share.clientId,
    },
    firm,
    to: sender.emailAddress,
    lang,
    title,
    text: [line],
    button: {
      label: translationsFor(lang, 'shares')('mailButton'),
      link: mailedPage(lang, 'shares', { companyId: firm.companyId, clientId: share.clientId }),
    },
    reason: t('againReason'),
  });
}
