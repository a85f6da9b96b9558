import { changeKeys, keyIds, encryptionKeyIdOf } from '../security/crypto.server.ts';
import { encryptedRows } from './encrypted-rows.server.ts';
import { encryptFor, decryptFrom } from '../security/encryption.server.ts';
import { ConfigurationError } from '../runtime/startup.server.ts';

/**
 * Processes reload the key file within two seconds, and commit what they encrypted before within another 5.5
 * s: less than two of these pauses.
 */
const RELOAD_PAUSE = 4000;
const MAX_ROUNDS = 10;

/**
 * Rotates the master key while the portal runs: adds a new one, waits until every process uses it,
 * re-encrypts everything until nothing uses an old key, and only then removes the old ones. Safe to
 * interrupt: everything can still be decrypted, and the next run continues. Returns how many values were
 * re-encrypted, and the ids of the removed keys.
 */
export async function rotateKeys(): Promise<{ encrypted: number; removedKeys: string[] }> {
  changeKeys(keyIds(), true);
  const [newest = '', ...old] = keyIds();
  let encrypted = 0;
  for (let round = 1; ; round += 1) {
    // operations in flight still use the old key
    await new Promise((resolve) => setTimeout(resolve, RELOAD_PAUSE));
    const { done, broken } = await reencrypt(newest);
    encrypted += done;
    if (broken.length > 0)
      throw new ConfigurationError(
        `Some values cannot be decrypted, so the old keys stay in KEY_FILE, beside the new one:\n  ${broken.join('\n  ')}\nThey were changed or moved: restore them from a backup, then run npm run rotate-key again.`,
      );
    if (round > 1 && done === 0) break;
    if (round === MAX_ROUNDS)
      throw new ConfigurationError(
        'A process keeps encrypting with an old key, so the old keys stay in KEY_FILE. Use the same key file on every node, then run npm run rotate-key again.',
      );
  }
  changeKeys([newest], false);
  return { encrypted, removedKeys: old };
}

/**
 * Re-encrypts every value of another known key. A value that changes meanwhile is encrypted with the newest
 * key anyway.
 */
async function reencrypt(newest: string): Promise<{ done: number; broken: string[] }> {
  let done = 0;
  const broken: string[] = [];
  for await (const { column, id, encrypted, replace } of encryptedRows()) {
    const by = encryptionKeyIdOf(encrypted);
    if (by === newest || !keyIds().includes(by)) continue;
    let text: string;
    try {
      text = decryptFrom(column, id, encrypted);
    } catch {
      broken.push(`${column} of ${id}`);
      continue;
    }
    await replace(encryptFor(column, id, text));
    done += 1;
  }
  return { done, broken };
}
