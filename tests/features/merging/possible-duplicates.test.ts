import { beforeEach, describe, expect, test } from 'vitest';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import type { ClientInput } from '#features/clients/clients/client-records.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { removeUnusedClient } from '#features/clients/clients/removing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import {
  dismissDuplicate,
  listPossibleDuplicates,
  PAGE_SIZE,
  possibleDuplicatesOf,
} from '#features/documents/merging/possible-duplicates.server.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { activityOfClient } from '#features/office/staff/audit-log.server.ts';
import { HOUR, moveClock, now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';

const { ada, sam, tom, firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const session = (actor: Actor): Session => ({
  id: 'session',
  actor,
  expiresAt: now() + HOUR,
  amr: ['pwd'],
  authenticatedAt: now(),
  termsDue: false,
});
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => refusal(error)?.code,
  );

/** Creates a client later than the one before, or neither would be the older one. */
function create(name: string, input: Partial<ClientInput> = {}): Promise<string> {
  moveClock(1);
  return createClient(olga, { name, ...input }, { allowDuplicate: true });
}

/** The pairs that somebody sees, as their names and what is the same. */
const seenBy = async (actor: Actor): Promise<string[]> =>
  (await listPossibleDuplicates(actor)).pairs.map(
    ({ older, newer, same }) => `${older.name} = ${newer.name}: ${same.join(', ')}`,
  );

/** Dismisses what earlier tests left. */
beforeEach(async () => {
  for (const { id } of (await listPossibleDuplicates(olga)).pairs) await dismissDuplicate(olga, id);
});

test.each<
  [string, Partial<ClientInput> & { name: string }, Partial<ClientInput> & { name: string }, string[]]
>([
  [
    'the same tax id',
    { name: 'Acorn Toys', taxIds: [{ kind: 'ein', number: '12-3456789' }] },
    { name: 'Toys by Acorn', taxIds: [{ kind: 'ein', number: '123456789' }] },
    ['Acorn Toys = Toys by Acorn: taxId'],
  ],
  [
    'one number, with and without zeros and punctuation',
    { name: 'Birch Cafe', code: '00-77' },
    { name: 'Cafe Birch', code: '77' },
    ['Birch Cafe = Cafe Birch: number'],
  ],
  [
    'one name in other letters and punctuation',
    { name: 'Willow Dental, LLC' },
    { name: 'WILLOW DENTAL LLC' },
    ['Willow Dental, LLC = WILLOW DENTAL LLC: name'],
  ],
  [
    'all three',
    { name: 'Cedar', code: '8', taxIds: [{ kind: 'ein', number: '98-7654321' }] },
    { name: 'cedar', code: '08', taxIds: [{ kind: 'ein', number: '98-7654321' }] },
    ['Cedar = cedar: taxId, number, name'],
  ],
  ['names that only begin alike', { name: 'Dogwood' }, { name: 'Dogwood North' }, []],
  ['no number at all', { name: 'Elm', code: '' }, { name: 'Fir', code: '' }, []],
  ['numbers of zeros alone', { name: 'Gum', code: '0' }, { name: 'Hazel', code: '00' }, []],
])('two clients with %s are one pair, or none', async (_, one, other, pairs) => {
  const first = await create(one.name, one);
  const second = await create(other.name, other);
  expect(await seenBy(olga)).toEqual(pairs);
  expect(await possibleDuplicatesOf(olga, first)).toEqual(await possibleDuplicatesOf(olga, second));
  expect(await possibleDuplicatesOf(olga, first)).toHaveLength(pairs.length);
});

describe('a pair', () => {
  test('leaves the list when a client is renamed, archived, merged or removed, and comes back when it is restored', async () => {
    const keep = await create('Juniper Books');
    const other = await create('Juniper Books');
    const pair = ['Juniper Books = Juniper Books: name'];
    expect(await seenBy(olga)).toEqual(pair);
    await updateClient(olga, other, { name: 'Juniper Records' });
    expect(await seenBy(olga)).toEqual([]);
    await updateClient(olga, other, { name: 'Juniper Books', allowDuplicate: true });
    expect(await seenBy(olga)).toEqual(pair);
    await archiveClients(olga, [other]);
    expect(await seenBy(olga)).toEqual([]);
    await restoreClients(olga, [other]);
    expect(await seenBy(olga)).toEqual(pair);
    await mergeClients(session(olga), other, keep);
    expect(await seenBy(olga)).toEqual([]);
    const unused = await create('Juniper Books');
    expect(await seenBy(olga)).toEqual(pair);
    expect(await removeUnusedClient(olga, unused)).toBe(true);
    expect(await seenBy(olga)).toEqual([]);
  });

  test('follows a tax id that is added and removed later', async () => {
    const taxIds = [{ kind: 'ein' as const, number: '55-5555555' }];
    await create('Larch', { taxIds });
    const other = await create('Maple');
    await updateClient(olga, other, { taxIds, allowDuplicate: true });
    expect(await seenBy(olga)).toEqual(['Larch = Maple: taxId']);
    await updateClient(olga, other, { taxIds: [] });
    expect(await seenBy(olga)).toEqual([]);
  });

  test('that somebody dismissed does not come again, and the audit log of both clients says who did', async () => {
    const older = await create('Oak Fencing');
    const newer = await create('Oak Fencing');
    const [pair] = (await listPossibleDuplicates(olga)).pairs;
    await dismissDuplicate(olga, pair?.id ?? '');
    await updateClient(olga, newer, { name: 'Oak Fences' });
    await updateClient(olga, newer, { name: 'Oak Fencing', allowDuplicate: true });
    expect(await seenBy(olga)).toEqual([]);
    expect(await possibleDuplicatesOf(olga, older)).toEqual([]);
    for (const id of [older, newer])
      expect((await activityOfClient(olga, id, undefined)).entries.map(({ action }) => action)).toContain(
        'client.dismiss-duplicate',
      );
    expect(await codeOf(dismissDuplicate(olga, pair?.id ?? ''))).toBe('NOT_FOUND');
    // unlike the two, a dismissed one may be removed
    expect(await removeUnusedClient(olga, newer)).toBe(true);
  });

  test('is seen and dismissed only by those who manage clients and see both', async () => {
    const older = await create('Pine Studio');
    const newer = await create('Pine Studio');
    await assignClient(older, mona.contactId);
    const [pair] = (await listPossibleDuplicates(olga)).pairs;
    expect(await seenBy(mona)).toEqual([]);
    expect(await possibleDuplicatesOf(mona, older)).toEqual([]);
    expect(await codeOf(dismissDuplicate(mona, pair?.id ?? ''))).toBe('NOT_FOUND');
    await assignClient(newer, mona.contactId);
    expect(await seenBy(mona)).toEqual(['Pine Studio = Pine Studio: name']);
    for (const actor of [sam, ada]) {
      expect(await codeOf(listPossibleDuplicates(actor))).toBe('FORBIDDEN');
      expect(await codeOf(dismissDuplicate(actor, pair?.id ?? ''))).toBe('FORBIDDEN');
      expect(await possibleDuplicatesOf(actor, older)).toEqual([]);
    }
    await dismissDuplicate(mona, pair?.id ?? '');
    expect(await seenBy(olga)).toEqual([]);
  });

  test('of another firm is not a pair', async () => {
    const stranger = await person(tom.companyId, 'Otto Owner', 'otto@two.example', { role: 'owner' });
    await createClient(stranger, { name: 'Quince' });
    await create('Quince');
    expect([await seenBy(olga), await seenBy(stranger)]).toEqual([[], []]);
  });
});

test('the list is paged, surest first, each pair once', async () => {
  const taxIds = [{ kind: 'ein' as const, number: '33-3333333' }];
  for (let i = 0; i < 7; i += 1) await create('Rowan', i < 2 ? { taxIds } : {});
  await create('Spruce');
  await create('Spruce');
  for (let i = 0; i < 3; i += 1) await create('Rowan');
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await listPossibleDuplicates(olga, after);
    expect(page.pairs.length).toBeLessThanOrEqual(PAGE_SIZE);
    if (after === undefined) expect(page.pairs[0]?.same).toEqual(['taxId', 'name']);
    ids.push(...page.pairs.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(ids).toHaveLength((10 * 9) / 2 + 1);
  expect(new Set(ids).size).toBe(ids.length);
  expect((await listPossibleDuplicates(olga, 'client_gone.client_gone')).pairs[0]?.same).toEqual([
    'taxId',
    'name',
  ]);
  while ((await listPossibleDuplicates(olga)).pairs.length > 0)
    for (const { id } of (await listPossibleDuplicates(olga)).pairs) await dismissDuplicate(olga, id);
});
