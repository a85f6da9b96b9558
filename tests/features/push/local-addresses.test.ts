import type { LookupAddress } from 'node:dns';
import { expect, test, vi } from 'vitest';

/** What the resolver says. */
let addresses: LookupAddress[] = [];
let lookups = 0;
vi.mock('node:dns', () => ({
  lookup: (_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    lookups += 1;
    callback(null, addresses);
  },
}));
const { postPush } = await import('#features/office/push/services.server.ts');

const post = (): Promise<unknown> => postPush('https://fcm.googleapis.com/fcm/send/x', {}, Buffer.from('x'));

test.each([
  ['a private network', [{ address: '10.1.2.3', family: 4 }]],
  ['this machine', [{ address: '::1', family: 6 }]],
  ['the metadata of a cloud', [{ address: '169.254.169.254', family: 4 }]],
  ['nowhere', []],
  [
    'a public address and a local one',
    [
      { address: '142.250.186.74', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ],
  ],
])('a name of the list that leads to %s is not asked', async (_, found) => {
  [addresses, lookups] = [found, 0];
  await expect(post()).rejects.toMatchObject({ code: 'ELOCAL' });
  expect(lookups, 'a second lookup could say something else').toBe(1);
});
