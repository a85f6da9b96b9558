import type { Destination } from '#platform/forms/forms.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { NoticeRecipients, Unreached } from './recipients.server.ts';

const MAX_NAMED = 3;

const NOBODY = {
  'no-contact': 'nobodyNoContact',
  invited: 'nobodyInvited',
  'locked-out': 'nobodyLockedOut',
  'no-access': 'nobodyNoAccess',
  'turned-off': 'nobodyTurnedOff',
  bounced: 'nobodyBounced',
  paused: 'nobodyPaused',
  recent: 'nobodyRecent',
} as const satisfies Record<Unreached, string>;

/** Where the firm changes that nobody of a client is notified, and what the link there says. */
export function wayToNotify(lang: Lang, recipients: NoticeRecipients, pathTo: App.Locals['pathTo']) {
  const { clientId, client, unreached } = recipients;
  const t = translationsFor(lang, 'notice-recipients');
  switch (unreached) {
    case undefined:
    case 'recent': // it is a matter of time
      return undefined;
    case 'no-contact':
      return { href: pathTo('staff/people/new', { for: clientId }), label: t('inviteContact', { client }) };
    case 'invited':
      return {
        href: pathTo('staff/people', { searchTerm: client }),
        label: t('openInvitations', { client }),
      };
    case 'locked-out':
    case 'no-access':
    case 'turned-off':
    case 'bounced':
    case 'paused':
      return {
        href: `${pathTo(`staff/clients/${clientId}`)}#contacts`,
        label: t('openContacts', { client }),
      };
  }
}

/** Up to three names, and how many others there are. */
function namesIn(lang: Lang, names: readonly string[]): string {
  const t = translationsFor(lang, 'notice-recipients');
  const others = names.length - MAX_NAMED;
  const shown = [...names.slice(0, MAX_NAMED), ...(others > 0 ? [t('others', { count: others })] : [])];
  return new Intl.ListFormat(LANGUAGES[lang], { type: 'conjunction' }).format(shown);
}

/** Who will be notified, or that nobody will and why, as a sentence. */
export function sentenceOf(lang: Lang, { client, names, unreached }: NoticeRecipients): string {
  const t = translationsFor(lang, 'notice-recipients');
  return unreached === undefined
    ? t('notified', { names: namesIn(lang, names) })
    : t(NOBODY[unreached], { client });
}

/** Adds to the message after something was done who is notified of it; a warning if nobody is. */
export function withRecipients(
  lang: Lang,
  flash: NonNullable<Destination['flash']>,
  recipients: NoticeRecipients | undefined,
): NonNullable<Destination['flash']> {
  if (!recipients) return flash;
  const { client, names, unreached } = recipients;
  return unreached === undefined
    ? {
        ...flash,
        then: { namespace: 'notice-recipients', key: 'notified', vars: { names: namesIn(lang, names) } },
      }
    : {
        ...flash,
        type: flash.type === 'success' ? 'warning' : flash.type,
        then: { namespace: 'notice-recipients', key: NOBODY[unreached], vars: { client } },
      };
}
