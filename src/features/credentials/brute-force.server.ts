import { DAY, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { setCookie } from '#platform/cookies.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, fold, withoutSync } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import {
  resetLimits,
  refundNetwork,
  consume,
  consumeForNetwork,
  consumedCount,
} from '#platform/limits.server.ts';
import { networksAround } from '#platform/networks.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

/*
 * How often a password may be guessed (threat-model.md T32; docs/decisions/0037). Everything is counted by
 * the address that was typed, whether somebody has it or not, before any password is looked at: what is
 * counted survives a restart, holds for all nodes, and when it cannot be counted nobody gets in. Nothing that
 * a stranger does locks the person out: wrong guesses close the network that they come from, and who guesses
 * from ever new networks gets ever fewer looks from each of them.
 */

const TRIES = 10;
const TRIES_WINDOW = 15 * MINUTE;
/** Within a minute, whatever the addresses: a whole office may sit behind one network. */
const NETWORK = 'sign-in-network';
const NETWORK_TRIES = 60;
/** Wrong ones in a row after which a network or device is closed for an address, for a day. */
const LOCKED_AFTER = 100;
const PAIR_REMEMBERED = DAY;
/**
 * Wrong ones in a row from unknown devices, wherever they are, after which an address counts as under attack.
 */
const ATTACKED_AFTER = 100;
const REMEMBERED = 90 * DAY;
const LONGEST_PAUSE = 25 * SECOND;
const LONGEST_SITE_PAUSE = DAY;

interface Guess {
  email: string;
  network: string;
  /** The cookie by which a browser is known again, where it has one. */
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
 * The wait after so many wrong ones in a row from one network: the first ten cost nothing, then 1 s, 2 s, 4 s
 * … at most 25 s.
 */
const pauseAfter = (wrong: number): number => Math.min(LONGEST_PAUSE, SECOND * 2 ** (wrong - TRIES));

/**
 * Counts a guess before it is looked at, or refuses it with TOO_MANY: 60 in a minute from one network
 * (`network`), 10 in 15 minutes for one address from one network, then a growing pause, and 100 in a day
 * (`locked`). An address that was guessed at a hundred times from wherever has one look from each site, then
 * after 1, 2, 4 … minutes. A device on which its person signed in within 90 days counts by itself, so that
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

/** Says in the details of a refusal what it was that had enough. */
async function marked(what: 'network' | 'locked', spending: Promise<unknown>): Promise<void> {
  await spending.catch((error: unknown) => {
    const refused = refusal(error);
    if (refused?.code === 'TOO_MANY') refused.details[what] = true;
    throw error;
  });
}

/**
 * The password was right: what was wrong before on this device and network is forgotten, and the network has
 * its try back. Answers the cookie by which this device is known from now on. An address under attack stays
 * so for strangers.
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
 * Forgets what was guessed at an address, and the devices of its person: they proved who they are in another
 * way.
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
 * The device that a guess comes from, where the person signed in on it within 90 days. The same work for an
 * address that nobody has.
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
