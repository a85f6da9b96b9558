import type { X509Certificate } from 'node:crypto';
import { actorNow, assertActsFor, assertRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { openPkcs12, type OpenedKey } from '#features/documents/seals/pkcs12.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { assertKeeps, seesCertificates } from './access.server.ts';
import { certificateSettled } from './events.server.ts';
import { commonNameIn, holderIn, holderNumberIn } from './holder.server.ts';
import { hasNumber, isOfClient } from './internal/holders.server.ts';
import { MAX_CERTIFICATE_BYTES } from './limits.ts';
import { nextNoticeOn } from './rules.ts';

/*
 * The digital certificate (A1) of a client, with which the portal signs what it tells the tax authority and proves who asks.
 * Its file is opened once and not kept; the key is encrypted, and no page, call or export has it (decision 0134).
 */

const MIN_RSA_BITS = 2048;

/** What people see of a certificate. */
export interface ClientCertificate {
  certificateId: string;
  holder: string;
  /** The CNPJ without punctuation; empty for that of a person, whose CPF is that of the client. */
  cnpj: string;
  issuer: string;
  fingerprint: string;
  validFrom: number;
  validTo: number;
  /** Why the authority has refused it, by its number; empty if it did not. */
  refusedCode: string;
  storedAt: number;
  /** The person who stored it. */
  storedBy: string;
}

/** The certificate of a client, if there is one; FORBIDDEN, NOT_FOUND for a client of others. */
export async function loadCertificate(
  actor: Actor,
  clientId: string,
): Promise<ClientCertificate | undefined> {
  if (!seesCertificates(actor)) throw new PortalError('FORBIDDEN');
  await assertActsFor(actor, clientId);
  const row = await db()
    .selectFrom('client_certificates')
    .leftJoin('contacts', 'contacts.contact_id', 'client_certificates.stored_by')
    .select([
      'certificate_id',
      'holder',
      'cnpj',
      'issuer',
      'fingerprint',
      'valid_from',
      'valid_to',
      'refused_code',
      'stored_at',
      'contacts.full_name',
    ])
    .where('client_certificates.client_id', '=', clientId)
    .executeTakeFirst();
  return (
    row && {
      certificateId: row.certificate_id,
      holder: row.holder,
      cnpj: row.cnpj,
      issuer: row.issuer,
      fingerprint: row.fingerprint,
      validFrom: Number(row.valid_from),
      validTo: Number(row.valid_to),
      refusedCode: row.refused_code,
      storedAt: Number(row.stored_at),
      storedBy: row.full_name ?? '',
    }
  );
}

/** Why a certificate cannot be used for a client. */
export const CERTIFICATE_PROBLEMS = [
  'noNumber',
  'otherCompany',
  'otherPerson',
  'clientWithoutNumber',
  'weakKey',
] as const;
export type CertificateProblem = (typeof CERTIFICATE_PROBLEMS)[number];

const problem = (which: CertificateProblem, details: Record<string, string> = {}): PortalError =>
  new PortalError('NOT_POSSIBLE', { problem: which, ...details });

/**
 * Stores the certificate of a client from a PKCS#12 file (.p12, .pfx); it replaces the one that is there. CODE_WRONG for a
 * wrong password; TYPE_NOT_ALLOWED for another file; EXPIRED unless it is valid now; NOT_POSSIBLE with a
 * {@link CertificateProblem}; GONE for an archived client; FORBIDDEN, NOT_FOUND, TOO_MANY; STEP_UP unless recently
 * authenticated.
 */
export async function storeCertificate(
  session: Session,
  clientId: string,
  { file, password }: { file: Uint8Array; password: string },
): Promise<void> {
  const { contactId: person, companyId: firm } = session.actor;
  await assertMay(session, clientId);
  if (file.length === 0 || file.length > MAX_CERTIFICATE_BYTES) throw new PortalError('TYPE_NOT_ALLOWED');
  const opened = await openPkcs12({ person, firm }, { file, password });
  const number = await assertUsable(opened.certificate, clientId);
  await change(session, clientId, async (actor) => {
    await removeRow(clientId);
    await insertRow(actor, clientId, { ...opened, cnpj: isTaxId('cpf', number) ? '' : number });
    return 'digital-certificate.store';
  });
}

/** Removes the certificate of a client with its key. NOT_FOUND without one, and as {@link storeCertificate}. */
export async function removeCertificate(session: Session, clientId: string): Promise<void> {
  await assertMay(session, clientId);
  await change(session, clientId, async () => {
    if (!(await removeRow(clientId))) throw new PortalError('NOT_FOUND');
    return 'digital-certificate.remove';
  });
}

/** Uses a certificate again that the authority has refused, as when its list of revoked ones could not be read. */
export async function reuseCertificate(session: Session, clientId: string): Promise<void> {
  await assertMay(session, clientId);
  await change(session, clientId, async () => {
    const row = await db()
      .updateTable('client_certificates')
      .set({ refused_code: '' })
      .where('client_id', '=', clientId)
      .returning('certificate_id')
      .executeTakeFirst();
    if (!row) throw new PortalError('NOT_FOUND');
    await certificateSettled.announce({ certificateId: row.certificate_id });
    return 'digital-certificate.reuse';
  });
}

async function assertMay(session: Session, clientId: string): Promise<void> {
  assertKeeps(session.actor);
  await assertActsFor(session.actor, clientId);
  assertRecentlyAuthenticated(session);
}

/** Changes the certificate of a client as the actor of now, in a transaction. */
async function change(
  { actor }: Session,
  clientId: string,
  work: (
    current: Actor,
  ) => Promise<'digital-certificate.store' | 'digital-certificate.remove' | 'digital-certificate.reuse'>,
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertKeeps(current);
    await assertActsFor(current, clientId);
    const { archived_at: archivedAt } = await db()
      .selectFrom('clients')
      .select('archived_at')
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow();
    const action = await work(current);
    if (archivedAt !== null && action !== 'digital-certificate.remove') throw new PortalError('GONE');
    const { companyId, contactId } = current;
    await audit({ companyId, actor: contactId, action, target: clientId, clientId });
  });
}

