import { X509Certificate } from 'node:crypto';
import { actorNow, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { changeKey, makeKey } from './internal/key-store.server.ts';
import { refusing } from './pkcs12.server.ts';
import { inSealThread } from './worker.server.ts';

/** A .p12 file has a key and a few certificates; a larger one is something else. */
export const MAX_KEY_BYTES = 200_000;
const MIN_RSA_BITS = 2048;
/** From then on the settings ask for a new certificate. */
const LAPSES_SOON = 60 * DAY;

/** A certificate with which the firm seals, or sealed, documents. */
export interface SealKey {
  keyId: string;
  origin: Tables['seal_keys']['origin'];
  name: string;
  issuer: string;
  validFrom: number;
  validTo: number;
  /** SHA-256 of the certificate in hex. */
  fingerprint: string;
  createdAt: number;
  /** Undefined while it is in use. */
  replacedAt?: number;
  lapse: 'later' | 'soon' | 'lapsed';
}

/** Tells whether the actor may see and change the certificate of the firm. */
const mayManageSeal = (actor: Actor): boolean =>
  actor.staff && actor.viewedBy === undefined && actor.access.permissions.has('ManageFirm');

function assertMayManage(actor: Actor): void {
  if (!mayManageSeal(actor)) throw new PortalError('FORBIDDEN');
}

/** The certificates of the firm, the newest first; the one in use has no `replacedAt`. FORBIDDEN. */
export async function listSealKeys(actor: Actor): Promise<SealKey[]> {
  assertMayManage(actor);
  const rows = await db()
    .selectFrom('seal_keys')
    .select(['key_id', 'origin', 'certificate', 'fingerprint', 'valid_to', 'created_at', 'replaced_at'])
    .where('company_id', '=', actor.companyId)
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute();
  return rows.map((row) => {
    const { subject, issuer, validFromDate } = new X509Certificate(Buffer.from(row.certificate, 'base64'));
    const left = row.valid_to - now();
    return {
      keyId: row.key_id,
      origin: row.origin,
      name: nameIn(subject),
      issuer: nameIn(issuer),
      validFrom: validFromDate.getTime(),
      validTo: row.valid_to,
      fingerprint: row.fingerprint,
      createdAt: row.created_at,
      ...(row.replaced_at !== null && { replacedAt: row.replaced_at }),
      lapse: left <= 0 ? 'lapsed' : left <= LAPSES_SOON ? 'soon' : 'later',
    };
  });
}

/** The common name in a distinguished name, or all of it. */
const nameIn = (distinguished: string): string =>
  /^CN=(.+)$/m.exec(distinguished)?.[1] ?? distinguished.replaceAll('\n', ', ');

/**
 * Loads a PKCS#12 file (.p12, .pfx), whose certificate seals the firm's documents from now on. CODE_WRONG for a wrong
 * password; TYPE_NOT_ALLOWED for another file; EXPIRED unless it is valid now; NOT_POSSIBLE for a key that
 * cannot seal. FORBIDDEN; STEP_UP unless recently authenticated.
 */
export async function loadSealKey(
  session: Session,
  { file, password }: { file: Uint8Array; password: string },
): Promise<void> {
  assertMayManage(session.actor);
  assertRecentlyAuthenticated(session);
  if (file.length === 0 || file.length > MAX_KEY_BYTES) throw new PortalError('TYPE_NOT_ALLOWED');
  const { certificate } = await open(session.actor, file, password);
  const validTo = assertUsable(new X509Certificate(certificate));
  await inTransaction(async () => {
    const actor = await actorNow(session.actor);
    assertMayManage(actor);
    const secret = { kind: 'pkcs12' as const, file: Buffer.from(file).toString('base64'), password };
    const { companyId, contactId } = actor;
    await changeKey({ companyId, origin: 'loaded', certificate, validTo, secret, actor: contactId });
  });
}

/** Makes a new certificate in the name of the firm, which replaces the one in use. FORBIDDEN; STEP_UP. */
export async function renewSealKey(session: Session): Promise<void> {
  assertMayManage(session.actor);
  assertRecentlyAuthenticated(session);
  const made = await makeKey(session.actor.companyId, session.actor.contactId);
  await inTransaction(async () => {
    assertMayManage(await actorNow(session.actor));
    await changeKey(made);
  });
}

const open = ({ contactId: person, companyId: firm }: Actor, file: Uint8Array, password: string) =>
  refusing(() => inSealThread({ person, firm }, { kind: 'open-key', file, password }));

/** Returns until when a certificate is valid; refuses one that is not valid now, or whose key is weak. */
function assertUsable(certificate: X509Certificate): number {
  const { validFromDate, validToDate, publicKey } = certificate;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  if (bits < MIN_RSA_BITS) throw new PortalError('NOT_POSSIBLE');
  if (validToDate.getTime() <= now() || validFromDate.getTime() > now()) throw new PortalError('EXPIRED');
  return validToDate.getTime();
}
