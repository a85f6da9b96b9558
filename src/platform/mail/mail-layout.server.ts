import { html, raw } from 'hono/html';
import { config } from '../runtime/config.server.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '../text/languages.ts';
import { newId } from '../security/crypto.server.ts';
import { checkCodeOf } from './check-codes.server.ts';
import { isOptional, isSecret } from './mail-kinds.server.ts';
import type { Mail, MailAbout, MailContent } from './mail.server.ts';
import { translationsFor } from '../text/translations.server.ts';
import { readLine } from '../inputs/text.ts';
import { shortAddress, shortLinkTo, type ShortLink } from './short-links.server.ts';
import { unsubscribeToken } from './unsubscribing.server.ts';

type Html = ReturnType<typeof html>;

/** The firm's details shown in a mail. */
interface MailFirm {
  companyId?: string;
  name: string;
  phone: string;
  email: string;
  theme: {
    logoUrl: string | null;
    headerLine1: string;
    headerFillColor: string;
    headerTextColor: string;
    buttonFillColor: string;
    buttonTextColor: string;
  };
}

interface FirmMail {
  about: MailAbout;
  firm: MailFirm;
  to: string;
  /** Defaults to the title. */
  subject?: string;
  lang: Lang;
  replyTo?: { name: string; address: string };
  /** Whom the recipient sees as the sender; by default the firm. */
  senderName?: string;
  title: string;
  /** The body as paragraphs of plain text. */
  text: string[];
  /** The HTML body, where it is more than these paragraphs. */
  body?: Html;
  /** Notifications that this mail contains, each with its own link. */
  items?: readonly MailContent[];
  button: { label: string; link: string };
  /** Less important links, after the button. */
  links?: readonly { label: string; link: string }[];
  /** Who sent it, and why the recipient gets it. */
  reason: string;
}

/*
 * The colors of a dark scheme, for mail programs that take styles from the head; all others show the light one. They have
 * to win over the styles of the elements. The firm's own colors stay.
 */
const DARK_STYLES = raw(`@media (prefers-color-scheme: dark) {
  .mail { background: #1a1815 !important; }
  .mail-card { background: #26231f !important; border-color: #403b34 !important; }
  .mail-card, .mail-card h1, .mail-card h2, .mail-card a { color: #ece8e1 !important; }
  .mail-card .mail-soft, .mail-card .mail-soft a { color: #b8b1a6 !important; border-color: #403b34 !important; }
}`);

/**
 * The URL of a page of the portal for a mail. It names the firm, and the client if any, so that it opens in
 * the right account of the reader (docs/decisions/0040). Based on the configuration, never on a request
 * (threat-model.md T34).
 */
export function mailedPage(
  lang: Lang,
  page: string,
  about: { companyId: string; clientId?: string | undefined; folder?: string },
): string {
  const { companyId: firm, clientId: client, folder } = about;
  const query = new URLSearchParams({
    firm,
    ...(client !== undefined && { client }),
    ...(folder !== undefined && { folder }),
  });
  return `${config.origin}/${config.base}/${lang}/${page}?${query}`;
}

/** The address of a page as people type it: a link here would be one to copy. */
const pageWithoutScheme = (lang: Lang, page: string): string =>
  `${config.origin.replace(/^https?:\/\//, '')}/${config.base}/${lang}/${page}`;

const namesFirm = (link: string): boolean => URL.parse(link)?.searchParams.has('firm') ?? false;

/** Adds the id of the mail to a link of {@link mailedPage}, to recognize that its recipient opened it. */
function withMailId(link: string, mailId: string): string {
  if (!namesFirm(link)) return link;
  const url = new URL(link);
  url.searchParams.set('mail', mailId);
  return url.href;
}

/** The page that turns off mails of this kind for their recipient; undefined for necessary ones. */
function unsubscribeUrl(lang: Lang, { kind, contactId }: MailAbout): string | undefined {
  if (!isOptional(kind) || contactId === undefined) return undefined;
  return `${config.origin}/${config.base}/${lang}/unsubscribe/${unsubscribeToken(contactId, kind)}`;
}

const itemHtml = ({ title, text, button }: MailContent): Html =>
  html`<h2 style="margin:24px 0 8px;font-size:16px;line-height:1.3">${title}</h2>
    ${text.map((line) => html`<p style="margin:0 0 8px">${line}</p>`)}
    <p style="margin:0 0 16px"><a href="${button.link}" style="color:#23211d">${button.label}</a></p>`;

const itemText = ({ title, text, button }: MailContent): string =>
  [title, ...text, `${button.label}: ${button.link}`].join('\n');

export const paragraph = (line: string): Html => html`<p style="margin:0 0 16px">${line}</p>`;

/**
 * Builds a mail with the firm's branding: one column, one button with its URL as text, and an equivalent text
 * part.
 */
