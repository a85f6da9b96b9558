import { afterAll, beforeEach, expect, test } from 'vitest';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { unreadFor } from '#features/office/inbox/inbox.server.ts';
import {
  pauseByToken,
  pausingOf,
  saveReminderSettings,
  type ReminderInput,
} from '#features/tasks/task-reminders/pauses.server.ts';
import { promisesFor, promiseTask, withdrawPromise } from '#features/tasks/task-reminders/promises.server.ts';
import { remindNow } from '#features/tasks/task-reminders/remind-now.server.ts';
import { sweepReminders } from '#features/tasks/task-reminders/sweep.server.ts';
import { reportUnanswered } from '#features/tasks/task-reminders/unanswered.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact } from '#features/base/people/people.server.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import { recordBounce } from '#platform/mail/mail-log.server.ts';
import { client, lockFirm, makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';

const { sam, tom, zoe, firmOne } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

// each test has contacts of its own, a year after the one before
let year = 2030;
let names = 0;
beforeEach(async () => {
  year += 1;
  standAt(Date.parse(`${year}-01-05T15:00:00Z`));
  await sweepReminders();
  await mailServer.deliver();
});

async function contactIn(timeZone: string, changed: Partial<ReminderInput> = {}): Promise<Actor> {
  names += 1;
  const actor = await person(firmOne, `Lou L${names}`, `lou-${names}@one.example`);
  await saveReminderSettings(actor, {
    isPaused: false,
    pausedUntil: '',
    sendHour: 9,
    restDays: [],
    timeZone,
    ...changed,
  });
  return actor;
}
/** A task for a contact who is the only one of a client. */
async function taskFor(reader: Actor, dueDate: string | null, label = 'Bank statements'): Promise<string> {
  names += 1;
  const clientId = await client(firmOne, `Client ${names}`, `C-${names}`, [reader]);
  return (await createTask(sam, { clientId, type: 'misc', label, dueDate })).taskId;
}
/** Sweeps at this moment, and returns the subjects and texts of the mails to somebody. */
async function remindersAt(moment: string, reader: Actor): Promise<string[]> {
  standAt(Date.parse(moment));
  await sweepReminders();
  await runDueJobs();
  return (await mailServer.deliver())
    .filter(({ recipients }) => recipients[0]?.toLowerCase() === reader.emailAddress.toLowerCase())
    .map(({ mail }) => mail.text ?? '');
}
const sessionOf = (actor: Actor): Session => ({
  id: 'session',
  actor,
  expiresAt: now() + DAY,
  amr: ['pwd'],
  authenticatedAt: now(),
  termsDue: false,
});

test('a reminder goes out at nine in the contact’s time zone, not before, and once', async () => {
  const reader = await contactIn('America/Sao_Paulo'); // UTC-3
  await taskFor(reader, `${year}-02-10`);
  expect(await remindersAt(`${year}-02-03T11:55:00Z`, reader)).toEqual([]);
  const [text = ''] = await remindersAt(`${year}-02-03T12:00:00Z`, reader);
  expect(text).toContain('Reminder from Maple & Hart: a task is waiting for you');
  expect(text).toContain(`- Bank statements – due in 7 days, on Feb 10, ${year}`);
  expect(await remindersAt(`${year}-02-03T12:05:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-04T12:00:00Z`, reader)).toEqual([]);
  expect((await remindersAt(`${year}-02-09T12:00:00Z`, reader))[0]).toContain('due tomorrow');
  expect((await remindersAt(`${year}-02-10T12:00:00Z`, reader))[0]).toContain('due today');
  const [overdue = ''] = await remindersAt(`${year}-02-17T12:00:00Z`, reader);
  expect(overdue, 'the subject').toMatch(/^Overdue: Bank statements\n/);
  expect(overdue).toContain('7 days overdue');
  expect(overdue.indexOf('View task'), 'what is to be done comes first').toBeLessThan(
    overdue.indexOf('Pause these reminders'),
  );
});

test('nobody is reminded between eight in the evening and eight in the morning', async () => {
  const reader = await contactIn('America/Sao_Paulo');
  await taskFor(reader, `${year}-02-10`);
  expect(await remindersAt(`${year}-02-03T23:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-03T22:59:00Z`, reader)).toHaveLength(1);
});

test('one reminder names the tasks of all companies by company, the most overdue first', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-10`, 'Later');
  await taskFor(reader, `${year}-02-03`, 'Today');
  const texts = await remindersAt(`${year}-02-03T09:00:00Z`, reader);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/Client \d+\n- Today – due today\n\nClient \d+\n- Later – due in 7 days/);
});

test.each([
  ['Pacific/Kiritimati', '02-02T19:00:00Z'],
  ['Pacific/Midway', '02-03T20:00:00Z'],
  ['Asia/Kathmandu', '02-03T03:15:00Z'],
  ['Australia/Adelaide', '02-02T22:30:00Z'],
])('in %s the day of the reminder is the contact’s own', async (zone, moment) => {
  const reader = await contactIn(zone);
  await taskFor(reader, `${year}-02-03`);
  const before = new Date(Date.parse(`${year}-${moment}`) - 5 * MINUTE).toISOString();
  expect(await remindersAt(before, reader)).toEqual([]);
  expect((await remindersAt(`${year}-${moment}`, reader))[0]).toContain('due today');
});

test('on the day on which clocks change there is one reminder, at nine', async () => {
  const reader = await contactIn('America/New_York');
  standAt(Date.parse('2053-03-01T12:00:00Z'));
  await taskFor(reader, '2053-03-09'); // the second Sunday of March
  await remindersAt('2053-03-08T14:00:00Z', reader);
  expect(await remindersAt('2053-03-09T12:55:00Z', reader)).toEqual([]);
  expect(await remindersAt('2053-03-09T13:00:00Z', reader)).toHaveLength(1);
  expect(await remindersAt('2053-03-09T14:00:00Z', reader)).toEqual([]);
});

test('a contact who moves to a zone further west gets no second reminder that day', async () => {
  const reader = await contactIn('Pacific/Kiritimati');
  await taskFor(reader, `${year}-02-03`);
  await taskFor(reader, `${year}-02-02`, 'Due a day earlier');
  expect(await remindersAt(`${year}-02-02T19:00:00Z`, reader)).toHaveLength(1);
  await saveReminderSettings(reader, {
    isPaused: false,
    pausedUntil: '',
    sendHour: 9,
    restDays: [],
    timeZone: 'Pacific/Midway',
  });
  await taskFor(reader, `${year}-02-09`, 'New');
  expect(await remindersAt(`${year}-02-02T20:05:00Z`, reader)).toEqual([]);
});

test('what was completed between the sweep and the mail is left out, and an empty reminder is not sent', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, `${year}-02-03`);
  standAt(Date.parse(`${year}-02-03T09:00:00Z`));
  expect(await sweepReminders()).toBe(1);
  await performAction(reader, taskId, 'submit');
  await runDueJobs();
  const all = await mailServer.deliver();
  expect(all.filter(({ recipients }) => recipients[0] === reader.emailAddress)).toEqual([]);
});

test('two sweeps at once send one reminder', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-03`);
  standAt(Date.parse(`${year}-02-03T09:00:00Z`));
  const counts = await Promise.all([sweepReminders(), sweepReminders()]);
  expect(counts.toSorted()).toEqual([0, 1]);
  await runDueJobs();
  expect(await mailServer.deliver()).toHaveLength(1);
});

