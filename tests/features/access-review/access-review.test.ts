import { afterEach, describe, expect, test } from 'vitest';
import {
  decide,
  listItems,
  listReviews,
  planOf,
  reviewOf,
  setPlan,
  startReview,
  sweepReviews,
} from '#features/clients/access-review/access-review.server.ts';
import { REVIEW_DAYS } from '#features/clients/access-review/access-review.ts';
import { reviewFile } from '#features/clients/access-review/pages.server.ts';
import { clientIdsOf, actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import '../../../src/app.server.ts';
import { sessionAs } from '../../support/api.ts';
import { CANARY, makeCast, person, standAt, startMailServer } from '../../support/cast.ts';

const { ada, cleo, sam, firmOne, firmTwo, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', { role: 'manager' });
const mail = await startMailServer();
const START = Date.UTC(2026, 1, 10, 12);
standAt(START);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );
const itemsOf = async (id: string) => (await listItems(olga, id)).items;
const subjects = async () => (await mail.deliver()).map(({ mail: { subject } }) => subject);
const clientsOf = async ({ contactId }: Actor): Promise<string[]> =>
  (await clientIdsOf(await actorOf(contactId)).execute()).map(({ client_id: id }) => id);

afterEach(async () => {
  await db().deleteFrom('access_reviews').execute();
  await db().deleteFrom('access_review_plans').execute();
  standAt(START);
});

describe('a review', () => {
  test('lists every access of the firm: staff by role, contacts by client, and no one of another firm', async () => {
    const id = await startReview(olga);
    const items = await itemsOf(id);
    expect(items.map(({ person: name, client, role }) => [name, client ?? role])).toEqual([
      ['Mona Manager', 'manager'],
      ['Olga Owner', 'owner'],
      ['Sam Staff', 'member'],
      ['Ada Amber', 'Amber Bakery'],
      ['Cleo Cedar', 'Amber Bakery'],
      ['Ben Birch', 'Birch Boats'],
      ['Cleo Cedar', 'Birch Boats'],
    ]);
    expect(JSON.stringify(items)).not.toContain(CANARY);
    expect(items.every(({ decision }) => decision === undefined)).toBe(true);
    expect(await startReview(olga)).toBe(id); // one at a time
  });

  test('is finished when everything is decided, with who decided what and when', async () => {
    const id = await startReview(olga);
    const items = await itemsOf(id);
    const numberOf = (name: string, client?: string): number =>
      items.find((item) => item.person === name && item.client === client)?.number ?? 0;
    const removed = [numberOf('Cleo Cedar', 'Birch Boats'), numberOf('Sam Staff')];
    expect(await decide(sessionAs(olga), id, removed, 'removed')).toEqual({ done: 2, refused: 0 });
    expect(await clientsOf(cleo)).toEqual([clientA]);
    expect(canAccessPortal(await actorOf(sam.contactId))).toBe(false);
    const others = items.map(({ number }) => number).filter((number) => !removed.includes(number));
    expect(await decide(sessionAs(olga), id, others, 'confirmed')).toEqual({ done: 5, refused: 0 });
    expect(await clientsOf(ada)).toEqual([clientA]);
    expect(await reviewOf(olga, id)).toMatchObject({ total: 7, decided: 7, removed: 2 });
    expect((await reviewOf(olga, id)).finishedAt).toBeDefined();
    expect((await itemsOf(id)).find(({ number }) => number === removed[0])).toMatchObject({
      decision: 'removed',
      decidedBy: 'Olga Owner',
    });
    const file = await (await reviewFile(olga, 'en-us', id)).text();
    expect(file).toContain('Cleo Cedar,Birch Boats,');
    expect(file).toContain('Removed,Olga Owner,2026-02-10T');
    const actions = await db()
      .selectFrom('audit')
      .select('action')
      .where('details', 'like', `%${id}%`)
      .execute();
    expect(actions.map(({ action }) => action).toSorted()).toEqual([
      ...Array<string>(5).fill('access-review.confirm'),
      ...Array<string>(2).fill('access-review.remove'),
    ]);
    // what is decided stays decided
    expect(await decide(sessionAs(olga), id, removed, 'confirmed')).toEqual({ done: 0, refused: 0 });
    await db()
      .updateTable('contacts')
      .set({ suspended_at: null })
      .where('contact_id', '=', sam.contactId)
      .execute();
  });

  test('no one removes their own access; removing staff needs a recent sign-in', async () => {
    const id = await startReview(olga);
    const items = await itemsOf(id);
    const own = items.find(({ contactId }) => contactId === olga.contactId)?.number ?? 0;
    expect(await decide(sessionAs(olga), id, [own], 'removed')).toEqual({ done: 0, refused: 1 });
    expect((await itemsOf(id)).find(({ number }) => number === own)?.decision).toBeUndefined();
    const manager = items.find(({ contactId }) => contactId === mona.contactId)?.number ?? 0;
    const session = sessionAs(olga, { authenticatedAt: now() - 10 * MINUTE });
    expect(await codeOf(decide(session, id, [manager], 'removed'))).toBe('STEP_UP');
    expect((await itemsOf(id)).find(({ number }) => number === manager)?.decision).toBeUndefined();
  });

  test('only who manages the firm for all clients sees and decides, and only their own firm’s', async () => {
    const id = await startReview(olga);
    const otto = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
    const lee = await person(firmOne, 'Lee Limited', 'lee@one.example', {
      role: 'owner',
      hasAllClients: false,
    });
    for (const actor of [mona, sam, ada, lee]) {
      expect(await codeOf(listReviews(actor))).toBe('FORBIDDEN');
      expect(await codeOf(listItems(actor, id))).toBe('FORBIDDEN');
      expect(await codeOf(decide(sessionAs(actor), id, [1], 'confirmed'))).toBe('FORBIDDEN');
      expect(await codeOf(startReview(actor))).toBe('FORBIDDEN');
      expect(await codeOf(setPlan(actor, { interval: '3' }))).toBe('FORBIDDEN');
    }
    expect(await codeOf(listItems(otto, id))).toBe('NOT_FOUND');
    expect(await codeOf(reviewFile(otto, 'en-us', id))).toBe('NOT_FOUND');
    expect(await codeOf(decide(sessionAs(otto), id, [1], 'confirmed'))).toBe('NOT_FOUND');
    expect(await listReviews(otto)).toEqual([]);
    await db()
      .updateTable('contacts')
      .set({ removed_at: now() })
      .where('contact_id', '=', lee.contactId)
      .execute();
  });
});

describe('regular reviews', () => {
  test('begin with the next quarter, and remind once, a week before they are due', async () => {
    await mail.discard();
    await setPlan(olga, { interval: '3' });
    expect(await planOf(olga)).toEqual({ interval: '3', startsAt: Date.UTC(2026, 3, 1) });
    await sweepReviews();
    expect(await listReviews(olga)).toEqual([]);
    standAt(Date.UTC(2026, 3, 1, 1));
    await sweepReviews();
    await sweepReviews();
    expect(await subjects()).toEqual(['Check who has access']);
    expect(await listReviews(olga)).toHaveLength(1);
    expect((await planOf(olga)).startsAt).toBe(Date.UTC(2026, 6, 1));
    standAt(Date.UTC(2026, 3, 1, 1) + (REVIEW_DAYS - 8) * DAY);
    await sweepReviews();
    expect(await subjects()).toEqual([]);
    standAt(Date.UTC(2026, 3, 1, 1) + (REVIEW_DAYS - 6) * DAY);
    await sweepReviews();
    await sweepReviews();
    expect(await subjects()).toEqual(['The access review ends soon']);
  });

  test('half-years and years begin in January; without an interval there are none', async () => {
    await setPlan(olga, { interval: '6' });
    expect((await planOf(olga)).startsAt).toBe(Date.UTC(2026, 6, 1));
    await setPlan(olga, { interval: '12' });
    expect((await planOf(olga)).startsAt).toBe(Date.UTC(2027, 0, 1));
    await setPlan(olga, { interval: '0' });
    standAt(Date.UTC(2028, 0, 1));
    await sweepReviews();
    expect(await listReviews(olga)).toEqual([]);
  });
});
