import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { installationSecret, replaceSecret } from '#platform/runtime/settings.server.ts';

/*
 * The keys with which the embedded provider signs (ES256, as JWK), encrypted in the database, so that all
 * nodes use the same ones. They are renewed regularly; the previous one stays published until every token
 * that it signed has expired.
 */

const NAME = 'oidc-signing-key';
const RENEWED_AFTER = 90 * DAY;
/** Tokens are valid for five minutes; caches of the published keys may last longer. */
const PUBLISHED_FOR = HOUR;

const jwk = z.looseObject({ kty: z.literal('EC'), kid: z.string() });
const signingKey = z.strictObject({ jwk, since: z.number() });
type SigningKey = z.infer<typeof signingKey>;
/** An earlier version stored one key, without a date. */
const stored = z.union([z.array(signingKey).min(1), jwk.transform((only) => [{ jwk: only, since: 0 }])]);

/**
 * Returns the keys to publish as JWKs, the current signing key first. Creates the first one, and a new one
 * when it is due.
 */
export async function signingKeys(): Promise<SigningKey['jwk'][]> {
  const text = await installationSecret(NAME, () => JSON.stringify([makeKey()]));
  const keys = stored.parse(JSON.parse(text));
  const wanted = renewed(keys);
  if (wanted.length === keys.length && wanted[0] === keys[0]) return keys.map((key) => key.jwk);
  // Of nodes that find this at the same moment one creates the key; the others use it.
  if (await replaceSecret(NAME, text, JSON.stringify(wanted))) log.info({ event: 'oidc.keys-changed' });
  return stored.parse(JSON.parse(await installationSecret(NAME))).map((key) => key.jwk);
}

/**
 * Creates a new key at once, for an operator who does not trust the current one; returns its id (`kid`). The
 * previous one stays published as long as after a regular renewal.
 */
export async function renewSigningKey(): Promise<string> {
  const text = await installationSecret(NAME, () => JSON.stringify([makeKey()]));
  const made = makeKey();
  const wanted = stillPublished([made, ...stored.parse(JSON.parse(text))]);
  // A node that renewed it at the same moment was faster: its key is older than this one.
  if (!(await replaceSecret(NAME, text, JSON.stringify(wanted)))) return renewSigningKey();
  log.info({ event: 'oidc.keys-changed' });
  return made.jwk.kid;
}

function renewed(keys: readonly SigningKey[]): SigningKey[] {
  const [newest] = keys;
  const isDue = newest === undefined || now() - newest.since >= RENEWED_AFTER;
  return stillPublished(isDue ? [makeKey(), ...keys] : keys);
}

/** The newest key, and those recently replaced: by the creation time of their successor in the list. */
const stillPublished = (keys: readonly SigningKey[]): SigningKey[] =>
  keys.filter((_, i) => now() - (keys[i - 1]?.since ?? now()) < PUBLISHED_FOR);

function makeKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const made = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: newId('key') };
  return { jwk: jwk.parse(made), since: now() };
}
