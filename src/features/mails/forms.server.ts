import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';
import { notificationInput } from './notifications.ts';

/** Which optional emails a person gets, and when. */
export const notificationForm = defineForm('mails', (message) => ({
  id: 'notifications',
  title: 'notifyTitle',
  problemTitle: 'notifyProblem',
  submit: 'notifySave',
  busy: 'notifySaving',
  schema: notificationInput.refine(({ isQuiet, from, until }) => !isQuiet || from !== until, {
    ...message('quietSame'),
    path: ['until'],
  }),
  fields: {
    kinds: { kind: 'checkboxes', label: 'notifyKinds' },
    isQuiet: { kind: 'checkbox', label: 'quiet', hint: 'quietHint' },
    from: { kind: 'select', label: 'quietFrom', wrong: 'quietWrong' },
    until: { kind: 'select', label: 'quietUntil', wrong: 'quietWrong' },
    timeZone: { kind: 'select', label: 'quietZone', wrong: 'quietZoneWrong' },
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
