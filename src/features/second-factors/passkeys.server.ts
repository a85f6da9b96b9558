import { isIP } from 'node:net';
import { server } from '@passwordless-id/webauthn';
import { z } from 'zod';
import { MINUTE, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { setCookie } from '#platform/cookies.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, isUniqueViolation } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import { log } from '#platform/log.server.ts';

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
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    publicKey: base64url,
    publicKeyAlgorithm: z.union([z.literal(-7), z.literal(-257)]),
  }),
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

/**
 * The requirements for every response: for this origin and domain, for this challenge, with the person's
 * biometric or PIN.
 */
const expectedOf = (challenge: string) => ({
  origin: config.origin,
  domain: domain(),
  challenge,
  userVerified: true,
});

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
  const expected = expectedOf(await takeChallenge(challenge));
  const info = await server
    .verifyRegistration(
      {
        ...given,
        rawId: given.id,
        user: { name: '' },
        clientExtensionResults: {},
        response: { ...given.response, attestationObject: '', transports: [] },
      },
      expected,
    )
    .catch(refused);
  const { id, publicKey, algorithm } = info.credential;
  await server.parseCryptoKey(algorithm, publicKey).catch(refused);
  if ((await passkeysOf(prismGuid)).length >= MAX_PASSKEYS) throw new PortalError('QUOTA');
  await db()
    .insertInto('passkeys')
    .values({
      credential_id: id,
      prism_guid: prismGuid,
      name,
      public_key: publicKey,
      algorithm,
      counter: info.authenticator.counter,
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
  const expected = expectedOf(await takeChallenge(challenge));
  const key = await db()
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', given.id)
    .executeTakeFirst();
  if (!key || (expectedOwner !== undefined && key.prism_guid !== expectedOwner))
    throw new PortalError('CODE_WRONG');
  const algorithm = key.algorithm === 'RS256' ? 'RS256' : 'ES256';
  const signature =
    algorithm === 'ES256' ? evenSignature(given.response.signature) : given.response.signature;
  const { counter } = await server
    .verifyAuthentication(
      { ...given, rawId: given.id, clientExtensionResults: {}, response: { ...given.response, signature } },
      { id: key.credential_id, publicKey: key.public_key, algorithm, transports: [] },
      { ...expected, counter: key.counter },
    )
    .catch(refused);
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

function refused(error: unknown): never {
  log.warn({ event: 'passkey.refused', err: error });
  throw new PortalError('CODE_WRONG');
}

/**
 * Pads the two numbers of an ECDSA signature to full length. The library reads them at fixed positions, and
 * would refuse one signature in 128, which has a shorter number.
 */
export function evenSignature(signature: string): string {
  const der = Buffer.from(signature, 'base64url');
  const number = (at: number): { value: Buffer; next: number } => {
    const length = der[at + 1] ?? 0;
    const value = der.subarray(at + 2, at + 2 + length);
    if (der[at] !== 2 || value.length !== length || length > 33) throw new PortalError('CODE_WRONG');
    return { value: Buffer.concat([Buffer.alloc(33 - length), value]), next: at + 2 + length };
  };
  const r = number(2);
  const s = number(r.next);
  return Buffer.concat([Buffer.from([0x30, 70, 2, 33]), r.value, Buffer.from([2, 33]), s.value]).toString(
    'base64url',
  );
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