test('a process that ends between the reminder and its mail sends it later, and once', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-03`);
  standAt(Date.parse(`${year}-02-03T09:00:00Z`));
  await sweepReminders();
  mailServer.goAway();
  await runDueJobs();
  mailServer.comeBack();
  const [mail, ...others] = await remindersAt(`${year}-02-03T11:00:00Z`, reader);
  expect(mail).toContain('due today');
  expect(others).toEqual([]);
  // as a job that was done, but not marked as done
  await db()
    .updateTable('jobs')
    .set({ done_at: null, run_at: 0 })
    .where('kind', '=', 'task-digest')
    .where('payload', '<>', '')
    .execute();
  expect(await remindersAt(`${year}-02-03T12:00:00Z`, reader)).toEqual([]);
});

test('a locked firm reminds nobody', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-03`);
  await lockFirm(firmOne, true);
  expect(await remindersAt(`${year}-02-03T09:00:00Z`, reader)).toEqual([]);
  await lockFirm(firmOne, false);
  expect(await remindersAt(`${year}-02-03T10:00:00Z`, reader)).toHaveLength(1);
});

test('a person who is a contact of two firms gets a reminder from each', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-03`, 'For firm one');
  const other = await createFirm({
    name: 'Oak & Elm',
    phone: '1',
    email: 'office@oak.example',
    language: 'en-us',
    timeZone: 'UTC',
  });
  const owner = await person(other, 'Olga Oak', `olga-${year}@oak.example`, { role: 'member' });
  const contactId = await createContact({
    companyId: other,
    prismGuid: reader.prismGuid,
    fullName: 'Lou Oak',
  });
  const second = await actorOf(contactId);
  const clientId = await client(other, 'Oak Client', 'O-1', [second]);
  await createTask(owner, { clientId, type: 'misc', label: 'For firm two', dueDate: `${year}-02-03` });
  const texts = await remindersAt(`${year}-02-03T15:00:00Z`, reader);
  expect(texts).toHaveLength(2);
  expect(texts.filter((text) => text.includes('For firm one') && text.includes('For firm two'))).toEqual([]);
});

test('a promised date ends reminders until it is over, and the firm sees it', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, `${year}-02-10`);
  standAt(Date.parse(`${year}-02-02T12:00:00Z`));
  await promiseTask(reader, taskId, `${year}-02-12`);
  expect(await promisesFor(sam, taskId)).toMatchObject([{ promisedOn: `${year}-02-12` }]);
  expect(await remindersAt(`${year}-02-03T09:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-10T09:00:00Z`, reader)).toEqual([]);
  expect((await remindersAt(`${year}-02-13T09:00:00Z`, reader))[0]).toContain(
    `you planned to finish by Feb 12, ${year}`,
  );
  expect(await remindersAt(`${year}-02-14T09:00:00Z`, reader)).toEqual([]);
  await withdrawPromise(reader, taskId);
  expect((await remindersAt(`${year}-02-17T09:00:00Z`, reader))[0]).toContain('7 days overdue');
});

test('promises are dates from today on, of contacts, for open tasks of theirs', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, `${year}-02-10`);
  const promise = (actor: Actor, on: string) => promiseTask(actor, taskId, on);
  await expect(promise(reader, `${year}-01-04`)).rejects.toMatchObject({ code: 'INVALID' });
  await expect(promise(reader, `${year}-03-30`)).rejects.toMatchObject({ code: 'INVALID' });
  await expect(promise(sam, `${year}-01-10`)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(promise(zoe, `${year}-01-10`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(promise({ ...reader, viewedBy: sam.contactId }, `${year}-01-10`)).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  await expect(promisesFor(tom, taskId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await performAction(reader, taskId, 'submit');
  await expect(promise(reader, `${year}-01-10`)).rejects.toMatchObject({ code: 'CLOSED' });
});

test('a task that is returned starts without promises', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, `${year}-02-10`);
  await promiseTask(reader, taskId, `${year}-01-20`);
  await performAction(reader, taskId, 'submit');
  await performAction(sam, taskId, 'return', { reason: 'Page 2' });
  expect(await promisesFor(sam, taskId)).toEqual([]);
});

test('the link in a reminder pauses them without a session, opening it changes nothing', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-10`);
  const [text = ''] = await remindersAt(`${year}-02-03T09:00:00Z`, reader);
  const token = /Pause these reminders: \S+\/reminders\/(\S+)/.exec(text)?.[1] ?? '';
  expect(await pausingOf(token)).toMatchObject({ isPaused: false });
  expect(await pausingOf(token)).toMatchObject({ isPaused: false, today: `${year}-02-03` });
  await pauseByToken(token, { until: `${year}-02-10` }, '192.0.2.9');
  expect(await pausingOf(token)).toMatchObject({ isPaused: true, pausedUntil: `${year}-02-10` });
  expect(await remindersAt(`${year}-02-10T09:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-11T09:00:00Z`, reader)).toHaveLength(1);
  await pauseByToken(token, { until: null }, '192.0.2.9');
  expect(await remindersAt(`${year}-02-17T09:00:00Z`, reader)).toEqual([]);
  await pauseByToken(token, 'resume', '192.0.2.9');
  expect(await remindersAt(`${year}-02-17T10:00:00Z`, reader)).toHaveLength(1);
});

