import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { config } from '#platform/runtime/config.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Signer, SigningRow } from './internal/rows.server.ts';
import { groupedCode } from './rules.ts';

interface About {
  signing: SigningRow;
  signer: Signer;
  firm: Firm;
  lang: Lang;
  /** The token of the link of somebody without an account. */
  token: string | undefined;
}

/** The page of a link. It is based on the configuration, never on a request (threat-model.md T34). */
const linkOf = (lang: Lang, token: string): string => `${config.origin}/${config.base}/${lang}/sign/${token}`;

const pageOf = ({ signing, lang, token }: Pick<About, 'signing' | 'lang' | 'token'>): string =>
  token === undefined
    ? mailedPage(lang, `tasks/clients/${signing.client_id}/task/${signing.task_id ?? ''}`, {
        companyId: signing.company_id,
        clientId: signing.client_id,
      })
    : linkOf(lang, token);

const aboutOf = ({ signing, signer, token }: Pick<About, 'signing' | 'signer' | 'token'>) => ({
  kind: token === undefined ? ('signature' as const) : ('signature-link' as const),
  ...(signer.contactId !== null && { contactId: signer.contactId }),
  clientId: signing.client_id,
  targets: [signer.signerId],
});

/** Asks somebody to sign. The access code is never in the mail. */
export function invitationMail({
  sender,
  ...about
}: About & { sender: Pick<Actor, 'fullName' | 'emailAddress'> }): Mail {
  const { signing, signer, firm, lang, token } = about;
  const t = translationsFor(lang, 'signing');
  const vars = { sender: sender.fullName, firm: firm.name, title: signing.title, name: signer.name };
  return firmMail({
    about: aboutOf(about),
    firm,
    to: signer.email,
    subject: t('mailInviteSubject', vars),
    lang,
    replyTo: { name: sender.fullName, address: sender.emailAddress },
    title: t('mailInviteTitle', vars),
    text: [
      t('mailInviteText', vars),
      ...(signing.due_on === null
        ? []
        : [t('mailInviteDue', { date: formatDate(LANGUAGES[lang], signing.due_on, 'UTC') })]),
      ...(token === undefined
        ? []
        : [t(signing.identity === 'mail-code' ? 'mailInviteCodeMailed' : 'mailInviteCode', vars)]),
    ],
    button: { label: t('mailInviteButton'), link: pageOf(about) },
    reason: t('mailInviteReason', { sender: sender.fullName, email: sender.emailAddress }),
  });
}

/** The code that is asked for when somebody signs. */
export function codeMail(about: About & { code: string; minutes: number }): Mail {
  const { signing, signer, firm, lang, code, minutes } = about;
  const t = translationsFor(lang, 'signing');
  return firmMail({
    about: { ...aboutOf(about), kind: 'access-code' },
    firm,
    to: signer.email,
    lang,
    title: t('mailCodeTitle', { code }),
    text: [t('mailCodeText', { title: signing.title, count: minutes })],
    button: {
      label: t('mailCodeButton', { firm: firm.name }),
      link: `${config.origin}/${config.base}/${lang}`,
    },
    reason: t('mailCodeReason', { firm: firm.name }),
  });
}

/** The access code of a link, on request and without the link. */
export function accessCodeMail(about: Omit<About, 'token'> & { code: string }): Mail {
  const { signing, signer, firm, lang, code } = about;
  const t = translationsFor(lang, 'signing');
  return firmMail({
    about: { ...aboutOf({ ...about, token: undefined }), kind: 'access-code' },
    firm,
    to: signer.email,
    lang,
    title: t('mailAccessCodeTitle', { code: groupedCode(code) }),
    text: [t('mailAccessCodeText', { title: signing.title })],
    button: {
      label: t('mailCodeButton', { firm: firm.name }),
      link: `${config.origin}/${config.base}/${lang}`,
    },
    reason: t('mailCodeReason', { firm: firm.name }),
  });
}

/** Tells a signer that all have signed, with the address of the sealed document. */
export function sealedMail(about: About & { documentUrl: string | undefined }): Mail {
  const { signing, signer, firm, lang, documentUrl } = about;
  const t = translationsFor(lang, 'signing');
  const vars = { title: signing.title, firm: firm.name };
  return firmMail({
    about: aboutOf(about),
    firm,
    to: signer.email,
    lang,
    title: t('mailSealedTitle', vars),
    text: [t('mailSealedText', vars)],
    button: { label: t('mailSealedButton'), link: documentUrl ?? pageOf(about) },
    reason: t('mailSealedReason', vars),
  });
}

/** Tells the sender that a request needs them. */
export function senderMail(
  kind: 'declined' | 'disowned' | 'asleep' | 'failed',
  { signing, firm, sender, name }: { signing: SigningRow; firm: Firm; sender: Actor; name: string },
): Mail {
  const lang = languageOf(sender.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'signing');
  const vars = { title: signing.title, name };
  const texts = {
    declined: ['mailDeclinedTitle', 'mailDeclinedText'],
    disowned: ['mailDisownedTitle', 'mailDisownedText'],
    asleep: ['mailAsleepTitle', 'mailAsleepText'],
    failed: ['mailFailedTitle', 'mailFailedText'],
  } as const;
  const [title, text] = texts[kind];
  return firmMail({
    about: { kind: 'signature', contactId: sender.contactId, clientId: signing.client_id },
    firm,
    to: sender.emailAddress,
    lang,
    title: t(title, vars),
    text: [t(text, vars)],
    button: {
      label: t('mailSenderButton'),
      link: mailedPage(lang, `staff/tasks/${signing.task_id ?? ''}`, { companyId: signing.company_id }),
    },
    reason: t('mailSenderReason'),
  });
}
