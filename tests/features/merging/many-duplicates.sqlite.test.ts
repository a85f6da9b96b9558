import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import {
  listPossibleDuplicates,
  possibleDuplicatesOf,
} from '#features/documents/merging/possible-duplicates.server.ts';
import { assignClient } from '#features/base/people/rights.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { makeCast, person } from '../../support/cast.ts';
import { storeManyClients } from '../../support/many-clients.ts';
import { WHOLE } from '../../support/whole.ts';

/* What the engine reads for possible duplicates, in a firm with a thousand clients and in one with many more. */

const MANY = WHOLE ? 100_000 : 20_000;

const { firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});

/** Stores clients, of which every tenth has the name of the one before it. */
const store = (from: number, until: number): Promise<string[]> =>
  storeManyClients(
    firmOne,
    Array.from({ length: until - from }, (_, i) => from + i).map((number) => ({
      name: `Bakery ${number % 10 === 0 ? number : number - (number % 10 === 1 ? 1 : 0)}`,
      code: `B-${number}`,
      kind: 'business' as const,
      tags: [],
      responsible: olga.contactId,
    })),
  );

test('the list, its second page, its count and the pairs of a client cost the same with twenty times as many clients and more', async () => {
  const ids = await store(0, 1000);
  for (const id of ids.slice(0, 100)) await assignClient(id, mona.contactId);
  const { next } = await listPossibleDuplicates(olga);
  const reads: Record<string, (actor: Actor) => Promise<unknown>> = {
    'the list': (actor) => listPossibleDuplicates(actor),
    'the second page': (actor) => listPossibleDuplicates(actor, next),
    'of a client': (actor) => possibleDuplicatesOf(actor, ids[0] ?? ''),
  };
  const measure = async (): Promise<Record<string, number>> => {
    const steps: Record<string, number> = {};
    for (const [what, read] of Object.entries(reads))
      for (const [who, actor] of Object.entries({ olga, mona }))
        steps[`${what} for ${who}`] = await stepsOf(() => read(actor));
    return steps;
  };
  const few = await measure();
  await store(1000, MANY);
  const many = await measure();
  expect((await listPossibleDuplicates(olga)).pairs).toHaveLength(25);
  expect((await listPossibleDuplicates(mona)).pairs).toHaveLength(10);
  for (const [what, steps] of Object.entries(many)) {
    expect(steps, `${what}: ${few[what] ?? 0} → ${steps}`).toBeLessThanOrEqual((few[what] ?? 0) * 1.2);
    expect(steps, what).toBeGreaterThan(0);
  }
});
