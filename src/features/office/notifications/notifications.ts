import { z } from 'zod';

export const STATES = ['unread', 'all', 'put-away'] as const;
export type ListedState = (typeof STATES)[number];

export const notificationQuery = z.strictObject({
  state: z.enum(STATES).or(z.literal('')).default(''),
  /** Where the page begins: the time of the row before it, and its id. */
  before: z
    .string()
    .regex(/^\d{1,15}\.\w{1,60}$/)
    .or(z.literal(''))
    .default(''),
});

export interface Notification {
  notificationId: string;
  kind: string;
  /** The id of the document, task … that it is about; of several, of one that still is so. */
  target: string;
  name: string;
  detail: string;
  count: number;
  clientId: string | undefined;
  clientName: string | undefined;
  changedAt: number;
  isUnread: boolean;
  isPutAway: boolean;
}

/** Counting unread notifications stops here: "99+". */
export const MAX_UNREAD = 100;
