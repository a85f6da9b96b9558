import { firmOf } from '#features/base/firms/firms.server.ts';
import { accountsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit, type AuditEntry } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** The changes of a sign-in that are announced to its owner by mail, with their audit actions. */
const NOTICES = {
  passwordChanged: 'password.change',
  factorAdded: 'factor.add',
  factorRemoved: 'factor.remove',
  codesMade: 'recovery-codes.make',
  codeUsed: 'recovery-codes.use',
} as const satisfies Record<string, AuditEntry['action']>;
type Notice = keyof typeof NOTICES;

/** Audits a change of sign-in methods, and notifies the owner by mail, in case they did not make it. */
export async function noteAndTell(kind: Notice, actor: Actor): Promise<void> {
  const firm = await firmOf(actor.companyId);
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  const title = t(`${kind}Title`);
  const lines = [
    t(`${kind}Text`, { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) }),
    firm.phone === ''
      ? t('notYou', { firm: firm.name })
      : t('notYouCall', { firm: firm.name, phone: firm.phone }),
  ];
  const mail = firmMail({
    about: { kind: 'security', contactId: actor.contactId },
    firm,
    to: actor.emailAddress,
    lang,
    title,
    text: lines,
    button: { label: t('securityButton'), link: mailedPage(lang, 'profile/security', actor) },
    reason: t('securityReason'),
  });
  await inTransaction(async () => {
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: NOTICES[kind],
      target: actor.prismGuid,
    });
    await queueMail(mail, newId('notice'));
  });
}

/** Does the same for somebody not signed in yet. */
export async function noteAndTellUser(kind: Notice, prismGuid: string): Promise<void> {
  const accounts = await accountsOf(prismGuid);
  const account = accounts.find(({ firmLocked }) => !firmLocked) ?? accounts[0];
  if (account) await noteAndTell(kind, account);
}