/** Returns the CNPJ or CPF in a certificate that may be used for a client. */
async function assertUsable(certificate: X509Certificate, clientId: string): Promise<string> {
  const { publicKey, validFromDate, validToDate } = certificate;
  const { modulusLength = 0 } = publicKey.asymmetricKeyDetails ?? {};
  if (publicKey.asymmetricKeyType !== 'rsa' || modulusLength < MIN_RSA_BITS) throw problem('weakKey');
  if (validToDate.getTime() <= now() || validFromDate.getTime() > now()) throw new PortalError('EXPIRED');
  const number = holderNumberIn(certificate);
  if (number === '') throw problem('noNumber');
  if (await isOfClient(clientId, number)) return number;
  if (!(await hasNumber(clientId))) throw problem('clientWithoutNumber');
  throw isTaxId('cpf', number) ? problem('otherPerson') : problem('otherCompany', { cnpj: number });
}

async function removeRow(clientId: string): Promise<boolean> {
  const row = await db()
    .deleteFrom('client_certificates')
    .where('client_id', '=', clientId)
    .returning('certificate_id')
    .executeTakeFirst();
  if (row) await certificateSettled.announce({ certificateId: row.certificate_id });
  return row !== undefined;
}

async function insertRow(
  { companyId, contactId }: Actor,
  clientId: string,
  { key, pem, certificate, cnpj }: OpenedKey & { cnpj: string },
): Promise<void> {
  const certificateId = newId('certificate');
  const validTo = certificate.validToDate.getTime();
  await db()
    .insertInto('client_certificates')
    .values({
      certificate_id: certificateId,
      company_id: companyId,
      client_id: clientId,
      secret: encryptFor('client_certificates.secret', certificateId, JSON.stringify({ key, pem })),
      cnpj,
      holder: holderIn(certificate).slice(0, 200),
      issuer: commonNameIn(certificate.issuer).slice(0, 200),
      fingerprint: sha256(certificate.raw),
      valid_from: certificate.validFromDate.getTime(),
      valid_to: validTo,
      next_notice_on: nextNoticeOn(validTo, now()),
      refused_code: '',
      stored_by: contactId,
      stored_at: now(),
    })
    .execute();
}
