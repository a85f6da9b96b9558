import { describe, expect, test } from 'vitest';
import {
  admitGuess,
  forgetGuesses,
  rightGuess,
  sweepDevices,
} from '#features/identity/credentials/brute-force.server.ts';
import { DAY, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { everyRow, makeCast, standAt } from '../../support/cast.ts';
import { onPostgres, WHOLE } from '../../support/whole.ts';

/*
 * The limits of guessing without the hashing, which tests/features/identity/sign-in.test.ts covers
 * (threat-model.md T32).
 */

const { ada } = await makeCast();
const HOME = '203.0.113.7';
const GUESSES = onPostgres && !WHOLE ? 2000 : 10_000;

/** Returns 'looked at', or the details of the refusal; the fourth parameter is the device cookie. */
async function guess(
  email: string,
  network: string,
  prismGuid?: string,
  device?: string,
): Promise<'looked at' | Record<string, unknown>> {
  return admitGuess({ email, network, device }, prismGuid).then(
    () => 'looked at',
    (error: unknown) => {
      const no = refusal(error);
      if (no?.code !== 'TOO_MANY') throw error;
      return no.details;
    },
  );
}

const pass = (milliseconds: number) => standAt(now() + milliseconds);
/** The value of the cookie that identifies a device. */
const deviceIn = (cookie: string): string => /device=([\w-]{43});/.exec(cookie)?.[1] ?? '';
/** Guesses wrong passwords for an address from one new network after another, ten from each. */
const guessFromElsewhere = (email: string, times: number, net: string): Promise<number> =>
  inTransaction(async () => {
    let looked = 0;
    for (let i = 0; i < times; i += 1)
      if ((await guess(email, `${net}.${Math.floor(i / 10)}`)) === 'looked at') looked += 1;
    return looked;
  });

/**
 * Guesses wrong passwords from one network, two minutes apart. One transaction avoids waiting for the disk.
 */
const guessSlowly = (
  email: string,
  network: string,
  times: number,
  prismGuid?: string,
  device?: string,
): Promise<number> =>
  inTransaction(async () => {
    let looked = 0;
    for (let i = 0; i < times; i += 1) {
      if ((await guess(email, network, prismGuid, device)) === 'looked at') looked += 1;
      pass(2 * MINUTE);
    }
    return looked;
  });

describe('brute-force protection', () => {
  test(
    `${GUESSES} guesses at 50 addresses from 20 networks check each password a hundred times, then hardly once an hour`,
    { timeout: 120_000 },
    async () => {
      const looked = new Map<string, number>();
      const networks = Array.from({ length: 20 }, (_, i) => `198.51.100.${i}`);
      let done = 0;
      // Each 500 guesses take one step of the clock and one transaction, which avoids waiting for the disk.
      while (done < GUESSES) {
        await inTransaction(async () => {
          for (let i = 0; i < 500; i += 1, done += 1) {
            const email = `target-${done % 50}@one.example`;
            if ((await guess(email, networks[Math.floor(done / 50) % 20] ?? '')) === 'looked at')
              looked.set(email, (looked.get(email) ?? 0) + 1);
          }
        });
        pass(16 * MINUTE);
      }
      expect(looked.size).toBe(50);
      expect(Math.max(...looked.values())).toBeLessThanOrEqual(108);
      const all = [...looked.values()].reduce((sum, times) => sum + times, 0);
      expect(all).toBeGreaterThan(GUESSES / 10);
      expect(all).toBeLessThanOrEqual(5400);
      console.info(`${GUESSES} guesses: ${all} passwords looked at`);
    },
  );

  test('after ten wrong guesses each wait doubles, up to 25 seconds', async () => {
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

  test('a hundred guesses from one network lock the address for that network alone, for a day, whoever owns it', async () => {
    for (const email of ['locked@one.example', 'nobody@one.example']) {
      expect(await guessSlowly(email, '192.0.2.1', 130)).toBe(100);
      expect(await guess(email.toUpperCase(), '192.0.2.1')).toMatchObject({ locked: true });
      expect(await guess(email, '198.18.9.9')).toBe('looked at');
      pass(DAY);
      expect(await guess(email, '192.0.2.1')).toBe('looked at');
    }
  });

  test('guesses from changing addresses of one IPv6 network count as from one', async () => {
    const answers = [];
    for (let i = 0; i < 12; i += 1) answers.push(await guess('six@one.example', `2001:db8:1:2::${i}`));
    expect(answers.filter((answer) => answer === 'looked at')).toHaveLength(10);
    expect(await guess('six@one.example', '2001:db8:1:3::1')).toBe('looked at');
  });

  test('guesses from changing networks lock nobody out: elsewhere the first try is checked and the next ones wait', async () => {
    expect(await guessFromElsewhere('sophie@one.example', 130, '192.0.2')).toBe(101);
    expect(
      await guess('sophie@one.example', '192.0.2.200'),
      'the network around has had its look',
    ).toMatchObject({ retryAfter: 60 });
    for (const network of ['203.0.113.9', '2001:db8:7:1::5'])
      expect(await guess('sophie@one.example', network)).toBe('looked at');
    const waits: unknown[] = [];
    for (let i = 1; i <= 4; i += 1) {
      const wait = await guess('sophie@one.example', '203.0.113.9');
      waits.push(wait === 'looked at' ? wait : wait['retryAfter']);
      pass(2 ** i * MINUTE);
      await guess('sophie@one.example', '203.0.113.9');
    }
    expect(waits).toEqual([60, 120, 240, 480]);
  });

  test('guesses do not slow the owner down on a known device in any network, and a sign-in by another method ends the attack', async () => {
    const owner = { email: ada.emailAddress, network: HOME };
    expect(await guess(ada.emailAddress, HOME, ada.prismGuid)).toBe('looked at');
    const device = deviceIn(await rightGuess(owner, ada.prismGuid));
    expect(await guessFromElsewhere(ada.emailAddress, 110, '192.2.2')).toBeGreaterThan(100);
    for (let i = 0; i < 5; i += 1)
      expect(await guess(ada.emailAddress, '192.2.2.77', ada.prismGuid, device)).toBe('looked at');
    expect(
      await guess(ada.emailAddress, '192.2.2.77', ada.prismGuid),
      'without its cookie it is a stranger',
    ).toMatchObject({ retryAfter: 60 });
    expect(
      await guess(ada.emailAddress, '192.2.2.78', undefined, device),
      'nobody else is known by it',
    ).not.toBe('looked at');
    expect(deviceIn(await rightGuess({ ...owner, device }, ada.prismGuid)), 'the cookie stays the same').toBe(
      device,
    );
    expect(
      await guess(ada.emailAddress, '192.2.2.79', ada.prismGuid),
      'signing in does not end the attack',
    ).not.toBe('looked at');
    await forgetGuesses(owner, ada.prismGuid);
    for (let i = 0; i < 3; i += 1)
      expect(await guess(ada.emailAddress, '192.2.2.80', ada.prismGuid)).toBe('looked at');
  });

  test('guesses on a known device are limited too: ten in 15 minutes, a hundred a day', async () => {
    const device = deviceIn(await rightGuess({ email: ada.emailAddress, network: HOME }, ada.prismGuid));
    for (let i = 0; i < 10; i += 1)
      expect(await guess(ada.emailAddress, HOME, ada.prismGuid, device)).toBe('looked at');
    expect(await guess(ada.emailAddress, '198.18.4.4', ada.prismGuid, device)).not.toBe('looked at');
    pass(16 * MINUTE);
    expect(await guessSlowly(ada.emailAddress, HOME, 130, ada.prismGuid, device)).toBe(90);
  });

  test('a correct sign-in does not use up the limit of its network, so an office can have any size', async () => {
    const network = '198.18.7.7';
    await inTransaction(async () => {
      for (let person = 0; person < 150; person += 1) {
        const email = `person-${person}@one.example`;
        expect(await guess(email, network, ada.prismGuid)).toBe('looked at');
        await rightGuess({ email, network }, ada.prismGuid);
      }
    });
    for (let person = 0; person < 60; person += 1)
      expect(await guess(`wrong-${person}@one.example`, network)).toBe('looked at');
    expect(await guess('wrong-60@one.example', network)).toMatchObject({ network: true });
  });

  test('the right password resets the count of wrong guesses', async () => {
    const owner = { email: 'forgiven@one.example', network: '192.4.4.4' };
    for (let round = 0; round < 12; round += 1) {
      for (let i = 0; i < 9; i += 1) expect(await guess(owner.email, owner.network)).toBe('looked at');
      await rightGuess(owner, ada.prismGuid);
      pass(MINUTE);
    }
  });

  test('a guess that cannot be counted is refused', async () => {
    await db().schema.alterTable('limits').renameTo('limits_away').execute();
    try {
      await expect(admitGuess({ email: 'x@one.example', network: HOME }, undefined)).rejects.toThrow();
    } finally {
      await db().schema.alterTable('limits_away').renameTo('limits').execute();
    }
  });

  test('the limits store no address and no network in readable form, and forget devices after 90 days', async () => {
    const rows = JSON.stringify([(await everyRow())['known_devices'], (await everyRow())['limits']]);
    for (const text of [HOME, '192.2.2', 'ada@one.example', 'locked@one.example'])
      expect(rows.includes(text), text).toBe(false);
    await sweepDevices();
    expect((await everyRow())['known_devices']).not.toEqual([]);
    const device = deviceIn(await rightGuess({ email: ada.emailAddress, network: HOME }, ada.prismGuid));
    pass(91 * DAY);
    expect(await guessFromElsewhere(ada.emailAddress, 110, '192.4.4')).toBeGreaterThan(100);
    expect(
      await guess(ada.emailAddress, '192.4.4.99', ada.prismGuid, device),
      'also before it is swept away',
    ).not.toBe('looked at');
    await sweepDevices();
    expect((await everyRow())['known_devices']).toEqual([]);
  });
});
