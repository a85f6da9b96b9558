import { z } from 'zod';
import { name } from '#platform/inputs/line-schemas.ts';
import type { StaffRole } from '#features/base/people/people.ts';

export const personName = z.strictObject({ firstName: name, lastName: name });
export type PersonName = z.infer<typeof personName>;

export interface RoleChange {
  role: StaffRole;
  hasAllClients: boolean;
}

export const PERSON_STATES = ['prepared', 'invited', 'expired', 'new', 'active', 'suspended'] as const;
export type PersonState = (typeof PERSON_STATES)[number];

/**
 * A person in the list of people: a contact or staff, or someone whose invitation is not accepted yet. `new` means
 * never signed in. Times are epoch milliseconds.
 */
export interface ListedPerson {
  /** The contact, or the invitation. */
  id: string;
  isInvitation: boolean;
  fullName: string;
  emailAddress: string;
  /** The role of staff. */
  role: StaffRole | undefined;
  /** The name of their first client, and how many they have. */
  clients: { first: string; count: number };
  lastSeenAt: number | undefined;
  state: PersonState;
  /** True if the mail of the invitation was refused. */
  isUndelivered: boolean;
}
