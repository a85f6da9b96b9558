import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAnswerQueue, STORAGE_KEY, type Sent } from '#features/tasks/answer-editor/answer-queue.ts';
import type { AnswerChanges } from '#features/tasks/answer-editor/answer-editor.ts';

/* What is typed in a task until the portal has it: nothing is lost, nothing is sent twice, nothing is said to be saved. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The session storage of a tab. */
function tabStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> & { content: () => string } {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    content: () => values.get(STORAGE_KEY) ?? '',
  };
}

/** A queue whose calls are answered one after the other; by default every change is saved. */
function queueWith({
  answers = [],
  storage = tabStorage(),
  who = 'olivia',
  versions = {},
  rows = {},
  isReadOnly = false,
}: {
  answers?: ((body: AnswerChanges) => Sent | Promise<Sent>)[];
  storage?: ReturnType<typeof tabStorage>;
  who?: string;
  versions?: Record<string, number>;
  rows?: Record<string, string[]>;
  isReadOnly?: boolean;
} = {}) {
  const sent: AnswerChanges[] = [];
  const queue = createAnswerQueue({
    ownerId: 'task',
    language: 'en-us',
    versions,
    rows,
    send: (body) => {
      sent.push(body);
      return Promise.resolve((answers.shift() ?? allSaved)(body));
    },
    storage,
    who,
    isReadOnly,
  });
  const type = (path: string, text: string, isSensitive = false): void =>
    queue.change({ path, value: text, typed: [[path, [text]]], isSensitive });
  return { queue, sent, storage, type };
}

const allSaved = ({ changes }: AnswerChanges): Sent => ({
  kind: 'results',
  results: changes.map(({ path, base }) => ({ path, result: 'saved', version: base + 1 })),
});
const failed = (): Sent => ({ kind: 'failed' });
const refused = (code: string) => (): Sent => ({ kind: 'refused', code });

test('an answer is sent 200 ms after the last key, once, and is then no longer stored in the tab', async () => {
  const { queue, sent, storage, type } = queueWith();
  type('a.b', 'M');
  await vi.advanceTimersByTimeAsync(150);
  type('a.b', 'Mi');
  await vi.advanceTimersByTimeAsync(150);
  expect(sent).toHaveLength(0);
  expect(storage.content()).toContain('Mi');
  await vi.advanceTimersByTimeAsync(60);
  expect(sent.map(({ changes }) => changes)).toMatchObject([[{ path: 'a.b', value: 'Mi', base: 0 }]]);
  expect(queue.$state.get()).toBe('saved');
  expect(storage.content()).toBe('');
});

test('a control that tells the same value again, when it is left, is not sent again', async () => {
  const { queue, sent, type } = queueWith();
  type('a.b', 'Mill');
  await queue.flush();
  type('a.b', 'Mill');
  await queue.flush();
  expect(sent).toHaveLength(1);
  expect(queue.$state.get()).toBe('saved');
});

test('what is typed while a call is under way is sent next, based on the version that the call saved', async () => {
  let answer: (sent: Sent) => void = () => undefined;
  const slow = new Promise<Sent>((resolve) => (answer = resolve));
  const { queue, sent, type } = queueWith({ answers: [() => slow], versions: { 'a.b': 3 } });
  type('a.b', 'one');
  const flushed = queue.flush();
  await vi.advanceTimersByTimeAsync(0);
  type('a.b', 'two');
  answer({ kind: 'results', results: [{ path: 'a.b', result: 'saved', version: 4 }] });
  await flushed;
  expect(sent.flatMap(({ changes }) => changes)).toMatchObject([
    { value: 'one', base: 3, sequence: 1 },
    { value: 'two', base: 4, sequence: 2 },
  ]);
});

