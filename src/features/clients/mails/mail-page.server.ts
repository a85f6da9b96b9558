import { phoneUrl } from '#features/base/firms/phone-url.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { MailDetails } from './mails.ts';
import { mailOf, resendMail } from './mails.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page of one mail: its states, and the texts for other channels; the answer when it is sent again. */
export async function mailPage(page: Page, mailId: string) {
  const { pathTo, session } = page.locals;
  const response = await useActions(
    page,
    {
      resend: async () => ({
        to: pathTo(`staff/mails/${await resendMail(session.actor, mailId)}`),
        flash: { type: 'success', namespace: 'mails', key: 'resent' },
      }),
    },
    (refused) => {
      const key = refusalText(refused);
      return (
        key && { to: pathTo(`staff/mails/${mailId}`), flash: { type: 'danger', namespace: 'mails', key } }
      );
    },
  );
  if (response) return response;
  const mail = await mailOf(session.actor, mailId);
  return { mail, ...otherChannel(mail, await firmOf(session.actor.companyId)) };
}

/** Why a mail was not sent again; undefined for an error that concerns more than this mail. */
function refusalText({ code, details }: PortalError): 'tooMany' | 'turnedOff' | 'notResent' | undefined {
  if (code === 'TOO_MANY') return 'tooMany';
  if (code === 'FORBIDDEN' && details['because'] === 'turned-off') return 'turnedOff';
  return code === 'GONE' || code === 'FORBIDDEN' ? 'notResent' : undefined;
}

/** A letter about a mail, with the address that it leads to. */
export async function letterPage(actor: Actor, mailId: string) {
  const [mail, firm] = [await mailOf(actor, mailId), await firmOf(actor.companyId)];
  return { mail, firm, link: otherChannel(mail, firm).link };
}

/**
 * The text about a mail that did not arrive, for another channel, and the address that it leads to: a page that
 * needs a session, never the secret link of the mail. In the language of its recipient.
 */
export function otherChannel(
  { language, kind, subject, link }: Pick<MailDetails, 'language' | 'kind' | 'subject' | 'link'>,
  firm: Pick<Firm, 'name' | 'phone' | 'email'>,
): { text: string; link: string } {
  const lang = languageOf(language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mails');
  const call = firm.phone === '' ? t('otherAnswer') : t('otherCall', { phone: firm.phone });
  const open = `${config.origin}/${config.base}/${lang}/auth${kind === 'reset' ? '/forgot' : ''}`;
  const start =
    kind === 'invitation'
      ? t('otherInvitation', { firm: firm.name })
      : t('otherStart', { firm: firm.name, subject });
  // without an account, or without the secret link, only the firm can help
  const needsFirm = kind === 'invitation' || kind === 'share';
  const reply = firm.email === '' ? phoneUrl(firm.phone) : `mailto:${firm.email}`;
  const address = link ?? (needsFirm ? reply : open);
  return {
    text: [start, needsFirm ? '' : t('otherLink', { link: address }), call]
      .filter((part) => part !== '')
      .join(' '),
    link: address,
  };
}
