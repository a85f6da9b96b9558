import type { Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  known_devices: { key: ['device_key'] },
  identities: { key: ['issuer', 'subject_key'] },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    known_devices: KnownDevices;
    identities: Identities;
  }
}

/** Keyed digests of a user and a device used for sign-in. */
interface KnownDevices {
  device_key: string;
  prism_guid: string;
  last_at: Millis;
}

/** The user of an account at an external issuer; `subject_key` is a blind index of its subject. */
interface Identities {
  issuer: string;
  subject_key: string;
  prism_guid: string;
  linked_at: Millis;
}
