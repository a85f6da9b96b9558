import { DAY, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { sha256 } from '#platform/crypto.server.ts';
import { db, fold } from '#platform/database.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { forgive, spend, spentOn } from '#platform/limits.server.ts';
import { blindIndex } from '#platform/settings.server.ts';

/*
 * How often a password may be guessed (security.md T32). Everything is counted by the address that was typed, whether somebody has it or
 * not, before any password is looked at: what is counted survives a restart, holds for all nodes, and when it cannot be counted nobody
 * gets in.
 */

const TRIES = 10;
const TRIES_WINDOW = 15 * MINUTE;
/** Within a minute, whatever the addresses: a whole office may sit behind one network. */
const NETWORK_TRIES = 60;
/** Wrong ones in a row after which the password of an address is locked, from wherever they came. */
const LOCKED_AFTER = 100;
const REMEMBERED = 90 * DAY;
const PAIR_REMEMBERED = DAY;
const LONGEST_PAUSE = 25 * SECOND;

interface Guess {
  email: string;
  network: string;
}

const keysOf = ({ email, network }: Guess) => {
  const pair = sha256(`${fold(email)}|${network}`);
  return { network: `sign-in-network:${sha256(network)}`, window: `sign-in:${pair}`, pair: `sign-in-row:${pair}`, pause: `sign-in-pause:${pair}`, account: `sign-in-account:${sha256(fold(email))}` };
};

/** The wait after so many wrong ones in a row from one network: the first ten cost nothing, then 1 s, 2 s, 4 s … at most 25 s. */
const pauseAfter = (wrong: number): number => Math.min(LONGEST_PAUSE, SECOND * 2 ** (wrong - TRIES));

/**
 * Counts a guess before it is looked at, or refuses it with TOO_MANY: 60 in a minute from one network, 10 in 15 minutes for one address
 * from one network, then a growing pause, and 100 in a row for one address (`locked`: only another way in opens it again). The owner's
 * own networks, from which they signed in within 90 days, have a hundred a day of their own: strangers cannot lock anybody out at home.
 */
export async function admitGuess(guess: Guess, prismGuid: string | undefined): Promise<void> {
  const keys = keysOf(guess);
  await spend(keys.network, NETWORK_TRIES, MINUTE);
  const wrong = await spentOn(keys.pair);
  if (wrong >= TRIES) await spend(keys.pause, 1, pauseAfter(wrong));
  await spend(keys.window, TRIES, TRIES_WINDOW);
  const isKnown = await knowsNetwork(guess, prismGuid);
  await lockedBy(spend(keys.pair, LOCKED_AFTER, PAIR_REMEMBERED));
  await lockedBy(spend(keys.account, LOCKED_AFTER, REMEMBERED)).catch((error: unknown) => {
    if (!isKnown || refusal(error)?.code !== 'TOO_MANY') throw error;
  });
}

async function lockedBy(spending: Promise<unknown>): Promise<void> {
  await spending.catch((error: unknown) => {
    const no = refusal(error);
    if (no?.code === 'TOO_MANY') no.details['locked'] = true;
    throw error;
  });
}

/** The password was right: what was wrong before is forgotten, but a lock stays for strangers, and this network is known from now on. */
export async function rightGuess(guess: Guess, prismGuid: string): Promise<void> {
  const keys = keysOf(guess);
  for (const key of [keys.window, keys.pair, keys.pause]) await forgive(key);
  if ((await spentOn(keys.account)) < LOCKED_AFTER) await forgive(keys.account);
  const last = { last_at: now() };
  await db()
    .insertInto('known_networks')
    .values({ network_key: await networkKey(guess, prismGuid), prism_guid: prismGuid, ...last })
    .onConflict((conflict) => conflict.column('network_key').doUpdateSet(last))
    .execute();
}

/** Opens a locked password again: the person proved who they are in another way. */
export async function forgetGuesses(guess: Guess): Promise<void> {
  const { window, pair, pause, account } = keysOf(guess);
  for (const key of [window, pair, pause, account]) await forgive(key);
}

/** The same work for an address that nobody has. */
async function knowsNetwork(guess: Guess, prismGuid = 'nobody'): Promise<boolean> {
  const known = await db()
    .selectFrom('known_networks')
    .select('prism_guid')
    .where('network_key', '=', await networkKey(guess, prismGuid))
    .where('last_at', '>', now() - REMEMBERED)
    .executeTakeFirst();
  return known !== undefined;
}

const networkKey = ({ network }: Guess, prismGuid: string): Promise<string> => blindIndex(`network|${prismGuid}|${network}`);

export async function sweepNetworks(): Promise<void> {
  await db().deleteFrom('known_networks').where('last_at', '<', now() - REMEMBERED).execute();
}
