import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { certificateWanted } from './events.server.ts';
import { holderNumberIn } from './holder.server.ts';
import { isOfClient } from './internal/holders.server.ts';

/* The keys of clients, for the adapters of authorities on this server alone. */

/** With which the portal acts for a client: the private key and its certificates as PEM. */
export interface Credentials {
  certificateId: string;
  clientId: string;
  /** The CNPJ or CPF in the certificate, without punctuation. */
  holderNumber: string;
  key: string;
  pem: string;
  /** Who stored it. */
  storedBy: string;
}

const secret = z.strictObject({ key: z.string(), pem: z.string() });

/**
 * The credentials of a client that can be used now; undefined without a certificate, for one that has ended, that the
 * authority has refused, or that is of somebody else since the client's CNPJ or CPF was changed, and for an archived client.
 */
export async function loadCredentials(clientId: string): Promise<Credentials | undefined> {
  const row = await db()
    .selectFrom('client_certificates')
    .innerJoin('clients', 'clients.client_id', 'client_certificates.client_id')
    .innerJoin('firms', 'firms.company_id', 'client_certificates.company_id')
    .selectAll('client_certificates')
    .where('firms.practice_of', 'is', null) // nothing of what people try reaches an authority
    .where('client_certificates.client_id', '=', clientId)
    .where('valid_to', '>', now())
    .where('refused_code', '=', '')
    .where('clients.archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  const { key, pem } = secret.parse(
    JSON.parse(decryptFrom('client_certificates.secret', row.certificate_id, row.secret)),
  );
  const { certificate_id: certificateId, stored_by: storedBy } = row;
  const holderNumber = row.cnpj === '' ? holderNumberIn(new X509Certificate(pem)) : row.cnpj;
  if (!(await isOfClient(clientId, holderNumber))) return undefined;
  return { certificateId, clientId, holderNumber, key, pem, storedBy };
}

/** Until when the certificates of clients are valid (ISO 8601), and whether they can be used now, by the clients' ids. */
export async function loadValidity(
  clientIds: readonly string[],
): Promise<Map<string, { validTo: string; ok: boolean }>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('client_certificates')
    .select(['client_id', 'valid_to', 'refused_code'])
    .where('client_id', 'in', clientIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.client_id,
      {
        validTo: new Date(Number(row.valid_to)).toISOString(),
        ok: Number(row.valid_to) > now() && row.refused_code === '',
      },
    ]),
  );
}

/** Stops using a certificate that the authority has refused, by the number of its answer, and has the firm look at it. */
export const stopUsing = (certificateId: string, code: string): Promise<void> =>
  inTransaction(async () => {
    const row = await db()
      .updateTable('client_certificates')
      .set({ refused_code: code })
      .where('certificate_id', '=', certificateId)
      .where('refused_code', '=', '')
      .returning(['company_id', 'client_id', 'holder'])
      .executeTakeFirst();
    if (!row) return; // replaced meanwhile, or noted already
    const { company_id: companyId, client_id: clientId, holder: name } = row;
    await audit({
      companyId,
      actor: 'portal',
      action: 'digital-certificate.refused',
      target: clientId,
      clientId,
      details: { code },
    });
    await certificateWanted.announce({ companyId, clientId, certificateId, name });
  });