test('a token that the portal did not sign pauses nothing', async () => {
  const reader = await contactIn('UTC');
  for (const token of ['', 'x', `${reader.contactId}.AAAA`, `${reader.contactId}`]) {
    expect(await pausingOf(token)).toBeUndefined();
    await expect(pauseByToken(token, { until: null }, '192.0.2.9')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  }
});

test('reminders can be turned off, and wait for the end of quiet hours', async () => {
  const reader = await contactIn('UTC');
  await taskFor(reader, `${year}-02-10`);
  const chosen = { kinds: optionalKinds(), isQuiet: true, ...AT_ONCE, from: 8, until: 12, timeZone: 'UTC' };
  await saveNotifications(sessionOf(reader), chosen);
  expect(await remindersAt(`${year}-02-03T10:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-03T12:00:00Z`, reader)).toHaveLength(1);
  const others = optionalKinds().filter((kind) => kind !== 'task-reminder');
  await saveNotifications(sessionOf(reader), { ...chosen, kinds: others, isQuiet: false });
  expect(await remindersAt(`${year}-02-10T10:00:00Z`, reader)).toEqual([]);
  // a pause of all emails is one of reminders, too
  await saveNotifications(sessionOf(reader), { ...chosen, isQuiet: false, pausedUntil: `${year}-02-20` });
  expect(await remindersAt(`${year}-02-20T20:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-02-21T10:00:00Z`, reader)).toHaveLength(1);
});

test('milestones on rest days come on the day before them', async () => {
  const sunday = Temporal.PlainDate.from(`${year}-02-10`).add({
    days: 7 - Temporal.PlainDate.from(`${year}-02-10`).dayOfWeek,
  });
  const reader = await contactIn('UTC', { restDays: ['6', '7'] });
  await taskFor(reader, sunday.toString());
  const at = (days: number) => `${sunday.subtract({ days }).toString()}T10:00:00Z`;
  expect(await remindersAt(at(9), reader)).toHaveLength(1); // for 7 days before, a Sunday
  expect(await remindersAt(at(3), reader)).toEqual([]);
  expect((await remindersAt(at(2), reader))[0]).toContain('due in 2 days');
  expect(await remindersAt(at(0), reader)).toEqual([]);
  expect(await remindersAt(at(-1), reader)).toEqual([]);
});

test('a reopened, cancelled or rescheduled task is part of the next reminder, an acceptance not alone', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, `${year}-06-10`);
  const [dated, gone] = [
    await taskFor(reader, `${year}-02-03`, 'Another date'),
    await taskFor(reader, `${year}-02-03`, 'Gone'),
  ];
  await performAction(reader, taskId, 'submit');
  await performAction(sam, taskId, 'accept');
  expect(await remindersAt(`${year}-01-20T10:00:00Z`, reader)).toEqual([]);
  expect((await remindersAt(`${year}-02-03T10:00:00Z`, reader))[0], 'of no use here').not.toContain(
    'accepted',
  );
  await performAction(sam, taskId, 'reopen');
  await performAction(sam, dated, 'reschedule', { dueDate: `${year}-05-03` });
  await performAction(sam, gone, 'cancel');
  const [text = ''] = await remindersAt(`${year}-02-05T10:00:00Z`, reader);
  expect(text).toContain('Maple & Hart has changed 3 tasks');
  expect(text).toMatch(/- Bank statements \(Client \d+\) – reopened, please check it again/);
  expect(text).toMatch(new RegExp(`- Another date .* – now due May 3, ${year}`));
  expect(text).toMatch(/- Gone .* – canceled/);
  expect(await remindersAt(`${year}-02-06T10:00:00Z`, reader)).toEqual([]);
});

