import { z } from 'zod';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { DAILY_MAIL } from '#platform/mail/mail-kinds.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { MAX_PAUSE_DAYS, notificationInput } from './notifications.ts';

/** Which optional emails a person gets, and when. */
export const notificationForm = defineForm('mails', (message) => ({
  id: 'notifications',
  title: 'notifyTitle',
  problemTitle: 'notifyProblem',
  submit: 'notifySave',
  busy: 'notifySaving',
  schema: notificationInput
    .refine(({ isQuiet, from, until }) => !isQuiet || from !== until, {
      ...message('quietSame'),
      path: ['until'],
    })
    .refine(({ kinds, daily }) => daily.length === 0 || kinds.includes(DAILY_MAIL), {
      ...message('dailyOff'),
      path: ['daily'],
    })
    .refine(
      ({ pausedUntil, timeZone }) =>
        pausedUntil <=
        Temporal.PlainDate.from(dayOf(now(), timeZone)).add({ days: MAX_PAUSE_DAYS }).toString(),
      { ...message('pauseTooLong'), path: ['pausedUntil'] },
    ),
  fields: {
    kinds: { kind: 'checkboxes', label: 'notifyKinds' },
    daily: { kind: 'checkboxes', label: 'dailyKinds', hint: 'dailyHint' },
    dailyHour: { kind: 'select', label: 'dailyHour', wrong: 'quietWrong' },
    isQuiet: { kind: 'checkbox', label: 'quiet', hint: 'quietHint' },
    from: { kind: 'select', label: 'quietFrom', wrong: 'quietWrong' },
    until: { kind: 'select', label: 'quietUntil', wrong: 'quietWrong' },
    timeZone: { kind: 'select', label: 'quietZone', wrong: 'quietZoneWrong' },
    pausedUntil: {
      kind: 'date',
      input: 'local',
      years: UPCOMING_YEARS,
      label: 'pauseUntil',
      hint: 'pauseHint',
      optional: true,
      wrong: 'pauseWrong',
    },
  },
}));

/** Turns off one kind of emails by the link in one of them. */
export const unsubscribeForm = defineForm('mails', () => ({
  id: 'unsubscribe',
  title: 'offTitle',
  problemTitle: 'offProblem',
  submit: 'offButton',
  schema: z.strictObject({}),
  fields: {},
  refusals: { TOO_MANY: 'offTooMany' },
}));
