import { describe, expect, test } from 'vitest';
import { fairQueue } from '#platform/jobs/fair-queue.server.ts';

const MANY = { width: 1, perPerson: 100, perFirm: 100, total: 100 };
const by = (person: string, firm = `firm of ${person}`) => ({ person, firm });

/** A queue of tasks that are completed one by one, and the order in which they started. */
function watchedQueue(limits = MANY) {
  const inTurn = fairQueue(limits);
  const order: string[] = [];
  const ask = (person: string, firm?: string): Promise<void> =>
    inTurn(by(person, firm), async () => {
      order.push(person);
      await Promise.resolve();
    });
  return { ask, order };
}

describe('a fair queue', () => {
  test('a person of another firm waits only for the running task', async () => {
    const { ask, order } = watchedQueue();
    const all = [...Array.from({ length: 30 }, () => ask('mallory')), ask('ada')];
    await Promise.all(all);
    expect(order.slice(0, 3)).toEqual(['mallory', 'ada', 'mallory']);
  });

  test('many people of one firm get as many turns as one of another', async () => {
    const { ask, order } = watchedQueue();
    const crowd = ['m1', 'm2', 'm3', 'm4'].flatMap((person) => [ask(person, 'crowd'), ask(person, 'crowd')]);
    await Promise.all([...crowd, ask('ada'), ask('ada')]);
    expect(order.slice(0, 5)).toEqual(['m1', 'ada', 'm2', 'ada', 'm3']);
  });

  test('people of one firm take turns', async () => {
    const { ask, order } = watchedQueue();
    await Promise.all([
      ask('m1', 'one'),
      ask('m1', 'one'),
      ask('m1', 'one'),
      ask('m2', 'one'),
      ask('m2', 'one'),
    ]);
    expect(order).toEqual(['m1', 'm2', 'm1', 'm2', 'm1']);
  });

  test('a queue of width two runs one task per firm at a time, and two firms in parallel', async () => {
    const inTurn = fairQueue({ ...MANY, width: 2 });
    const begun: string[] = [];
    const ends = Promise.withResolvers<undefined>();
    const work = (name: string) => async () => {
      begun.push(name);
      await ends.promise;
    };
    const all = [
      inTurn(by('m1', 'one'), work('m1')),
      inTurn(by('m2', 'one'), work('m2')),
      inTurn(by('ada'), work('ada')),
    ];
    await expect.poll(() => begun).toEqual(['m1', 'ada']);
    ends.resolve(undefined);
    await Promise.all(all);
    expect(begun).toEqual(['m1', 'ada', 'm2']);
  });

  test('an error of a queued task is thrown to its caller, and the next task runs', async () => {
    const inTurn = fairQueue(MANY);
    const failed = inTurn(by('mallory'), () => Promise.reject(new Error('broken')));
    const next = inTurn(by('ada'), () => Promise.resolve('shown'));
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('shown');
  });

  test.each([
    ['of a person', { ...MANY, perPerson: 2 }, ['m', 'm', 'm', 'm', 'a'], 1],
    ['of a firm', { ...MANY, perFirm: 2 }, ['m', 'm', 'm', 'm', 'a'], 1],
    ['in all', { ...MANY, total: 2 }, ['a', 'b', 'c', 'd'], 1],
  ])(
    'the queue limits the waiting tasks %s, besides the running one',
    async (_, limits, persons, refused) => {
      const { ask } = watchedQueue(limits);
      const answers = await Promise.allSettled(persons.map((person) => ask(person)));
      const codes = answers.flatMap((answer) =>
        answer.status === 'rejected' ? [String(answer.reason)] : [],
      );
      expect(codes).toEqual(Array.from({ length: refused }, () => 'PortalError: TOO_MANY'));
    },
  );
});

describe('a fair queue for several of a person at once', () => {
  const LIMITS = { width: 6, firmAtOnce: 4, personAtOnce: 2, perPerson: 3, perFirm: 100, total: 100 };

  /** A queue whose tasks run until they are ended by name, and those that have begun. */
  function heldQueue() {
    const inTurn = fairQueue(LIMITS);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (name: string, person: string, firm: string, isGone?: () => boolean): Promise<void> =>
      inTurn(
        by(person, firm),
        () =>
          new Promise<void>((resolve) => {
            begun.push(name);
            ends.set(name, resolve);
          }),
        isGone,
      );
    return { ask, begun, end: (name: string) => ends.get(name)?.() };
  }

  test('a person has two at once, a firm four, and another firm starts at once', async () => {
    const { ask, begun } = heldQueue();
    for (const person of ['m1', 'm2', 'm3'])
      for (const turn of [1, 2, 3]) void ask(`${person}-${turn}`, person, 'crowd');
    await expect.poll(() => begun).toEqual(['m1-1', 'm1-2', 'm2-1', 'm2-2']);
    void ask('ada-1', 'ada', 'other');
    await expect.poll(() => begun.at(-1)).toBe('ada-1');
  });

  test('the next turn of a firm goes to the person who has waited for one longest', async () => {
    const { ask, begun, end } = heldQueue();
    for (const turn of [1, 2, 3, 4]) void ask(`m1-${turn}`, 'm1', 'one');
    void ask('m2-1', 'm2', 'one');
    void ask('m2-2', 'm2', 'one');
    void ask('m3-1', 'm3', 'one');
    await expect.poll(() => begun).toEqual(['m1-1', 'm1-2', 'm2-1', 'm2-2']);
    end('m1-1');
    await expect.poll(() => begun.at(-1)).toBe('m3-1');
  });

  test('a person who has left takes no place among those who wait', async () => {
    const { ask } = heldQueue();
    let isGone = false;
    for (const turn of [1, 2, 3, 4, 5]) void ask(`m1-${turn}`, 'm1', 'one', () => turn > 2 && isGone);
    await expect(ask('m1-6', 'm1', 'one')).rejects.toMatchObject({ code: 'TOO_MANY' });
    isGone = true;
    void ask('m1-7', 'm1', 'one');
    await expect(Promise.race([ask('m1-8', 'm1', 'one'), Promise.resolve('waits')])).resolves.toBe('waits');
  });
});
