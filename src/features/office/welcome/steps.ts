/** The first steps of a contact, in the order in which they are offered. */
export const STEPS = ['look', 'notices', 'phone', 'phrase'] as const;
export type Step = (typeof STEPS)[number];

/** The page of each step. */
export const PAGE_OF = {
  look: 'help/five-minutes',
  notices: 'profile/notifications',
  phone: 'help/install',
  phrase: 'profile/phrase',
} as const satisfies Record<Step, string>;
