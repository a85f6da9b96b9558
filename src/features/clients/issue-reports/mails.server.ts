import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Confirms a report to its author, with its code. */
export function confirmationMail(firm: Firm, author: Actor, code: string, description: string): Mail {
  return mailTo(firm, author, code, (t) => ({
    title: t('mailConfirmTitle', { code }),
    text: [t('mailConfirmText', { code }), quoted(description)],
  }));
}

/** Tells the author what the firm answers. */
export function answerMail(firm: Firm, author: Actor, code: string, answer: string): Mail {
  return mailTo(firm, author, code, (t) => ({
    title: t('mailAnswerTitle', { code }),
    text: [t('mailAnswerText', { firm: firm.name, code }), answer],
  }));
}

const quoted = (text: string): string => `“${text.length > 300 ? `${text.slice(0, 299)}…` : text}”`;

function mailTo(
  firm: Firm,
  author: Actor,
  code: string,
  content: (t: ReturnType<typeof translationsFor<'issues'>>) => { title: string; text: string[] },
): Mail {
  const lang = languageOf(author.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'issues');
  return firmMail({
    about: { kind: 'issue', contactId: author.contactId },
    firm,
    to: author.emailAddress,
    lang,
    ...content(t),
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, `help/report/${code}`, { companyId: firm.companyId }),
    },
    reason: t('mailReason', { firm: firm.name }),
  });
}
