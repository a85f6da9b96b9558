import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { notificationKind } from './contributions.server.ts';
import type { Notification } from './notifications.ts';

/** What a notification says; its name alone if an email made it, or its feature is no longer there. */
export function notificationText(lang: Lang, { kind, count, name }: Notification): string {
  const known = notificationKind(kind);
  return known && 'text' in known ? translate(lang, known.text, { count, name }) : name;
}

/** The address that a notification leads to. */
export function addressOf({ kind, clientId, ...row }: Notification, pathTo: PathTo): string {
  const known = notificationKind(kind);
  const page =
    known && 'page' in known ? known.page({ ...row, clientId }) : known ? row.detail : 'notifications';
  const [path = '', query = ''] = page.split('?');
  return pathTo(path, {
    ...(clientId !== undefined && { client: clientId }),
    ...Object.fromEntries(new URLSearchParams(query)),
  });
}
