import type { Source, Subscription } from '#platform/runtime/events.server.ts';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import type { MailKind } from '#platform/mail/mail-kinds.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';
import type { Notification } from './notifications.ts';
import type { PushTopic } from './push-topics.ts';
import { addNotifications, resolveNotifications, type NewNotification } from './rows.server.ts';

/** What an event means for the people who are told of it. */
type NotificationChange =
  { add: NewNotification } | { resolve: readonly string[]; contactId?: string | undefined };

/** A kind of notifications, as the feature whose things they are about declares it. */
type NotificationKind = AnnouncedKind | MailedKind;

interface AnnouncedKind {
  icon: IconName;
  /** People get it as a push notification, too, unless they do not want any about this. */
  push?: PushTopic;
  /** What it says; {{count}}, {{name}}. */
  text: Text;
  /** The page that it leads to; that of the client is added. */
  page: (row: Pick<Notification, 'target' | 'detail' | 'count' | 'clientId'>) => string;
  /** What makes it, and what ends it. */
  sources: readonly Source<NotificationChange>[];
}

/** Notifications that emails make, with the subject as their text and the link of the button. */
interface MailedKind {
  icon: IconName;
  /** As for kinds that are announced. */
  push?: PushTopic;
  /** The kinds of these emails, besides those that name it in `about`. */
  ofMails: readonly MailKind[];
  /** Another one replaces those that were not read. */
  isOnlyLatest?: true;
  /** Only contacts get it: staff have the same in their inbox. */
  isForContacts?: true;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** The kinds of notifications that it announces to people. */
    notifications: Readonly<Record<string, NotificationKind>>;
  }
}

const kinds = (): [string, NotificationKind][] => [...contributedByName('notifications')];

export const notificationKind = (kind: string): NotificationKind | undefined =>
  contributedByName('notifications').get(kind);

/** The kind of notifications that an email makes; undefined if its feature announces it by an event, or not at all. */
export const kindOfMail = (kind: MailKind): string | undefined =>
  kinds().find(([, known]) => 'ofMails' in known && known.ofMails.includes(kind))?.[0];

/** What the features say about notifications, as subscriptions. */
export const contributedSources = (): Subscription[] =>
  kinds().flatMap(([kind, known]) =>
    'sources' in known ? known.sources.map((source) => source.begin((change) => apply(kind, change))) : [],
  );

const apply = (kind: string, change: NotificationChange): Promise<void> =>
  'add' in change
    ? addNotifications(kind, change.add)
    : resolveNotifications(change.resolve, { kind, contactId: change.contactId });
