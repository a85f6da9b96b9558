import { describe, expect, test } from 'vitest';
import { sweepExports } from '#features/documents/downloads/exports.server.ts';
import type { ExportJob } from '#features/documents/downloads/downloads.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, HOUR, moveClock } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { client, uploadAs, makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { firmOne, ada, ben, cleo, zoe, clientA, projectA, projectB, documentTwo } = await makeCast();
const letter = await uploadAs(ada, projectA, 'letter.pdf', 'a letter');
const bens = await uploadAs(ben, projectB, 'letter.pdf', 'of ben');

const jobs = '/api/storage/v1/jobs';
const dataOf = async <T>(answer: Response): Promise<T> => ((await answer.json()) as { data: T }).data;
const start = async (actor: Actor, id: string): Promise<string> => {
  moveClock(1); // of two in one millisecond, either may be first
  return dataOf(await apiAs(actor)('POST', `${jobs}/export`, { json: { fileIDs: [id] } }));
};
const stateOf = async (actor: Actor, job: string): Promise<ExportJob> =>
  dataOf(await apiAs(actor)('GET', `${jobs}/${job}`));
const placeOf = async (actor: Actor, job: string): Promise<number> => (await stateOf(actor, job)).place;
const cancel = (actor: Actor, job: string) => apiAs(actor)('DELETE', `${jobs}/${job}`);
/** The owners of the archives in progress, according to the rows. */
const running = async (): Promise<string[]> =>
  (
    await db()
      .selectFrom('exports')
      .select('contact_id')
      .where('status', '=', 'PENDING')
      .where('moved_at', 'is not', null)
      .execute()
  ).map((row) => row.contact_id);

describe('the archive queue', () => {
  test('of twenty archives requested at once one per user and two per firm run, and all complete', async () => {
    const people = [
      ada,
      cleo,
      ...(await Promise.all([1, 2, 3].map((n) => person(firmOne, `Pat ${n}`, `pat${n}@one.example`)))),
    ];
    for (const [n, one] of people.slice(2).entries()) await client(firmOne, `Shop ${n}`, `S-${n}`, [one]);
    for (const one of people.slice(2))
      await db()
        .insertInto('client_contacts')
        .values({ client_id: clientA, contact_id: one.contactId })
        .execute();
    const started = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => ({
        actor: people[i % 5] as Actor,
        job: await start(people[i % 5] as Actor, letter.id),
      })),
    );
    const made = await running();
    expect([made.length, new Set(made).size]).toEqual([2, 2]);
    const places = await Promise.all(started.map(({ actor, job }) => placeOf(actor, job)));
    expect(places.toSorted((a, b) => a - b)).toEqual([0, 0, ...Array.from({ length: 18 }, (_, i) => i + 1)]);
    await runDueJobs();
    expect(
      new Set(
        await Promise.all(started.map(async ({ actor, job }) => (await stateOf(actor, job)).jobStatus)),
      ),
    ).toEqual(new Set(['SUCCESS']));
  });

  test('archives queued behind one of the same user poll as waiting, and move up when one is cancelled', async () => {
    const [first, second, third] = [
      await start(ada, letter.id),
      await start(ada, letter.id),
      await start(ada, letter.id),
    ];
    expect(await stateOf(ada, second)).toMatchObject({
      jobStatus: 'PENDING',
      place: 1,
      progress: { checked: 0, total: 1 },
    });
    expect([await placeOf(ada, first), await placeOf(ada, third)]).toEqual([0, 2]);
    await cancel(ada, second);
    expect([await placeOf(ada, third), (await stateOf(ada, second)).jobStatus]).toEqual([1, 'CANCELLED']);
    await cancel(ada, first);
    expect([await placeOf(ada, third), await running()]).toEqual([0, [ada.contactId]]);
    await runDueJobs();
    expect((await stateOf(ada, third)).jobStatus).toBe('SUCCESS');
  });

  test('the archives of one user delay nobody else in the firm, nor in another firm', async () => {
    const own = [await start(ada, letter.id), await start(ada, letter.id), await start(ada, letter.id)];
    const other = await start(ben, bens.id);
    const third = await start(cleo, letter.id);
    const elsewhere = await start(zoe, documentTwo.id);
    expect([await placeOf(ben, other), await placeOf(cleo, third), await placeOf(zoe, elsewhere)]).toEqual([
      0, 3, 0,
    ]);
    await cancel(ben, other);
    expect([await placeOf(cleo, third), await placeOf(ada, own[1] ?? '')]).toEqual([0, 1]);
    await runDueJobs();
    expect(await running()).toEqual([]);
  });

  test('expired archives delay nobody, even before they are swept', async () => {
    await start(ada, letter.id);
    moveClock(DAY);
    const next = await start(ada, letter.id);
    expect(await placeOf(ada, next)).toBe(0);
    await runDueJobs();
    expect((await stateOf(ada, next)).jobStatus).toBe('SUCCESS');
  });

  test('archives whose job was lost, for example by a restore, are given up after an hour, and the next one starts', async () => {
    const [lost, next] = [await start(ada, letter.id), await start(ada, letter.id)];
    await db().deleteFrom('jobs').execute();
    moveClock(HOUR - 60_000);
    await sweepExports();
    expect((await stateOf(ada, lost)).jobStatus).toBe('PENDING');
    moveClock(60_000);
    await sweepExports();
    expect(await stateOf(ada, lost)).toMatchObject({ jobStatus: 'ERROR', missing: ['letter.pdf'] });
    await runDueJobs();
    expect((await stateOf(ada, next)).jobStatus).toBe('SUCCESS');
  });
});
