import { z } from 'zod';
import { defineForm, UPCOMING_YEARS } from '#platform/forms/forms.server.ts';
import { textOfLength } from '#platform/inputs/schemas.server.ts';
import { DAILY_MAIL } from '#platform/mail/mail-kinds.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { readLine } from '#platform/inputs/text.ts';
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

const MAX_PHRASE = 40;

/** The phrase in the emails to a person. */
export const phraseForm = defineForm('mails', () => ({
  id: 'phrase',
  title: 'phraseTitle',
  problemTitle: 'phraseProblem',
  submit: 'notifySave',
  busy: 'notifySaving',
  schema: z.strictObject({ phrase: textOfLength({ min: 4, max: MAX_PHRASE }).transform(readLine) }),
  fields: {
    phrase: {
      kind: 'text',
      label: 'phraseLabel',
      hint: 'phraseHint',
      wrong: 'phraseWrong',
      optional: true,
      autocomplete: 'off',
      maxlength: MAX_PHRASE,
    },
  },
  refusals: { TOO_MANY: { field: 'phrase', text: 'phraseTooMany' } },
}));

/** The code of an email, of which anyone may ask whether the portal sent it. Its page shows the answer. */
export const checkForm = defineForm('mails', () => ({
  id: 'check',
  title: 'checkTitle',
  problemTitle: 'checkProblem',
  submit: 'checkButton',
  schema: z.strictObject({ code: z.string().trim().min(1).max(MAX_PHRASE) }),
  fields: {
    code: {
      kind: 'text',
      label: 'checkCode',
      hint: 'checkHint',
      wrong: 'checkMissing',
      autocomplete: 'off',
    },
  },
  refusals: { TOO_MANY: { field: 'code', text: 'checkTooOften' } },
}));