test('staff remind now at most once in 24 hours, and learn what happened and when the last one went', async () => {
  const reader = await contactIn('UTC');
  const [one, two] = [await taskFor(reader, null, 'One'), await taskFor(reader, null, 'Two')];
  standAt(Date.parse(`${year}-01-06T10:00:00Z`));
  const sentAt = now();
  expect((await remindNow(sam, [one])).map(({ outcome }) => outcome)).toEqual(['sent']);
  const done = now();
  expect(await remindersAt(`${year}-01-06T10:01:00Z`, reader)).toHaveLength(1);
  const [again] = await remindNow(sam, [two]);
  expect(again?.outcome).toBe('too-soon');
  expect(again?.lastAt).toBeGreaterThanOrEqual(sentAt);
  expect(again?.lastAt).toBeLessThanOrEqual(done);
  standAt(Date.parse(`${year}-01-07T10:02:00Z`));
  expect((await remindNow(sam, [one, two])).map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
  const [text = ''] = await remindersAt(`${year}-01-07T10:03:00Z`, reader);
  expect(text).toContain('2 tasks are waiting');
});

test('a reminder that staff send at night goes out in the morning', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, null);
  standAt(Date.parse(`${year}-01-06T22:00:00Z`));
  expect((await remindNow(sam, [taskId]))[0]?.outcome).toBe('sent');
  expect(await remindersAt(`${year}-01-06T23:00:00Z`, reader)).toEqual([]);
  expect(await remindersAt(`${year}-01-07T08:00:00Z`, reader)).toHaveLength(1);
});

