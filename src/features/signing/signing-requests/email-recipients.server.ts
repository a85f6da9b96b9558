import { actorsOf } from '#features/base/people/people.server.ts';
import { canAccessPortal } from '#features/base/people/people.ts';
import type { Draft } from '#features/signing/signing/drafting.server.ts';
import { bouncedContacts } from '#features/tasks/task-reminders/bounced.server.ts';
import { visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** Who is asked by email to sign a request: at once, in their turn, and those who cannot act on it. */
interface EmailedSigners {
  first: string[];
  later: string[];
  unreached: { name: string; contactId: string; why: 'bounced' | 'locked-out' }[];
}

/** Finds who gets an email when a request is sent. A signer without an account gets one at the address typed. */
export async function emailedSigners({ signers }: Pick<Draft, 'signers'>): Promise<EmailedSigners> {
  const ids = signers.flatMap(({ contactId }) => contactId ?? []);
  const people = new Map((await actorsOf(ids)).map((person) => [person.contactId, person]));
  const bounced = await bouncedContacts(ids);
  const unreached = signers.flatMap(({ name, contactId }): EmailedSigners['unreached'] => {
    if (contactId === null) return [];
    const person = people.get(contactId);
    if (!person || !canAccessPortal(person) || !visibleTypes(person).includes('esign'))
      return [{ name, contactId, why: 'locked-out' }];
    return bounced.has(contactId) ? [{ name, contactId, why: 'bounced' }] : [];
  });
  const without = new Set(unreached.map(({ contactId }) => contactId));
  const reached = signers.filter(({ contactId }) => contactId === null || !without.has(contactId));
  const turn = Math.min(...signers.map(({ place }) => place));
  return {
    first: reached.filter(({ place }) => place === turn).map(({ name }) => name),
    later: reached.filter(({ place }) => place !== turn).map(({ name }) => name),
    unreached,
  };
}

const namesIn = (lang: Lang, names: readonly string[]): string =>
  new Intl.ListFormat(LANGUAGES[lang], { type: 'conjunction' }).format(names);

/** What is said before a request is sent, as sentences. */
export function sentencesBefore(lang: Lang, { first, later }: EmailedSigners): string[] {
  const t = translationsFor(lang, 'signing');
  return [
    ...(first.length > 0 ? [t('emailBefore', { names: namesIn(lang, first) })] : []),
    ...(later.length > 0 ? [t('emailLater', { names: namesIn(lang, later) })] : []),
  ];
}

/** Why a signer does not get, or cannot act on, an email. */
export const unreachedText = (lang: Lang, { name, why }: EmailedSigners['unreached'][number]): string =>
  translationsFor(lang, 'signing')(why === 'bounced' ? 'emailBounces' : 'signerLockedOut', { name });

/** The message after a request was sent: a warning if a signer is not reached. */
export function sentMessage(
  lang: Lang,
  { first, unreached }: EmailedSigners,
): NonNullable<Destination['flash']> {
  const [missed] = unreached;
  if (missed)
    return {
      type: 'warning',
      namespace: 'signing',
      key: 'sentOnly',
      then: {
        namespace: 'signing',
        key: missed.why === 'bounced' ? 'emailBounces' : 'signerLockedOut',
        vars: { name: missed.name },
      },
    };
  return {
    type: 'success',
    namespace: 'signing',
    key: 'sentOnly',
    then: { namespace: 'signing', key: 'emailAfter', vars: { names: namesIn(lang, first) } },
  };
}
