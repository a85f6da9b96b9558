import { isIP } from 'node:net';
import { z } from 'zod';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { setCookie } from '#platform/http/cookies.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, isUniqueViolation } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import {
  algorithmNamed,
  PasskeyError,
  readRegistration,
  verifyAssertion,
  type Purpose,
} from './webauthn.server.ts';

/*
 * Passkeys (WebAuthn level 2): a key of the person's device or password manager, bound to this portal's
 * domain, that requires a biometric or PIN each time. Sufficient for signing in, and usable as a second
 * factor.
 */

const CHALLENGE = 5 * MINUTE;
const CHALLENGES_PER_MINUTE = 60;
const MAX_PASSKEYS = 20;

const domain = (): string => new URL(config.origin).hostname;

/** False if the portal is reached by an IP address: browsers bind passkeys to domain names only. */
export const passkeysWork = (): boolean => isIP(domain().replace(/^\[|\]$/g, '')) === 0;

/**
 * Creates a challenge for one use within five minutes, and the cookie that binds it to this browser. TOO_MANY
 * from one network: 60 a minute.
 */
export async function challengeFor(network: string): Promise<{ challenge: string; cookie: string }> {
  await consumeForNetwork('passkey-challenge', network, CHALLENGES_PER_MINUTE, MINUTE);
  const challenge = newToken();
  await db()
    .insertInto('passkey_challenges')
    .values({ challenge_hash: sha256(challenge), expires_at: now() + CHALLENGE })
    .execute();
  return { challenge, cookie: setCookie('passkey', challenge, CHALLENGE / 1000) };
}

async function takeChallenge(challenge: string | undefined): Promise<string> {
  const row =
    challenge === undefined
      ? undefined
      : await db()
          .deleteFrom('passkey_challenges')
          .where('challenge_hash', '=', sha256(challenge))
          .returning('expires_at')
          .executeTakeFirst();
  if (challenge === undefined || !row || row.expires_at <= now()) throw new PortalError('CODE_WRONG');
  return challenge;
}

const base64url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8192);
const credential = z.object({ id: base64url.max(1400), type: z.literal('public-key') });
const registration = credential.extend({
  response: z.object({ clientDataJSON: base64url, authenticatorData: base64url }),
});
const authentication = credential.extend({
  response: z.object({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url }),
});

/** A credential as JSON, sent by the browser's script. */
function parsed<S extends z.ZodType>(schema: S, json: string): z.infer<S> {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    // it comes from a script: there is nothing that a person could correct
    throw new PortalError('CODE_WRONG');
  }
}

const purposeOf = (challenge: string): Purpose => ({ origin: config.origin, domain: domain(), challenge });

/**
 * Adds the passkey that the browser created; CODE_WRONG unless it was created for this portal, now, by this
 * browser.
 */
export async function addPasskey(
  prismGuid: string,
  name: string,
  json: string,
  challenge: string | undefined,
): Promise<void> {
  const given = parsed(registration, json);
  const purpose = purposeOf(await takeChallenge(challenge));
  const made = verified(() => readRegistration(given.id, given.response, purpose));
  if ((await passkeysOf(prismGuid)).length >= MAX_PASSKEYS) throw new PortalError('QUOTA');
  await db()
    .insertInto('passkeys')
    .values({
      credential_id: given.id,
      prism_guid: prismGuid,
      name,
      public_key: made.publicKey,
      algorithm: made.algorithm,
      counter: made.counter,
      created_at: now(),
      used_at: null,
    })
    .execute()
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new PortalError('CODE_WRONG') : error;
    });
}

/**
 * Returns the owner of the passkey that signed; CODE_WRONG if it is unknown, is not `expectedOwner`'s, or
 * signed something else.
 */
export async function proveByPasskey(
  json: string,
  challenge: string | undefined,
  expectedOwner?: string,
): Promise<string> {
  const given = parsed(authentication, json);
  const purpose = purposeOf(await takeChallenge(challenge));
  const key = await db()
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', given.id)
    .executeTakeFirst();
  if (!key || (expectedOwner !== undefined && key.prism_guid !== expectedOwner))
    throw new PortalError('CODE_WRONG');
  const counter = verified(() => {
    const stored = {
      publicKey: key.public_key,
      algorithm: algorithmNamed(key.algorithm),
      counter: key.counter,
    };
    return verifyAssertion(given.response, stored, purpose);
  });
  // Of two concurrent uses only one may increase the counter: this reveals a copied key (WebAuthn 7.2, step
  // 22).
  const { numUpdatedRows } = await db()
    .updateTable('passkeys')
    .set({ counter, used_at: now() })
    .where('credential_id', '=', key.credential_id)
    .where('counter', '=', key.counter)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new PortalError('CODE_WRONG');
  return key.prism_guid;
}

/**
 * Finds the owner of the passkey that the browser names, without verifying it; undefined if it is unknown.
 */
export async function ownerOfPasskey(json: string): Promise<string | undefined> {
  const named = z.object({ id: base64url }).safeParse(tryJson(json)).data;
  if (!named) return undefined;
  return (
    await db()
      .selectFrom('passkeys')
      .select('prism_guid')
      .where('credential_id', '=', named.id)
      .executeTakeFirst()
  )?.prism_guid;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it comes from a script; its proof is verified elsewhere
  }
}

/** What a check returns; CODE_WRONG if it throws. */
function verified<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    // the reason is a fixed text of ours
    const reason = error instanceof PasskeyError ? { outcome: error.message } : {};
    log.warn({ event: 'passkey.refused', err: error, ...reason });
    throw new PortalError('CODE_WRONG');
  }
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: number;
  usedAt: number | null;
}

/** Lists somebody's passkeys, the oldest first. */
export async function passkeysOf(prismGuid: string): Promise<Passkey[]> {
  const rows = await db()
    .selectFrom('passkeys')
    .select(['credential_id', 'name', 'created_at', 'used_at'])
    .where('prism_guid', '=', prismGuid)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute();
  return rows.map((row) => ({
    id: row.credential_id,
    name: row.name,
    createdAt: row.created_at,
    usedAt: row.used_at,
  }));
}

/** True if it existed and was theirs. */
export async function removePasskey(prismGuid: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db()
    .deleteFrom('passkeys')
    .where('credential_id', '=', id)
    .where('prism_guid', '=', prismGuid)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
