import { pageAddress } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { ACTION_TIMEOUT, type Alert } from '#ui/alerts.ts';
import type { Opening } from './openings.server.ts';

/**
 * The message that recipients opened links, with a way to the share, or to the list if there are several; none without
 * openings. `pinnedClient` is the client that the address of the tab names.
 */
export function openedMessage(
  lang: Lang,
  openings: readonly Opening[],
  pinnedClient: string | undefined,
): Omit<Alert, 'id' | 'past'>[] {
  const [newest, ...others] = openings;
  if (!newest) return [];
  const t = translationsFor(lang, 'shares');
  const client = others.length > 0 ? newest.clientIds[0] : pinnedClient;
  return [
    {
      type: 'info',
      msg:
        others.length > 0
          ? t('severalOpened', { count: openings.length })
          : t('oneOpened', { email: newest.emailAddress }),
      timeout: ACTION_TIMEOUT,
      clickAction: {
        label: translationsFor(lang, 'sharing')('sentView'),
        method: 'get',
        address: pageAddress(lang, 'shares'),
        fields: [
          ...(others.length > 0 ? [] : [['share', newest.shareId] satisfies [string, string]]),
          ...(client === undefined ? [] : [['client', client] satisfies [string, string]]),
        ],
      },
    },
  ];
}
