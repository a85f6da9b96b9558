import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { canAccessPortal, type Actor } from '#features/base/people/people.ts';
import { attemptsByIds } from '#features/brazil/clearance-certificates/attempts.server.ts';
import { todayOf } from '#features/brazil/clearance-certificates/access.server.ts';
import { listFollowed } from '#features/brazil/clearance-certificates/following.server.ts';
import type { Light, Result } from '#features/brazil/clearance-certificates/lights.ts';
import { numberTextOf } from '#features/brazil/clearance-certificates/owners.server.ts';
import { bytesOf, type DocumentBytes } from '#features/documents/documents/bytes.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { shareDenialReason } from '#features/documents/documents/scan-state.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { HOUR } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError, refusal, unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { startOnce } from '#platform/security/limits.server.ts';
import { addOpening, isOver, passportByToken } from './internal/rows.server.ts';

/* What whoever has the address of a passport sees: the newest certificates of today, as far as its maker may see them now. */

type Row = NonNullable<Awaited<ReturnType<typeof passportByToken>>>;

/** The certificate of an agency today. */
export interface ShownCertificate {
  agencyId: string;
  light: Light;
  /** Empty without a certificate; so is what is in it. */
  result: Result | '';
  validUntil: string;
  number: string;
  controlCode: string;
  /** The document that may be downloaded. */
  documentId: string | undefined;
}

export type PassportView =
  | { kind: 'unknown' }
  | { kind: 'over'; firm: Firm }
  | {
      kind: 'open';
      firm: Firm;
      client: string;
      /** The CNPJ or CPF as people read it; empty for a client without one. */
      number: string;
      recipient: string;
      today: string;
      expiresAt: number;
      certificates: readonly ShownCertificate[];
    };

/** Shows a passport. That changes nothing: {@link countOpening} counts who opens it. */
export async function viewPassport(token: string): Promise<PassportView> {
  const row = await passportByToken(token);
  if (!row) return { kind: 'unknown' };
  const firm = await firmOf(row.company_id);
  const maker = await makerOf(row);
  const certificates = maker && (await certificatesOf(maker, row));
  if (!maker || !certificates) return { kind: 'over', firm };
  return {
    kind: 'open',
    firm,
    client: row.client_name,
    number: await numberTextOf(row.client_id),
    recipient: row.recipient,
    today: await todayOf(maker),
    expiresAt: row.expires_at,
    certificates,
  };
}

/** Who made a passport that works; undefined once it is over, the client archived, the firm locked or the maker not let in. */
async function makerOf(row: Row): Promise<Actor | undefined> {
  if (isOver(row) || row.archived_at !== null) return undefined;
  const maker = await actorOf(row.made_by);
  return maker.firmLocked || !canAccessPortal(maker) ? undefined : maker;
}

/** The certificates of the chosen agencies, those without one too; undefined if the maker no longer acts for the client. */
async function certificatesOf(
  maker: Actor,
  { client_id: clientId, agencyIds }: Row,
): Promise<ShownCertificate[] | undefined> {
  try {
    const followed = await listFollowed(maker, clientId);
    const chosen = agencyIds.map((id) => followed.find(({ agencyId }) => agencyId === id));
    const attempts = await attemptsByIds(
      maker,
      chosen.flatMap((each) => each?.currentAttemptId ?? []),
    );
    const documents = await shareable(
      maker,
      attempts.flatMap(({ documentId }) => documentId ?? []),
    );
    return agencyIds.map((agencyId, at) => {
      const { light = 'missing', result = '', validUntil = '', currentAttemptId } = chosen[at] ?? {};
      const attempt = attempts.find(({ id }) => id === currentAttemptId);
      const documentId = attempt?.documentId ?? '';
      return {
        agencyId,
        light,
        result,
        validUntil,
        number: attempt?.number ?? '',
        controlCode: attempt?.controlCode ?? '',
        documentId: documents.has(documentId) ? documentId : undefined,
      };
    });
  } catch (error) {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Those of these documents that may leave the portal: without a virus, and scanned where files are. */
async function shareable(maker: Actor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const documents = await documentsByIds(maker, ids);
  return new Set(documents.filter(({ scan }) => !shareDenialReason(scan)).map(({ id }) => id));
}

/**
 * Counts an opening of a passport that works, and audits it, at most once an hour. Nothing depends on the count: those of programs
 * that look at links in emails are in it, too. On a full disk it is only logged.
 */
export async function countOpening(token: string): Promise<void> {
  const row = await passportByToken(token);
  if (!row || !(await makerOf(row))) return;
  const count = () =>
    inTransaction(async () => {
      await addOpening(row.passport_id);
      if (await startOnce(`passport-open:${row.passport_id}`, HOUR))
        await note(row, 'clearance-passport.open');
    });
  if (!(await unlessStorageIsFull(count))) log.warn({ event: 'clearance-passport.opening-not-counted' });
}

/**
 * The PDF of the newest certificate of an agency, for whoever has the address of a passport; its download is audited, at most once
 * an hour. NOT_FOUND for an unknown address and without a PDF, GONE for a passport that is over.
 */
export async function loadPassportPdf(
  token: string,
  agencyId: string,
  { isRead, belongsTo }: { isRead: boolean; belongsTo: ((companyId: string) => void) | undefined },
): Promise<DocumentBytes> {
  const row = await passportByToken(token);
  if (!row) throw notFound();
  const maker = await makerOf(row);
  const certificates = maker && (await certificatesOf(maker, row));
  if (!maker || !certificates) throw new PortalError('GONE');
  const { documentId } = certificates.find((each) => each.agencyId === agencyId) ?? {};
  const [file] = documentId === undefined ? [] : await bytesOf(maker, [documentId]);
  if (!file) throw notFound();
  belongsTo?.(row.company_id);
  if (isRead && (await startOnce(`passport-pdf:${row.passport_id}:${file.documentId}`, HOUR)))
    await note(row, 'clearance-passport.download', { document: file.documentId });
  return file;
}

const note = (
  row: Row,
  action: 'clearance-passport.open' | 'clearance-passport.download',
  details: Record<string, string> = {},
): Promise<void> =>
  audit({
    companyId: row.company_id,
    actor: row.passport_id,
    action,
    target: row.passport_id,
    clientId: row.client_id,
    details,
  });
