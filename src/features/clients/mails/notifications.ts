import { z } from 'zod';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';
import { isTimeZone } from '#platform/text/time-zones.ts';

const kindList = z.array(z.custom<OptionalKind>((kind) => typeof kind === 'string'));
const hour = z.coerce.number().int().min(0).max(23);

/** How long optional emails can be paused. */
export const MAX_PAUSE_DAYS = 90;

/** Which optional emails a person wants, and the hours and days during which they want none. */
export const notificationInput = z.strictObject({
  kinds: kindList,
  /** Which of them come together, once a day. */
  daily: kindList,
  dailyHour: hour,
  isQuiet: z.boolean(),
  from: hour,
  until: hour,
  timeZone: z.string().refine(isTimeZone),
  /** The last day without them; empty if they are not paused. */
  pausedUntil: z.iso.date().or(z.literal('')),
});
export type NotificationInput = z.infer<typeof notificationInput>;
