import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  notifications: {
    key: ['notification_id'],
    ofClient: {
      exported: { not: 'What somebody was told follows from what is exported.' },
      merged: 'follows',
      kept: { until: '180 days after the last change' },
    },
  },
  notification_targets: {
    key: ['notification_id', 'target'],
    encrypted: { name: 'always', detail: 'always' },
    ofClient: { exported: { not: 'What somebody was told follows from what is exported.' } },
  },
  notification_mails: {
    key: ['notification_id', 'mail_id'],
    ofClient: { exported: { not: 'Which email says the same as a notification.' } },
  },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    notifications: Notifications;
    notification_targets: NotificationTargets;
    notification_mails: NotificationMails;
  }
}

/** What a person is told. Until it is read, more of the same kind and `group_key` is added to its row. */
interface Notifications {
  notification_id: string;
  company_id: string;
  contact_id: string;
  client_id: string | null;
  /** As a feature declares it in `notifications`. */
  kind: string;
  group_key: string;
  /** How often it happened, without what is no longer so. */
  count: number;
  created_at: Millis;
  /** When it last happened. */
  changed_at: Millis;
  /** When it was read, or when it was no longer so. */
  read_at: Millis | null;
  put_away_at: Millis | null;
}

/** The things that a notification is about. */
interface NotificationTargets {
  notification_id: string;
  target: string;
  name: Encrypted;
  /** What else its text or its link says; may be empty. */
  detail: Encrypted;
  /** 0 once it is no longer so: the document was opened, the task submitted. */
  is_open: Bit;
}

/** The emails that say the same as a notification. */
interface NotificationMails {
  notification_id: string;
  mail_id: string;
}