test('without a connection the answer is kept, and sent again every 5 s', async () => {
  const { queue, sent, storage, type } = queueWith({ answers: [failed, failed] });
  type('a.b', 'In a tunnel');
  await queue.flush();
  expect(queue.$state.get()).toBe('waiting');
  expect(queue.hasUnsaved()).toBe(true);
  expect(storage.content()).toContain('In a tunnel');
  await vi.advanceTimersByTimeAsync(5000);
  expect(queue.$state.get()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(5000);
  expect(queue.$state.get()).toBe('saved');
  expect(sent.map(({ changes }) => changes[0]?.sequence)).toEqual([1, 1, 1]);
});

test.each(['CLOSED', 'EXPIRED', 'NOT_FOUND'])(
  'what a task refuses with %s is not sent again, and the page says that it can no longer be changed',
  async (code) => {
    const { queue, sent, type } = queueWith({ answers: [refused(code)] });
    type('a.b', 'Too late');
    await queue.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    type('a.b', 'Still too late');
    await queue.flush();
    expect(sent).toHaveLength(1);
    expect(queue.$state.get()).toBe('closed');
    expect(queue.hasUnsaved()).toBe(true);
  },
);

test.each(['TERMS_REQUIRED', 'FORBIDDEN', 'INVALID', 'EMULATION_READ_ONLY'])(
  'what is refused with %s does not close the task: it is not sent again by itself, but when the person goes on',
  async (code) => {
    const { queue, sent, storage, type } = queueWith({ answers: [refused(code)] });
    type('a.b', 'Refused');
    await queue.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(1);
    expect([queue.$state.get(), queue.$refusal.get()]).toEqual(['refused', code]);
    expect(storage.content()).toContain('Refused');
    await queue.flush();
    expect(sent).toHaveLength(2);
    expect(queue.$state.get()).toBe('saved');
  },
);

test('what is typed while viewing as somebody is neither sent nor stored, and neither is what is stored in the tab', async () => {
  const storage = tabStorage();
  const first = queueWith({ storage, answers: [refused('TERMS_REQUIRED')] });
  first.type('a.b', 'Left behind');
  await first.queue.flush();
  const before = storage.content();
  const { queue, sent, type } = queueWith({ storage, isReadOnly: true });
  expect(queue.hasUnsaved()).toBe(false);
  type('a.c', 'Typed by staff');
  await queue.flush();
  queue.leave((body) => sent.push(body));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([]);
  expect(storage.content()).toBe(before);
  expect(queue.$state.get()).toBe('read-only');
});

test('an answer that the firm has accepted meanwhile is reported at its question, and the others are saved', async () => {
  const problem = { path: 'a.b', code: 'LOCKED', text: 'Accepted' };
  const { queue, type } = queueWith({
    answers: [
      () => ({
        kind: 'results',
        results: [
          { path: 'a.b', result: 'refused', version: 1, problem },
          { path: 'a.c', result: 'saved', version: 1 },
        ],
      }),
    ],
  });
  type('a.b', 'x');
  type('a.c', 'y');
  await queue.flush();
  expect(queue.$findings.get()['a.b']).toEqual(problem);
  expect(queue.hasUnsaved()).toBe(false);
  expect(queue.versions()).toMatchObject({ 'a.c': 1 });
});

test('the next page of the tab sends what the last one could not, for the same person only', async () => {
  const storage = tabStorage();
  const first = queueWith({ storage, answers: [failed] });
  first.type('a.b', 'Left behind');
  await first.queue.flush();
  expect(queueWith({ storage, who: 'ana' }).queue.restored()).toEqual([]);
  const next = queueWith({ storage });
  expect(next.queue.restored()).toEqual([['a.b', ['Left behind']]]);
  await next.queue.flush();
  expect(next.sent[0]?.tab).toBe(first.sent[0]?.tab);
  expect(storage.content()).toBe('');
});

test('a sensitive answer never reaches the storage of the tab', async () => {
  const { queue, storage, type } = queueWith({ answers: [failed] });
  type('you.ssn', '078-05-1120', true);
  await queue.flush();
  expect(storage.content()).toBe('');
  expect(queue.hasSensitive()).toBe(true);
});

test('another person’s answer is shown beside one’s own until one is chosen', async () => {
  const conflict = {
    keptId: 'kept',
    stored: 'Ana',
    kept: 'Bo',
    by: 'Ana',
    isOwn: false,
    at: '2026-03-04T10:00:00Z',
  };
  const { queue, sent, type } = queueWith({
    answers: [
      () => ({ kind: 'results', results: [{ path: 'a.b', result: 'conflict', version: 7, conflict }] }),
    ],
  });
  type('a.b', 'Bo');
  await queue.flush();
  expect(queue.$conflicts.get()['a.b']).toMatchObject({ stored: 'Ana', version: 7 });
  queue.decide('a.b', { value: 'Bo', typed: [['a.b', ['Bo']]], isSensitive: false });
  await queue.flush();
  expect(sent.at(-1)?.changes).toMatchObject([{ value: 'Bo', base: 7 }]);
  expect(queue.$conflicts.get()).toEqual({});
});

test('rows are sent with those that the page knows, so that rows of others stay', async () => {
  const { queue, sent } = queueWith({ rows: { 'a.g#order': ['r1'] }, versions: { 'a.g#order': 2 } });
  queue.change({ path: 'a.g#order', value: ['r1', 'r2'], typed: [], isSensitive: false });
  await queue.flush();
  queue.change({ path: 'a.g#order', value: ['r2'], typed: [], isSensitive: false });
  await queue.flush();
  expect(sent.flatMap(({ changes }) => changes)).toMatchObject([
    { value: ['r1', 'r2'], base: 2, known: ['r1'] },
    { value: ['r2'], base: 3, known: ['r1', 'r2'] },
  ]);
});

test('many answers are sent in calls of 50, in their order', async () => {
  const { queue, sent, type } = queueWith();
  for (let at = 0; at < 120; at += 1) type(`a.q${at}`, 'x');
  await queue.flush();
  expect(sent.map(({ changes }) => changes.length)).toEqual([50, 50, 20]);
  expect(queue.$state.get()).toBe('saved');
});
