import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { date } from '#platform/inputs/schemas.server.ts';
import { reminderInput } from './pauses.server.ts';

const DAYS = ['1', '2', '3', '4', '5', '6', '7'] as const;

/** The date by which a contact wants to finish a task. */
export const promiseForm = defineForm('reminders', (message) => ({
  id: 'promise',
  title: 'promiseTitle',
  problemTitle: 'promiseProblem',
  submit: 'promiseSubmit',
  schema: z.object({ promisedOn: date().min(1, message('promiseMissing')) }),
  fields: {
    promisedOn: {
      kind: 'date',
      input: 'picker',
      label: 'promiseDate',
      hint: 'promiseHint',
      missing: 'promiseMissing',
      wrong: 'promiseWrong',
    },
  },
  refusals: { INVALID: { field: 'promisedOn', text: 'promiseWrong' }, CLOSED: 'promiseClosed' },
}));

/** When a contact gets reminders. */
export const reminderSettingsForm = defineForm('reminders', () => ({
  id: 'reminders',
  title: 'settingsTitle',
  problemTitle: 'settingsProblem',
  submit: 'settingsSave',
  schema: reminderInput,
  fields: {
    isPaused: { kind: 'checkbox', label: 'settingsPaused' },
    pausedUntil: {
      kind: 'date',
      input: 'picker',
      label: 'settingsUntil',
      hint: 'settingsUntilHint',
      wrong: 'settingsUntilWrong',
    },
    sendHour: { kind: 'select', label: 'settingsHour', wrong: 'settingsHourWrong' },
    restDays: { kind: 'checkboxes', label: 'settingsRest', wrong: 'settingsRestWrong' },
    timeZone: { kind: 'select', label: 'settingsZone', wrong: 'settingsZoneWrong' },
  },
}));

export const WEEK = DAYS;

/** Pauses reminders by the link in one of them. */
export const pauseForm = defineForm('reminders', () => ({
  id: 'pause',
  title: 'pauseTitle',
  problemTitle: 'pauseProblem',
  submit: 'pauseButton',
  schema: z.object({ until: z.iso.date().or(z.literal('')) }),
  fields: {
    until: {
      kind: 'date',
      input: 'picker',
      label: 'settingsUntil',
      hint: 'settingsUntilHint',
      optional: true,
      wrong: 'settingsUntilWrong',
    },
  },
  refusals: { TOO_MANY: 'pauseTooMany', NOT_FOUND: 'pauseOver' },
}));

/** Resumes reminders that were paused. */
export const resumeForm = defineForm('reminders', () => ({
  id: 'resume',
  title: 'pausedTitle',
  problemTitle: 'pauseProblem',
  submit: 'resumeButton',
  schema: z.strictObject({}),
  fields: {},
  refusals: { TOO_MANY: 'pauseTooMany', NOT_FOUND: 'pauseOver' },
}));

/** Makes an address of the contact's calendar, or another one. */
export const calendarForm = defineForm('reminders', () => ({
  id: 'calendar',
  title: 'calendarTitle',
  problemTitle: 'calendarProblem',
  submit: 'calendarMake',
  schema: z.strictObject({}),
  fields: {},
}));

/** Ends the address of the contact's calendar. */
export const revokeCalendarForm = defineForm('reminders', () => ({
  id: 'revoke-calendar',
  title: 'calendarTitle',
  problemTitle: 'calendarProblem',
  submit: 'calendarRevoke',
  schema: z.strictObject({}),
  fields: {},
}));