export function firmMail({
  about,
  firm,
  to,
  lang,
  replyTo,
  senderName = firm.name,
  title,
  subject = title,
  text: lines,
  body = html`${lines.map(paragraph)}`,
  items = [],
  button: { label, link },
  links = [],
  reason,
}: FirmMail): Mail {
  const mailId = newId('mail');
  // what people typed could turn the direction of a subject in the list of a mail program; our own no-break spaces stay
  const subjectLine = subject.split('\u00A0').map(readLine).join('\u00A0');
  const shortLinks: ShortLink[] = [];
  /** What the mail has instead of an address of {@link mailedPage}, whose ids would take lines. */
  const shorten = (address: string): string => {
    const short = namesFirm(address) ? shortLinkTo(address) : undefined;
    if (!short) return address;
    shortLinks.push(short);
    return shortAddress(short);
  };
  const page = { label, link: withMailId(link, mailId) };
  const pages = items.map((item) => ({
    ...item,
    button: { ...item.button, link: withMailId(item.button.link, mailId) },
  }));
  const button = { label, link: shorten(page.link) };
  const included = pages.map((item) => ({
    ...item,
    button: { ...item.button, link: shorten(item.button.link) },
  }));
  const turnOffUrl = unsubscribeUrl(lang, about);
  const t = translationsFor(lang, 'mail');
  const turnOff = t('turnOff');
  const fallback = t('buttonFallback');
  const contact = [firm.name, firm.phone, firm.email].filter((part) => part !== '').join(' · ');
  const check = t('check', { code: checkCodeOf(mailId), address: pageWithoutScheme(lang, 'check') });
  const document = html`<!doctype html>
    <html lang="${LANGUAGES[lang]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>
          ${DARK_STYLES}
        </style>
        <title>${subjectLine}</title>
      </head>
      <body
        class="mail"
        style="margin:0;padding:24px 12px;background:#f5f3ef;color:#23211d;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"
      >
        <div style="display:none;max-height:0;overflow:hidden">${lines[0] ?? ''}</div>
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
          <tr>
            <td align="center">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                class="mail-card"
                style="max-width:560px;background:#ffffff;color:#23211d;border:1px solid #e2ded6;border-radius:6px"
              >
                <tr>
                  <td style="padding:24px">
                    <p
                      style="display:inline-block;margin:0 0 24px;padding:8px 12px;border-radius:6px;background:${firm.theme.headerFillColor};color:${firm.theme.headerTextColor};font-size:20px;font-weight:600"
                    >
                      ${firm.theme.logoUrl === null ? firm.theme.headerLine1 : html`<img src="${config.origin}${firm.theme.logoUrl}" alt="${firm.name}" height="40" style="display:block;height:40px;max-width:240px" />`}
                    </p>
                    <h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${title}</h1>
                    ${body} ${included.map(itemHtml)}
                    <p style="margin:24px 0">
                      <a
                        href="${button.link}"
                        style="display:inline-block;padding:12px 24px;border-radius:6px;background:${firm.theme.buttonFillColor};color:${firm.theme.buttonTextColor} !important;font-weight:600;text-decoration:none"
                        >${button.label}</a
                      >
                    </p>
                    ${links.map((each) => html`<p style="margin:0 0 16px"><a href="${each.link}" style="color:#23211d">${each.label}</a></p>`)}
                    <p class="mail-soft" style="margin:0 0 24px;font-size:13px;color:#5f5a52">
                      ${fallback}<br /><a href="${button.link}" style="color:#5f5a52;word-break:break-all"
                        >${button.link}</a
                      >
                    </p>
                    <p
                      class="mail-soft"
                      style="margin:0;padding-top:16px;border-top:1px solid #e2ded6;font-size:13px;color:#5f5a52"
                    >
                      ${reason}<br />${contact}${turnOffUrl === undefined ? '' : html`<br /><a href="${turnOffUrl}" style="color:#5f5a52">${turnOff}</a>`}
                    </p>
                    <p class="mail-soft" style="margin:8px 0 0;font-size:13px;color:#5f5a52">${check}</p>
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
  const footer = [
    reason,
    contact,
    ...(turnOffUrl === undefined ? [] : [`${turnOff}: ${turnOffUrl}`]),
    check,
  ].join('\n');
  const plain = [
    title,
    ...lines,
    ...included.map(itemText),
    `${button.label}: ${button.link}`,
    ...links.map((each) => `${each.label}: ${each.link}`),
    footer,
  ].join('\n\n');
  return {
    mailId,
    about,
    ...(!isSecret(about.kind) && {
      content: { title, text: [...lines, ...pages.map(itemText)], button: { label, link }, reason },
    }),
    shortLinks,
    to,
    from: { name: senderName },
    ...(replyTo && { replyTo }),
    subject: subjectLine,
    html: String(document),
    text: plain,
    language: LANGUAGES[lang],
    ...(turnOffUrl !== undefined && { unsubscribeUrl: turnOffUrl }),
    ...(firm.companyId !== undefined && { companyId: firm.companyId }),
  };
}

/** What a firm writes itself into an email, as plain text. */
export interface MailWords {
  subject: string;
  introduction: readonly string[];
}

/** The mail with words of the firm: with its subject, and its introduction between title and text. */
export function reworded(mail: Mail, { subject, introduction }: MailWords): Mail {
  const { content } = mail;
  if (!content) return mail; // its text is a secret
  const subjectLine = readLine(subject);
  const TITLE_END = '</h1>';
  const afterTitle = mail.html.indexOf(TITLE_END) + TITLE_END.length;
  const before = mail.html
    .slice(0, afterTitle)
    .replace(/<title>[^<]*</, () => `<title>${String(html`${subjectLine}`)}<`);
  return {
    ...mail,
    subject: subjectLine,
    html: `${before}${String(html`${introduction.map(paragraph)}`)}${mail.html.slice(afterTitle)}`,
    text: [content.title, ...introduction].join('\n\n') + mail.text.slice(content.title.length),
    content: { ...content, text: [...introduction, ...content.text] },
  };
}

/** The mail with the phrase by which its recipient recognizes emails of the portal, above the title. */
export function withPhrase(mail: Mail, phrase: string): Mail {
  const label = translationsFor(languageOf(mail.language) ?? DEFAULT_LANG, 'mail')('phrase');
  const line = html`<p class="mail-soft" style="margin:0 0 16px;font-size:13px;color:#5f5a52">
    ${label} <strong>${phrase}</strong>
  </p>`;
  const title = mail.html.indexOf('<h1');
  return {
    ...mail,
    html: `${mail.html.slice(0, title)}${String(line)}${mail.html.slice(title)}`,
    text: `${label} ${phrase}\n\n${mail.text}`,
  };
}
