import { DAY, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { setCookie } from '#platform/http/cookies.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, fold, withoutSync } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import {
  resetLimits,
  refundNetwork,
  consume,
  consumeForNetwork,
  consumedCount,
} from '#platform/security/limits.server.ts';
import { networksAround } from '#platform/http/networks.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

/*
 * Brute-force protection for passwords (threat-model.md T32; docs/decisions/0037). Attempts are counted by
 * the typed address, known or not, before the password is checked: the counters survive a restart and apply
 * to all nodes, and if they are unavailable nobody can sign in. Strangers cannot lock a person out: wrong
 * passwords block the network that they come from, and attempts from ever new networks have ever fewer
 * passwords checked.
 */

const TRIES = 10;
const TRIES_WINDOW = 15 * MINUTE;
/** Per minute, for any address: a whole office may share one network. */
const NETWORK = 'sign-in-network';
const NETWORK_TRIES = 60;
/** Consecutive wrong attempts after which a network or device is blocked for an address, for a day. */
const LOCKED_AFTER = 100;
const PAIR_REMEMBERED = DAY;
/**
 * Consecutive wrong attempts from unknown devices anywhere, after which an address counts as under attack.
 */
const ATTACKED_AFTER = 100;
const REMEMBERED = 90 * DAY;
const LONGEST_PAUSE = 25 * SECOND;
const LONGEST_SITE_PAUSE = DAY;

interface Guess {
  email: string;
  network: string;
  /** The cookie that identifies a known browser, if there is one. */
  device?: string | undefined;
}

const keysOf = (source: string) => ({
  window: `sign-in:${source}`,
  row: `sign-in-row:${source}`,
  pause: `sign-in-pause:${source}`,
});
const pairOf = ({ email, network }: Guess): string =>
  sha256(`${fold(email)}|${networksAround(network).prefix}`);
const accountKey = ({ email }: Guess): string => `sign-in-account:${sha256(fold(email))}`;
const siteKeys = ({ email, network }: Guess) => {
  const site = sha256(`${fold(email)}|${networksAround(network).site}`);
  return { row: `sign-in-site:${site}`, pause: `sign-in-site-pause:${site}` };
};

/**
 * The pause after so many consecutive wrong attempts from one network: none after the first ten, then 1 s, 2
 * s, 4 s … at most 25 s.
 */
const pauseAfter = (wrong: number): number => Math.min(LONGEST_PAUSE, SECOND * 2 ** (wrong - TRIES));

/**
 * Counts an attempt before it is checked, or throws TOO_MANY: 60 in a minute from one network (`network`), 10
 * in 15 minutes for one address from one network, then a growing pause, and 100 in a day (`locked`). For an
 * address with a hundred wrong attempts from anywhere, each site gets one check, then further ones after 1,
 * 2, 4 … minutes. A device on which its owner signed in within 90 days is counted separately, so that
 * strangers do not slow it down.
 */
export async function admitGuess(guess: Guess, prismGuid: string | undefined): Promise<void> {
  await marked('network', consumeForNetwork(NETWORK, guess.network, NETWORK_TRIES, MINUTE));
  const known = await knownDevice(guess, prismGuid);
  await admitFrom(known ?? pairOf(guess));
  if (known === undefined) await admitStranger(guess);
}

async function admitFrom(source: string): Promise<void> {
  const keys = keysOf(source);
  const wrong = await consumedCount(keys.row);
  if (wrong >= TRIES) await consume(keys.pause, 1, pauseAfter(wrong));
  await consume(keys.window, TRIES, TRIES_WINDOW);
  await marked('locked', consume(keys.row, LOCKED_AFTER, PAIR_REMEMBERED));
}

async function admitStranger(guess: Guess): Promise<void> {
  const wrong = await consume(accountKey(guess), Number.MAX_SAFE_INTEGER, REMEMBERED);
  if (wrong <= ATTACKED_AFTER) return;
  const site = siteKeys(guess);
  const pause = MINUTE * 2 ** Math.min(20, await consumedCount(site.row));
  await consume(site.pause, 1, Math.min(LONGEST_SITE_PAUSE, pause));
  await consume(site.row, Number.MAX_SAFE_INTEGER, REMEMBERED);
}

/** Adds to the details of an error which limit was exceeded. */
async function marked(what: 'network' | 'locked', spending: Promise<unknown>): Promise<void> {
  await spending.catch((error: unknown) => {
    const refused = refusal(error);
    if (refused?.code === 'TOO_MANY') refused.details[what] = true;
    throw error;
  });
}

/**
 * Resets the counters of this device and network after the right password, and gives the network its attempt
 * back. Returns the cookie that identifies this device from now on. An address under attack stays so for
 * strangers.
 */
export async function rightGuess(guess: Guess, prismGuid: string): Promise<string> {
  const token = isToken(guess.device) ? guess.device : newToken();
  const device = await deviceKey(token, prismGuid);
  await forgetTries(guess, device);
  if ((await consumedCount(accountKey(guess))) <= ATTACKED_AFTER) await resetLimits(accountKey(guess));
  await refundNetwork(NETWORK, guess.network);
  const last = { last_at: now() };
  const row = { device_key: device, prism_guid: prismGuid, ...last };
  await withoutSync(() =>
    db()
      .insertInto('known_devices')
      .values(row)
      .onConflict((conflict) => conflict.column('device_key').doUpdateSet(last))
      .execute(),
  );
  return setCookie('device', token, REMEMBERED / SECOND);
}

/**
 * Resets the attempts at an address, and the devices of its owner, who proved their identity in another way.
 */
export async function forgetGuesses(guess: Guess, prismGuid: string): Promise<void> {
  await forgetTries(guess);
  await resetLimits(accountKey(guess));
  await db().deleteFrom('known_devices').where('prism_guid', '=', prismGuid).execute();
}

async function forgetTries(guess: Guess, device?: string): Promise<void> {
  const sources = [pairOf(guess), ...(device === undefined ? [] : [device])];
  const keys = [...sources.map(keysOf), siteKeys(guess)].flatMap((each) => Object.values(each));
  await resetLimits(...keys);
}

/**
 * Finds the device of an attempt, if its owner signed in on it within 90 days. Does the same work for an
 * unknown address.
 */
async function knownDevice({ device }: Guess, prismGuid = 'nobody'): Promise<string | undefined> {
  if (!isToken(device)) return undefined;
  const key = await deviceKey(device, prismGuid);
  const row = await db()
    .selectFrom('known_devices')
    .select('device_key')
    .where('device_key', '=', key)
    .where('last_at', '>', now() - REMEMBERED)
    .executeTakeFirst();
  return row?.device_key;
}

const isToken = (device: string | undefined): device is string => /^[\w-]{43}$/.test(device ?? '');

const deviceKey = (token: string, prismGuid: string): Promise<string> =>
  blindIndex(`device|${prismGuid}|${token}`);

export async function sweepDevices(): Promise<void> {
  await db()
    .deleteFrom('known_devices')
    .where('last_at', '<', now() - REMEMBERED)
    .execute();
}