test('staff learn who is paused, has no contact or no address that works, and whose task is closed', async () => {
  const [paused, bounced] = [await contactIn('UTC', { isPaused: true }), await contactIn('UTC')];
  const [ofPaused, ofBounced] = [await taskFor(paused, null), await taskFor(bounced, null)];
  const alone = await client(firmOne, 'Nobody Ltd', `N-${year}`, []);
  const { taskId: ofNobody } = await createTask(sam, { clientId: alone, type: 'misc', label: 'Alone' });
  const closed = await taskFor(bounced, null);
  await performAction(sam, closed, 'cancel');
  standAt(Date.parse(`${year}-01-06T10:00:00Z`));
  await remindNow(sam, [ofBounced]);
  await runDueJobs();
  await mailServer.deliver();
  const { mail_id: mailId } = await db()
    .selectFrom('mails')
    .select('mail_id')
    .where('contact_id', '=', bounced.contactId)
    .orderBy('queued_at', 'desc')
    .executeTakeFirstOrThrow();
  await recordBounce({ mail_id: mailId }, '5.1.1');
  standAt(now() + 2 * DAY);
  const results = await remindNow(sam, [ofPaused, ofBounced, ofNobody, closed]);
  expect(Object.fromEntries(results.map(({ taskId, outcome }) => [taskId, outcome]))).toEqual({
    [ofPaused]: 'paused',
    [ofBounced]: 'bounced',
    [ofNobody]: 'no-contact',
    [closed]: 'not-open',
  });
  await db()
    .updateTable('tasks')
    .set({ due_on: `${year}-02-10` })
    .where('task_id', '=', ofBounced)
    .execute();
  expect(await remindersAt(`${year}-02-03T10:00:00Z`, bounced)).toEqual([]);
});

test('only staff who publish remind, and only of tasks that they see', async () => {
  const reader = await contactIn('UTC');
  const taskId = await taskFor(reader, null);
  await expect(remindNow(reader, [taskId])).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await remindNow(tom, [taskId])).toEqual([]);
});

test('the firm learns once of a task that nobody answered for eight weeks', async () => {
  const reader = await contactIn('UTC');
  const before = (await unreadFor(sam)) ?? 0;
  const taskId = await taskFor(reader, `${year}-02-01`);
  standAt(Date.parse(`${year}-03-28T12:00:00Z`));
  await reportUnanswered();
  const rows = () =>
    db()
      .selectFrom('inbox_items')
      .select(['item_id', 'done_at'])
      .where('kind', '=', 'task-unanswered')
      .where('group_key', '=', taskId)
      .execute();
  expect(await rows()).toEqual([]);
  standAt(Date.parse(`${year}-03-29T23:00:00Z`));
  await reportUnanswered();
  await reportUnanswered();
  expect(await rows()).toHaveLength(1);
  expect((await unreadFor(sam)) ?? 0).toBeGreaterThan(before);
  await performAction(reader, taskId, 'start');
  expect((await rows())[0]?.done_at).not.toBeNull();
});

test.each(LANGS)('the reminder in %s is complete for 1, 2 and 21 tasks', async (lang) => {
  const reader = await contactIn('UTC');
  await db()
    .updateTable('users')
    .set({ language: lang })
    .where('prism_guid', '=', reader.prismGuid)
    .execute();
  const add = async (count: number, dueDate: string): Promise<void> => {
    names += 1;
    const clientId = await client(firmOne, `Client ${names}`, `C-${names}`, [reader]);
    for (let index = 0; index < count; index += 1)
      await createTask(sam, { clientId, type: 'misc', label: `Task ${index}`, dueDate });
  };
  await add(1, `${year}-02-03`);
  await add(2, `${year}-03-03`);
  await add(21, `${year}-04-10`);
  const mails = [
    ...(await remindersAt(`${year}-02-03T10:00:00Z`, reader)),
    ...(await remindersAt(`${year}-03-03T10:00:00Z`, reader)),
    ...(await remindersAt(`${year}-04-03T10:00:00Z`, reader)),
  ];
  expect(mails.map((text) => text.match(/^- Task/gm)?.length)).toEqual([1, 3, 20]);
  for (const text of mails) {
    expect(text).not.toMatch(/\{\{|_(?:one|many|other)|\bline[A-Z]/);
    expect(text).toMatch(/\/reminders\/contact_/);
  }
});
