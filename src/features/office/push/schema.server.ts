import type { Generated } from 'kysely';
import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { PushTopic } from '#features/office/notifications/push-topics.ts';

export const tables = {
  push_keys: { key: ['name'], encrypted: { private_key: 'always' } },
  push_subscriptions: {
    key: ['subscription_id'],
    encrypted: { endpoint: 'always', keys: 'always', device: 'always' },
  },
  push_opt_outs: { key: ['contact_id', 'topic'] },
  push_offers: { key: ['contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    push_keys: PushKeys;
    push_subscriptions: PushSubscriptions;
    push_opt_outs: PushOptOuts;
    push_offers: PushOffers;
  }
}

/**
 * The key pairs by which push services recognize this portal (RFC 8292): the row `vapid`, and earlier ones that devices still
 * know.
 */
interface PushKeys {
  name: string;
  /** Uncompressed point of P-256, base64url, as browsers take it. */
  public_key: string;
  /** Base64url. */
  private_key: Encrypted;
  created_at: Millis;
}

/** A browser in which a person asked for push notifications. */
interface PushSubscriptions {
  subscription_id: string;
  company_id: string;
  contact_id: string;
  /** The sign-in that was seen in this browser last; signing out of it ends the subscription. */
  session_id: string;
  /** The address at the push service of the browser. */
  endpoint: Encrypted;
  endpoint_hash: string;
  /** The public key of the portal that the browser knows. */
  public_key: Generated<string>;
  /** The keys of the browser (`p256dh`, `auth`), as JSON. */
  keys: Encrypted;
  /** Its User-Agent, by which its owner recognizes it. */
  device: Encrypted;
  /** In which its texts are. */
  language: Lang;
  /** Whether its texts say what it is about, which others may read on a locked screen. */
  shows_titles: Bit;
  created_at: Millis;
  /** When its owner last used the portal in it. */
  seen_at: Millis;
  /** When something was last delivered to the push service. */
  sent_at: Millis | null;
  /** Refusals in a row. */
  failures: number;
}

/** What a person wants no push notifications about. */
interface PushOptOuts {
  contact_id: string;
  topic: PushTopic;
}

/** Who has declined to be offered push notifications after a task. */
interface PushOffers {
  contact_id: string;
  declined_at: Millis;
}
