import { changeKeys, keyIds, sealedBy } from './crypto.server.ts';
import { sealedRows } from './sealed-rows.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';
import { ConfigurationError } from './startup.server.ts';

/** A running portal looks at its key file every two seconds, and what it sealed just before is committed within five and a half, or not at all: less than two of these pauses. */
const UNTIL_NOTICED = 4000;
const MOST_ROUNDS = 10;

/**
 * Puts a new master key in force while the portal runs: adds it, waits until every process seals with it, seals anew what the old ones
 * sealed, again until nothing of theirs is left, and only then gives those up. Broken off in the middle, everything still opens, and the
 * next run goes on. Answers how many values were sealed anew, and the ids of the keys that are gone.
 */
export async function rotateKeys(): Promise<{ sealed: number; given: string[] }> {
  changeKeys(keyIds(), true);
  const [newest = '', ...old] = keyIds();
  let sealed = 0;
  for (let round = 1; ; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, UNTIL_NOTICED)); // what is under way now still takes the old key
    const { done, broken } = await sealAnew(newest);
    sealed += done;
    if (broken.length > 0) throw new ConfigurationError(`Some values cannot be opened, so the old keys stay in KEY_FILE, beside the new one:\n  ${broken.join('\n  ')}\nThey were changed or moved: put them back from a backup, then run npm run rotate-key again.`);
    if (round > 1 && done === 0) break;
    if (round === MOST_ROUNDS) throw new ConfigurationError('Somebody goes on sealing with an old key, so the old keys stay in KEY_FILE. Give every node this same key file, then run npm run rotate-key again.');
  }
  changeKeys([newest], false);
  return { sealed, given: old };
}

/** Whatever is sealed with another key that we have; a value that somebody changes meanwhile is sealed with the newest by them. */
async function sealAnew(newest: string): Promise<{ done: number; broken: string[] }> {
  let done = 0;
  const broken: string[] = [];
  for await (const { column, id, sealed, replace } of sealedRows()) {
    const by = sealedBy(sealed);
    if (by === newest || !keyIds().includes(by)) continue;
    let text: string;
    try {
      text = unsealFrom(column, id, sealed);
    } catch {
      broken.push(`${column} of ${id}`);
      continue;
    }
    await replace(sealFor(column, id, text));
    done += 1;
  }
  return { done, broken };
}
