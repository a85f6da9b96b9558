import { z } from 'zod';
import { OPTIONAL_KINDS } from '#platform/mail-kinds.ts';
import { isTimeZone } from '#platform/time-zones.ts';

const hour = z.coerce.number().int().min(0).max(23);

/** Which optional emails a person wants, and the hours during which they want none. */
export const notificationInput = z.strictObject({
  kinds: z.array(z.enum(OPTIONAL_KINDS)),
  isQuiet: z.boolean(),
  from: hour,
  until: hour,
  timeZone: z.string().refine(isTimeZone),
});
export type NotificationInput = z.infer<typeof notificationInput>;
