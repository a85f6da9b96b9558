import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { newId } from '#platform/crypto.server.ts';
import { log } from '#platform/log.server.ts';
import { installationSecret, replaceSecret } from '#platform/settings.server.ts';

/*
 * The keys with which the embedded provider signs (ES256, as JWK), encrypted in the database, so that all nodes
 * sign alike. After a while a new one takes over; the one before stays published until every token that it
 * signed is over.
 */

const NAME = 'oidc-signing-key';
const RENEWED_AFTER = 90 * DAY;
/** Tokens live five minutes; whoever has read the published keys may remember them for longer. */
const PUBLISHED_FOR = HOUR;

const jwk = z.looseObject({ kty: z.literal('EC'), kid: z.string() });
const signingKey = z.strictObject({ jwk, since: z.number() });
type SigningKey = z.infer<typeof signingKey>;
/** An earlier version kept one key, and not since when. */
const stored = z.union([z.array(signingKey).min(1), jwk.transform((only) => [{ jwk: only, since: 0 }])]);

/**
 * The keys to publish as JWKs, the one to sign with first. Makes the first one, and a new one when it is due.
 */
export async function signingKeys(): Promise<SigningKey['jwk'][]> {
  const text = await installationSecret(NAME, () => JSON.stringify([makeKey()]));
  const keys = stored.parse(JSON.parse(text));
  const wanted = renewed(keys);
  if (wanted.length === keys.length && wanted[0] === keys[0]) return keys.map((key) => key.jwk);
  // Of nodes that find this at the same moment one is first; the others take its keys.
  if (await replaceSecret(NAME, text, JSON.stringify(wanted))) log.info({ event: 'oidc.keys-changed' });
  return stored.parse(JSON.parse(await installationSecret(NAME))).map((key) => key.jwk);
}

/**
 * Makes a new key at once, for an operator who does not trust the one of now; answers the name (`kid`) of the
 * new one. The one before stays published for as long as after a renewal by time.
 */
export async function renewSigningKey(): Promise<string> {
  const text = await installationSecret(NAME, () => JSON.stringify([makeKey()]));
  const made = makeKey();
  const wanted = stillPublished([made, ...stored.parse(JSON.parse(text))]);
  // A node that renewed it at the same moment was first: its key is older than this one.
  if (!(await replaceSecret(NAME, text, JSON.stringify(wanted)))) return renewSigningKey();
  log.info({ event: 'oidc.keys-changed' });
  return made.jwk.kid;
}

function renewed(keys: readonly SigningKey[]): SigningKey[] {
  const [newest] = keys;
  const isDue = newest === undefined || now() - newest.since >= RENEWED_AFTER;
  return stillPublished(isDue ? [makeKey(), ...keys] : keys);
}

/** The newest key, and those that it or others replaced lately: when the one before it in the list was made. */
const stillPublished = (keys: readonly SigningKey[]): SigningKey[] =>
  keys.filter((_, i) => now() - (keys[i - 1]?.since ?? now()) < PUBLISHED_FOR);

function makeKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const made = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: newId('key') };
  return { jwk: jwk.parse(made), since: now() };
}
