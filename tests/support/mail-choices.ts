import type { NotificationInput } from '#features/clients/mails/notifications.ts';

/** What a person chooses who has no daily email and no pause. */
export const AT_ONCE = { daily: [], dailyHour: 8, pausedUntil: '' } satisfies Partial<NotificationInput>;
