import { afterAll, beforeEach, expect, test } from 'vitest';
import { saveNotifications } from '#features/clients/mails/notifications.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { deleteTask } from '#features/tasks/tasks/removing.server.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import { DAY, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { client, makeCast, person, standAt, startMailServer, type ReceivedMail } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';
import { withPages } from '../../support/mail-links.ts';
import { AT_ONCE } from '../../support/mail-choices.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { listNotifications } from '#features/office/notifications/notifications.server.ts';
import { addressOf, notificationText } from '#features/office/notifications/texts.server.ts';
import { taskSubmitted } from '#features/tasks/tasks/events.server.ts';

const { ada, ben, cleo, sam, zoe, firmOne, clientA, clientB } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const NOON = Date.parse('2027-03-01T17:00:00Z'); // in New York, where firm one is
let day = 0;
beforeEach(async () => {
  await mailServer.discard();
  day += 1;
  standAt(NOON + day * 7 * DAY);
});

const create = (clientId: string, label: string, more: object = {}) =>
  createTask(sam, { clientId, type: 'misc', label, sendNotification: true, ...more });
/** Moves the clock, runs what is due, and returns the mails to somebody. */
async function mailsTo(actor: Actor, after = 0): Promise<ReceivedMail[]> {
  standAt(now() + after);
  await runDueJobs();
  const all = await mailServer.deliver();
  return all.filter(({ recipients }) => recipients[0]?.toLowerCase() === actor.emailAddress.toLowerCase());
}
const textOf = ([mail]: ReceivedMail[]): string => mail?.mail.text ?? '';
const sessionOf = (actor: Actor): Session => ({
  id: 'session',
  actor,
  expiresAt: now() + DAY,
  amr: ['pwd'],
  authenticatedAt: now(),
  termsDue: false,
});

test('new tasks gather for ten minutes, and are announced in one mail by client', async () => {
  await create(clientA, 'Bank statements', { dueDate: '2027-05-20' });
  standAt(now() + 5 * MINUTE);
  await create(clientB, 'Payroll data');
  expect(await mailsTo(cleo)).toEqual([]);
  const sent = await mailsTo(cleo, 6 * MINUTE);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.mail.subject).toBe('Maple & Hart has 2 new tasks for you');
  expect(textOf(sent)).toContain('Amber Bakery\n- Bank statements – due May 20, 2027');
  expect(textOf(sent)).toContain('Birch Boats\n- Payroll data');
  expect(await withPages(textOf(sent))).toContain(`/tasks?firm=${firmOne}`);
});

test('each contact hears of the tasks of their own clients only, with a link to the task', async () => {
  const task = await create(clientA, 'Bank statements');
  standAt(now() + 11 * MINUTE);
  const all = await mailServer.deliver();
  expect(all.map(({ recipients }) => recipients[0]).toSorted()).toEqual([
    'ada@one.example',
    'cleo@one.example',
  ]);
  expect(await withPages(all[0]?.mail.text)).toContain(
    `/en-us/tasks/clients/${clientA}/task/${task.taskId}?firm=${firmOne}&client=${clientA}&mail=`,
  );
  expect(all.flatMap(({ recipients }) => recipients)).not.toContain(ben.emailAddress);
  expect(all.flatMap(({ recipients }) => recipients)).not.toContain(zoe.emailAddress);
});

test('a task without a notification is not announced', async () => {
  await create(clientA, 'Silent', { sendNotification: false });
  expect(await mailsTo(ada, HOUR)).toEqual([]);
});

test('a task that is deleted or cancelled before its announcement is never mentioned', async () => {
  const [one, two] = [await create(clientA, 'Deleted'), await create(clientA, 'Cancelled')];
  await deleteTask(sam, one.taskId);
  await performAction(sam, two.taskId, 'cancel');
  expect(await mailsTo(ada, 11 * MINUTE)).toEqual([]);
  expect(await mailsTo(ada, 2 * DAY)).toEqual([]);
});

test('a contact from whom a type of tasks is hidden is not told about it', async () => {
  const decision = { kind: 'control', name: 'HideDocRequestTask' } as const;
  await decideAccess(firmOne, ada.contactId, decision, true);
  await create(clientA, 'Papers', { type: 'document_request' });
  standAt(now() + 11 * MINUTE);
  const all = await mailServer.deliver();
  expect(all.map(({ recipients }) => recipients[0])).toEqual(['cleo@one.example']);
  await decideAccess(firmOne, ada.contactId, decision, undefined);
});

test('a returned task is mailed right away, with the reason of the firm', async () => {
  const task = await create(clientA, 'Bank statements');
  await mailsTo(ada, 11 * MINUTE);
  await performAction(ada, task.taskId, 'submit');
  await performAction(sam, task.taskId, 'return', { reason: 'Page 2 is <cut> off.' });
  const sent = await mailsTo(ada, 1000);
  expect(sent.map(({ mail }) => mail.subject)).toEqual(['Please change “Bank statements”']);
  expect(textOf(sent)).toContain('Page 2 is <cut> off.');
  expect(sent[0]?.mail.html).toContain('Page 2 is &lt;cut&gt; off.');
});

test('staff are told of submitted tasks once, and not of those that were taken back', async () => {
  const [one, two] = [await create(clientA, 'Bank statements'), await create(clientA, 'Payroll data')];
  await performAction(ada, one.taskId, 'submit');
  await performAction(ada, two.taskId, 'submit');
  await performAction(ada, two.taskId, 'take-back');
  const sent = await mailsTo(sam, 11 * MINUTE);
  expect(sent.map(({ mail }) => mail.subject)).toEqual(['A client has completed a task']);
  expect(textOf(sent)).toContain('- Bank statements');
  expect(textOf(sent)).not.toContain('Payroll data');
});

