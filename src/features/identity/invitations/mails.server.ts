import { langOf, linkTo } from '#features/identity/credentials/mails.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { firmMail } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The mail with an invitation. */
export function invitationMail(
  firm: Firm,
  sender: Pick<Actor, 'fullName' | 'emailAddress'>,
  to: { invitationId: string; email: string; language: string; isStaff: boolean },
  { token, expiresAt }: { token: string; expiresAt: number },
): Mail {
  const lang = langOf(to);
  const t = translationsFor(lang, 'mail');
  const title = t(to.isStaff ? 'inviteStaffTitle' : 'inviteTitle', { firm: firm.name });
  const line = t(to.isStaff ? 'inviteStaffText' : 'inviteText', {
    sender: sender.fullName,
    firm: firm.name,
    moment: formatMoment(LANGUAGES[lang], expiresAt, firm.timeZone),
  });
  return firmMail({
    about: { kind: 'invitation', targets: [to.invitationId] },
    firm,
    to: to.email,
    lang,
    replyTo: { name: sender.fullName, address: sender.emailAddress },
    title,
    text: [line],
    button: { label: t('inviteButton'), link: linkTo(lang, `invitation/${token}`) },
    reason: t('inviteReason', { sender: sender.fullName, email: sender.emailAddress }),
  });
}
