import { randomInt } from 'node:crypto';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { storePhrase } from '#platform/mail/mail-phrases.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { wordsFor } from './phrase-words.ts';

const MAX_PER_DAY = 20;

/** Two different words of a language, as a phrase to begin with. */
export function suggestPhrase(lang: Lang): string {
  const words = wordsFor(lang);
  const first = randomInt(words.length);
  const second = (first + 1 + randomInt(words.length - 1)) % words.length;
  return `${words[first] ?? ''} ${words[second] ?? ''}`;
}

/**
 * Changes the phrase in the emails to the caller; an empty one removes it. An email tells them, still with the phrase
 * that they know. STEP_UP unless recently authenticated, EMULATION_READ_ONLY while viewing, TOO_MANY beyond 20 a day.
 */
export async function changePhrase(session: Session, phrase: string): Promise<void> {
  assertRecentlyAuthenticated(session);
  if (session.viewing) throw new PortalError('EMULATION_READ_ONLY');
  await consume(`phrase:${session.actor.contactId}`, MAX_PER_DAY, DAY);
  const mail = await changeMail(session.actor);
  await inTransaction(async () => {
    const { companyId, contactId } = await actorNow(session.actor);
    await queueMail(mail, newId('phrase'));
    await storePhrase(contactId, phrase);
    await audit({ companyId, actor: contactId, action: 'profile.phrase', target: contactId });
  });
}

async function changeMail(actor: Actor) {
  const firm = await firmOf(actor.companyId);
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'mail');
  return firmMail({
    about: { kind: 'security', contactId: actor.contactId },
    firm,
    to: actor.emailAddress,
    lang,
    title: t('phraseChangedTitle'),
    text: [
      t('phraseChangedText', { moment: formatMoment(LANGUAGES[lang], now(), firm.timeZone) }),
      firm.phone === ''
        ? t('notYou', { firm: firm.name })
        : t('notYouCall', { firm: firm.name, phone: firm.phone }),
    ],
    button: { label: t('securityButton'), link: mailedPage(lang, 'profile/security', actor) },
    reason: t('securityReason'),
  });
}
