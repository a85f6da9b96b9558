import { expect, test } from 'vitest';
import {
  checkPlace,
  giveFeedback,
  listFeedback,
  markFeedbackSeen,
  sweepFeedback,
} from '#features/content/feedback/feedback.server.ts';
import { feedbackPlace } from '#features/content/feedback/feedback.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, zoe, firmOne, firmTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const otto = await person(firmTwo, 'Otto Owner', 'otto@two.example', { role: 'owner' });
const asked = (actor: Actor): Actor => ({
  ...actor,
  access: accessFrom(actor.role, [{ kind: 'flag', name: 'feedbackRequest', granted: true }]),
});

const ABOUT_TASKS = { article: 'tasks', page: '' };
const give = (actor: Actor, message: string, place = ABOUT_TASKS as { article?: string; page: string }) =>
  giveFeedback(actor, { rating: 'bad', message, place });
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );
const waiting = async (actor: Actor) =>
  (await listInbox(actor, inboxQuery.parse({ of: 'mine' }))).items.filter(({ kind }) => kind === 'feedback');

test('those who manage the firm read what a contact wrote about an article, and it waits in their inbox', async () => {
  await give(ada, 'Where is the button?');
  const { feedback, total } = await listFeedback(olga, 1);
  expect(total).toBe(1);
  expect(feedback).toMatchObject([
    {
      author: 'Ada Amber',
      rating: 'bad',
      message: 'Where is the button?',
      articleId: 'tasks',
      isSeen: false,
    },
  ]);
  expect(await waiting(olga)).toMatchObject([{ kind: 'feedback', count: 1, name: 'Ada Amber' }]);
  await markFeedbackSeen(olga, feedback[0]?.feedbackId ?? '');
  expect((await listFeedback(olga, 1)).feedback).toMatchObject([{ isSeen: true }]);
  expect(await waiting(olga)).toEqual([]);
});

test('feedback of the team is listed, and waits in nobody’s inbox', async () => {
  await give(sam, 'From the team.');
  expect((await listFeedback(olga, 1)).feedback[0]).toMatchObject({ author: 'Sam Staff' });
  expect(await waiting(olga)).toEqual([]);
});

test('the message is stored encrypted', async () => {
  await give(ada, 'A very secret message');
  const rows = await db().selectFrom('feedback').select('message').execute();
  expect(JSON.stringify(rows)).not.toContain('secret');
});

test('feedback is read by those who manage the firm, and by no other firm', async () => {
  const { feedback } = await listFeedback(olga, 1);
  expect((await listFeedback(otto, 1)).total).toBe(0);
  expect(await codeOf(markFeedbackSeen(otto, feedback[0]?.feedbackId ?? ''))).toBe('NOT_FOUND');
  for (const actor of [ada, sam]) {
    expect(await codeOf(listFeedback(actor, 1))).toBe('FORBIDDEN');
    expect(await codeOf(markFeedbackSeen(actor, feedback[0]?.feedbackId ?? ''))).toBe('FORBIDDEN');
  }
  expect(await waiting(sam)).toEqual([]);
});

test('feedback is about an article that the person sees, or in general where the firm asks for it', async () => {
  expect(await codeOf(give(zoe, 'x', { article: 'no-such-article', page: '' }))).toBe('NOT_FOUND');
  expect(await codeOf(give(ada, 'x', { article: 'staff-clients', page: '' }))).toBe('NOT_FOUND');
  expect(await codeOf(give(ada, 'x', { page: 'documents' }))).toBe('FORBIDDEN');
  expect(() => checkPlace(asked(ada), { page: 'documents' })).not.toThrow();
  await at(now() + 2 * HOUR, () => give(asked(ada), 'Nice portal', { page: 'documents' }));
  expect((await listFeedback(olga, 1)).feedback[0]).toMatchObject({ articleId: null, page: 'documents' });
});

test('five an hour is the limit, and an hour later there is room again', async () => {
  const later = now() + 10 * HOUR;
  for (let i = 0; i < 5; i += 1) await at(later + i, () => give(zoe, `Message ${i}`));
  expect(await at(later + 10, () => codeOf(give(zoe, 'One too many')))).toBe('TOO_MANY');
  expect(await at(later + 2 * HOUR, () => codeOf(give(zoe, 'Later')))).toBe('done');
});

test('feedback is deleted after a year, and leaves the inbox', async () => {
  await at(now() + 20 * HOUR, () => give(ada, 'To be swept'));
  expect(await waiting(olga)).not.toEqual([]);
  await at(now() + 360 * DAY, sweepFeedback);
  expect((await listFeedback(olga, 1)).total).toBeGreaterThan(0);
  await at(now() + 367 * DAY, sweepFeedback);
  expect((await listFeedback(olga, 1)).total).toBe(0);
  expect(await waiting(olga)).toEqual([]);
});

test.each([
  [
    { article: 'tasks', page: 'documents/[documentId]/view' },
    { article: 'tasks', page: 'documents/[documentId]/view' },
  ],
  [{ article: '../../etc', page: '"><script>' }, { page: '' }],
  [{ article: 'x'.repeat(100), page: 'p'.repeat(200) }, { page: '' }],
  [{}, { page: '' }],
])('an address names an article and a page, or neither: %j', (given, expected) => {
  expect(feedbackPlace.parse(given)).toEqual(expected);
});
