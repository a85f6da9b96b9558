import { describe, expect, test } from 'vitest';
import { admitGuess, forgetGuesses, rightGuess, sweepNetworks } from '#features/identity/guessing.server.ts';
import { DAY, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { everyRow, makeCast, standAt } from '../../kit/cast.ts';
import { onPostgres, WHOLE } from '../../kit/whole.ts';

/* How often somebody may guess, without the hashing of the guesses: tests/features/identity/sign-in.test.ts does that (security.md T32). */

const { ada } = await makeCast();
const HOME = '203.0.113.7';
const GUESSES = onPostgres && !WHOLE ? 2000 : 10_000;

/** 'looked at', or the details of the refusal. */
async function guess(email: string, network: string, prismGuid?: string): Promise<'looked at' | Record<string, unknown>> {
  return admitGuess({ email, network }, prismGuid).then(
    () => 'looked at',
    (error: unknown) => {
      const no = refusal(error);
      if (no?.code !== 'TOO_MANY') throw error;
      return no.details;
    },
  );
}

const pass = (milliseconds: number) => standAt(now() + milliseconds);
/** Wrong guesses for an address from one new network after the other, ten from each. */
async function guessFromElsewhere(email: string, times: number, net: string): Promise<number> {
  let looked = 0;
  for (let i = 0; i < times; i += 1) if ((await guess(email, `${net}.${Math.floor(i / 10)}`)) === 'looked at') looked += 1;
  return looked;
}

describe('guessing', () => {
  test(`${GUESSES} times, at 50 addresses from 20 networks, gets at most a hundred looks at each password`, { timeout: 120_000 }, async () => {
    const looked = new Map<string, number>();
    const networks = Array.from({ length: 20 }, (_, i) => `198.51.100.${i}`);
    let done = 0;
    // A minute of the clock for each 500 guesses, in a transaction of their own: waiting for the disk is not what this is about.
    while (done < GUESSES) {
      await inTransaction(async () => {
        for (let i = 0; i < 500; i += 1, done += 1) {
          const email = `target-${done % 50}@one.example`;
          if ((await guess(email, networks[Math.floor(done / 50) % 20] ?? '')) === 'looked at') looked.set(email, (looked.get(email) ?? 0) + 1);
        }
      });
      pass(16 * MINUTE);
    }
    expect(looked.size).toBe(50);
    expect([...looked.values()].every((times) => times <= 100)).toBe(true);
    const all = [...looked.values()].reduce((sum, times) => sum + times, 0);
    expect(all).toBeGreaterThan(GUESSES / 10);
    expect(all).toBeLessThanOrEqual(5000);
    console.info(`${GUESSES} guesses: ${all} passwords looked at`);
  });

  test('is slowed down: after ten wrong ones each wait is twice as long, up to 25 seconds', async () => {
    const waits: unknown[] = [];
    for (let i = 0; i < 10; i += 1) expect(await guess('slow@one.example', HOME)).toBe('looked at');
    pass(16 * MINUTE);
    for (let i = 0; i < 7; i += 1) {
      expect(await guess('slow@one.example', HOME)).toBe('looked at');
      const wait = await guess('slow@one.example', HOME);
      waits.push(wait === 'looked at' ? wait : wait['retryAfter']);
      pass(26 * SECOND);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 25, 25]);
  });

  test('a hundred times from anywhere locks the password, also the right one, and for an address that nobody has alike', async () => {
    for (const [email, net] of [['locked@one.example', '192.0.2'], ['nobody@one.example', '192.1.2']] as const) {
      expect(await guessFromElsewhere(email, 130, net)).toBe(100);
      expect(await guess(email, '192.9.9.9')).toMatchObject({ locked: true });
    }
    pass(30 * DAY);
    expect(await guess('LOCKED@one.example', '192.9.9.9')).toMatchObject({ locked: true });
  });

  test('does not lock the owner out on a network from which they signed in; another way in opens the password for everywhere', async () => {
    const owner = { email: ada.emailAddress, network: HOME };
    expect(await guess(ada.emailAddress, HOME, ada.prismGuid)).toBe('looked at');
    await rightGuess(owner, ada.prismGuid);
    expect(await guessFromElsewhere(ada.emailAddress, 100, '192.2.2')).toBe(100);
    expect(await guess(ada.emailAddress, '192.3.3.3', ada.prismGuid)).toMatchObject({ locked: true });
    expect(await guess(ada.emailAddress, HOME, ada.prismGuid)).toBe('looked at');
    await rightGuess(owner, ada.prismGuid);
    expect(await guess(ada.emailAddress, '192.3.3.3', ada.prismGuid), 'signing in at home does not open it to strangers').toMatchObject({ locked: true });
    await forgetGuesses(owner);
    expect(await guess(ada.emailAddress, '192.3.3.3', ada.prismGuid)).toBe('looked at');
  });

  test('from the home network is limited too: a hundred a day', async () => {
    let looked = 0;
    for (let i = 0; i < 400; i += 1) {
      if ((await guess(ada.emailAddress, HOME, ada.prismGuid)) === 'looked at') looked += 1;
      pass(2 * MINUTE);
    }
    expect(looked).toBe(100);
  });

  test('is forgotten by the right password', async () => {
    const owner = { email: 'forgiven@one.example', network: '192.4.4.4' };
    for (let round = 0; round < 12; round += 1) {
      for (let i = 0; i < 9; i += 1) expect(await guess(owner.email, owner.network)).toBe('looked at');
      await rightGuess(owner, ada.prismGuid);
      pass(MINUTE);
    }
  });

  test('is refused when it cannot be counted', async () => {
    await db().schema.alterTable('limits').renameTo('limits_away').execute();
    try {
      await expect(admitGuess({ email: 'x@one.example', network: HOME }, undefined)).rejects.toThrow();
    } finally {
      await db().schema.alterTable('limits_away').renameTo('limits').execute();
    }
  });

  test('keeps no address and no network in readable form, and forgets networks after 90 days', async () => {
    const rows = JSON.stringify([(await everyRow())['known_networks'], (await everyRow())['limits']]);
    for (const text of [HOME, '192.3.3.3', 'ada@one.example', 'locked@one.example']) expect(rows.includes(text), text).toBe(false);
    await sweepNetworks();
    expect((await everyRow())['known_networks']).not.toEqual([]);
    pass(91 * DAY);
    expect(await guessFromElsewhere(ada.emailAddress, 100, '192.4.4')).toBe(100);
    expect(await guess(ada.emailAddress, HOME, ada.prismGuid), 'also before it is swept away').toMatchObject({ locked: true });
    await sweepNetworks();
    expect((await everyRow())['known_networks']).toEqual([]);
  });
});