test('staff are not told of tasks that the firm accepted, returned or canceled before the mail goes', async () => {
  const tasks = [];
  for (const title of ['Accepted before', 'Returned before', 'Canceled before', 'Still to review'])
    tasks.push(await create(clientA, title));
  for (const { taskId } of tasks) await performAction(ada, taskId, 'submit');
  const [accepted, returned, cancelled] = tasks.map(({ taskId }) => taskId);
  await performAction(sam, accepted ?? '', 'accept');
  await performAction(sam, returned ?? '', 'return', { reason: 'Page 2 is missing.' });
  await performAction(sam, cancelled ?? '', 'cancel');
  const sent = await mailsTo(sam, 11 * MINUTE);
  expect(textOf(sent)).toContain('Still to review');
  expect(textOf(sent)).not.toContain('before');
  const last = await create(clientA, 'Bank statements');
  await performAction(ada, last.taskId, 'submit');
  await performAction(sam, last.taskId, 'accept');
  expect(await mailsTo(sam, 11 * MINUTE), 'nothing is left to say').toEqual([]);
});

test('announcements wait for the end of quiet hours, and tell what holds then', async () => {
  const quiet = {
    kinds: optionalKinds(),
    isQuiet: true,
    ...AT_ONCE,
    from: 11,
    until: 15,
    timeZone: 'America/New_York',
  };
  await saveNotifications(sessionOf(ada), quiet);
  const task = await create(clientA, 'Bank statements');
  await create(clientA, 'Payroll data');
  expect(await mailsTo(ada, HOUR)).toEqual([]);
  await performAction(sam, task.taskId, 'cancel');
  const sent = await mailsTo(ada, 3 * HOUR);
  expect(sent.map(({ mail }) => mail.subject)).toEqual(['Maple & Hart has a new task for you']);
  expect(textOf(sent)).toContain('Payroll data');
  await saveNotifications(sessionOf(ada), { ...quiet, isQuiet: false });
});

test('who has turned off emails about tasks gets none, and turning them on again brings no old ones', async () => {
  const chosen = { isQuiet: false, ...AT_ONCE, from: 20, until: 7, timeZone: 'UTC' };
  await saveNotifications(sessionOf(ada), {
    ...chosen,
    kinds: optionalKinds().filter((kind) => kind !== 'task'),
  });
  await create(clientA, 'Bank statements');
  expect(await mailsTo(ada, 11 * MINUTE)).toEqual([]);
  await saveNotifications(sessionOf(ada), { ...chosen, kinds: optionalKinds() });
  await create(clientA, 'Payroll data');
  expect(textOf(await mailsTo(ada, 11 * MINUTE))).not.toContain('Bank statements');
});

test('the mail of a task is done when the client submits it', async () => {
  const task = await create(clientA, 'Bank statements');
  await mailsTo(ada, 11 * MINUTE);
  await performAction(ada, task.taskId, 'submit');
  const states = await db()
    .selectFrom('mails')
    .innerJoin('task_notices', 'task_notices.mail_id', 'mails.mail_id')
    .select('mails.state')
    .where('task_notices.task_id', '=', task.taskId)
    .where('task_notices.kind', '=', 'new')
    .execute();
  expect(states.map(({ state }) => state)).toEqual(['done', 'done']);
});

test.each(LANGS)('the announcement in %s is complete for one task and for 21', async (lang) => {
  const reader = await person(firmOne, `Lou ${lang}`, `lou-${lang}@one.example`, { language: lang });
  const [one, many] = [
    await client(firmOne, 'One Ltd', `1-${lang}`, [reader]),
    await client(firmOne, 'Many Ltd', `2-${lang}`, [reader]),
  ];
  await create(one, 'Bank statements', { dueDate: '2027-12-20' });
  const [single] = await mailsTo(reader, 11 * MINUTE);
  for (let index = 0; index < 21; index += 1) await create(many, `Task ${index}`);
  const [several] = await mailsTo(reader, 11 * MINUTE);
  for (const mail of [single, several]) {
    expect(mail?.mail.text).not.toMatch(/\{\{|[a-z]+_(?:one|other)|newT|lineDue/);
    expect(mail?.mail.subject).toContain('Maple & Hart');
  }
  expect(several?.mail.subject).toContain('21');
  expect(several?.mail.text?.match(/^- Task/gm)).toHaveLength(20);
});

const pathTo = addressBuilder(() => 'en-us', undefined);

test('contacts see in the portal what the firm asks and does with it, until they have answered', async () => {
  await db().deleteFrom('notifications').execute();
  const unread = async () =>
    (await listNotifications(ada, { state: 'unread', before: '' })).items.map((row) =>
      notificationText('en-us', row),
    );
  const { taskId } = await create(clientA, 'Bank statements');
  expect(await unread()).toEqual(['New task: Bank statements']);
  await performAction(sam, taskId, 'cancel');
  expect(await unread()).toEqual(['Bank statements was canceled']);
  await performAction(sam, taskId, 'reopen');
  expect(await unread()).toEqual(['Bank statements was reopened']);
  const [row] = (await listNotifications(ada, { state: 'unread', before: '' })).items;
  expect(row && addressOf(row, pathTo)).toBe(
    pathTo(`tasks/clients/${clientA}/task/${taskId}`, { client: clientA }),
  );
  await taskSubmitted.announce({ taskId, companyId: firmOne, clientId: clientA, title: 'Bank statements' });
  expect(await unread()).toEqual([]);
});
