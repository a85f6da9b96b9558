import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { isStorageOpen, orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { at, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { openStorageOf } from '../../support/fiscal.ts';
import { counts } from '../../support/statements.ts';

const { firmOne, ...cast } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(owner);
const ada = await actorOf(cast.ada.contactId);
const inSession = (sessionId: string) => ({ ...ada, sessionId });

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = counts.statements;
  await work();
  return counts.statements - before;
}

test('whether the storage is open is looked up once for a session, and again for the next one', async () => {
  expect(await isStorageOpen(inSession('one'))).toBe(true);
  expect(await statementsOf(() => isStorageOpen(inSession('one')))).toBe(0);
  expect(await statementsOf(() => isStorageOpen(inSession('two')))).toBe(1);
});

test('a switch of the firm counts at once, and one at another node within a minute', async () => {
  await orderStorage(owner, false);
  expect(await isStorageOpen(inSession('one'))).toBe(false);
  await orderStorage(owner, true);
  expect(await isStorageOpen(inSession('one'))).toBe(true);
  const later = () => at(now() + MINUTE + 1, () => isStorageOpen(inSession('one')));
  expect(await statementsOf(later)).toBe(1);
});

test('the flag of a person counts at once, whatever was looked up before', async () => {
  expect(await isStorageOpen(inSession('one'))).toBe(true);
  const flags = { ...ada.access.flags, BoxE: false };
  expect(await isStorageOpen({ ...inSession('one'), access: { ...ada.access, flags } })).toBe(false);
});
