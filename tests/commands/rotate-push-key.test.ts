import { afterAll, beforeAll, expect, test } from 'vitest';
import { act, command, databaseOf, newPlace, removePlaces, rowsIn } from './support.ts';

const portal = newPlace();

beforeAll(async () => {
  await act(portal, 'fill', 6);
});
afterAll(removePlaces);

const keys = () => rowsIn(databaseOf(portal), 'select name, public_key from push_keys order by name');

test('the key of push notifications is replaced; the one that devices know stays, and every value can be decrypted', async () => {
  const before = keys();
  const { code, said } = await command(portal, 'rotate-push-key');
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/^Push notifications have a new key. \d+ devices? know/),
  ]);
  expect(keys()).not.toEqual(before);
  expect(keys().filter(({ name }) => name === 'vapid')).toHaveLength(1);
  expect((await command(portal, 'verify')).said).toContain('everything is as it was written.');
});

test('the command explains itself, and refuses what it does not know', async () => {
  const help = await command(portal, 'rotate-push-key', ['--help']);
  expect([help.code, help.said]).toEqual([0, expect.stringContaining('npm run rotate-push-key')]);
  const wrong = await command(portal, 'rotate-push-key', ['now']);
  expect([wrong.code, wrong.said]).toEqual([1, expect.stringContaining('"now" is one argument too many.')]);
});
