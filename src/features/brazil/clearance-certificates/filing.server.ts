import { Readable } from 'node:stream';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { folderAt } from '#features/documents/publishing/places.server.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { textOfPdf } from '#features/documents/viewer/worker.server.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { assertKeeps, todayOf } from './access.server.ts';
import { isNational } from './agencies.ts';
import { agencyName } from './agency-names.server.ts';
import { assertIsCurrent, ensureFollowed } from './following.server.ts';
import { refreshCurrent } from './internal/rows.server.ts';
import type { Result } from './lights.ts';
import { numberText, numberTextOf, ownersOf } from './owners.server.ts';
import { readCertificate, type CertificateFacts } from './reading.ts';

/*
 * Certificates are filed by hand: no agency is asked. What the PDF says is read, and a certificate is never filed with a
 * client whose CNPJ or CPF is not in it. It becomes a document of the client, in a folder of its own.
 */

/** A PDF in memory. */
export interface CertificateFile {
  name: string;
  bytes: Buffer;
}

/** What a person says about a certificate; empty fields are read from the PDF. */
interface TypedFacts {
  result: Result | '';
  validUntil: string;
  issuedOn: string;
  number: string;
  note: string;
  /** They have looked whose it is, because the PDF has no text. */
  isChecked: boolean;
}

const NOTHING_TYPED: TypedFacts = {
  result: '',
  validUntil: '',
  issuedOn: '',
  number: '',
  note: '',
  isChecked: false,
};

/** Why a certificate is not filed: details of INVALID. */
export type FilingProblem =
  | 'otherClient'
  | 'severalClients'
  | 'clientWithoutNumber'
  | 'unchecked'
  | 'otherAgency'
  | 'noResult'
  | 'noValidity'
  | 'validityWrong'
  | 'notIssuedYet'
  | 'agencyUnknown'
  | 'clientUnknown';

const problem = (kind: FilingProblem, details: Record<string, string> = {}): PortalError =>
  new PortalError('INVALID', { problem: kind, ...details });

/** What the problem of a refused certificate is; undefined for other refusals. */
export const filingProblemOf = (details: Record<string, unknown>): FilingProblem | undefined =>
  details['problem'] as FilingProblem | undefined;

interface Target {
  clientId: string;
  agencyId: string;
}

/**
 * Files a certificate of an agency with a client, and returns whether it is new: the same PDF is filed once. TYPE_NOT_ALLOWED
 * for what is no PDF, INVALID with a {@link FilingProblem}, GONE for an archived client, FORBIDDEN, NOT_FOUND, and what storing
 * a document refuses.
 */
export async function fileCertificate(
  actor: Actor,
  target: Target,
  { file, typed }: { file: CertificateFile; typed: TypedFacts },
): Promise<boolean> {
  assertKeeps(actor);
  await assertIsCurrent(actor, target.clientId);
  const facts = await factsOf(actor, file);
  const cnpj = await assertIsOfClient(actor, target.clientId, { facts, isChecked: typed.isChecked });
  if (facts.agency !== undefined && facts.agency !== target.agencyId)
    throw problem('otherAgency', { agency: facts.agency });
  return store(actor, target, { file, cnpj, ...(await settled(actor, facts, typed)) });
}

/** What became of a file among several. */
export interface FiledFile {
  name: string;
  outcome: 'filed' | 'known' | FilingProblem | 'notPdf' | 'gone' | 'refused';
}

/** Files certificates of the agencies of the Union, each with the client whose CNPJ or CPF is in it. FORBIDDEN. */
export async function fileCertificates(
  actor: Actor,
  files: readonly CertificateFile[],
): Promise<FiledFile[]> {
  assertKeeps(actor);
  const outcomes: FiledFile[] = [];
  for (const file of files) outcomes.push({ name: file.name, outcome: await outcomeOf(actor, file) });
  return outcomes;
}

async function outcomeOf(actor: Actor, file: CertificateFile): Promise<FiledFile['outcome']> {
  try {
    const facts = await factsOf(actor, file);
    if (facts.agency === undefined) return 'agencyUnknown';
    // a certificate with a CNPJ is a company's, even if it names partners by their CPF
    const cpfs = facts.cnpjs.length === 0 ? facts.cpfs : [];
    const [owner, other] = await ownersOf(actor.companyId, { cnpjs: facts.cnpjs, cpfs });
    if (!owner) return 'clientUnknown';
    if (other) return 'severalClients';
    await assertActsFor(actor, owner.clientId);
    await assertIsCurrent(actor, owner.clientId);
    const target = { clientId: owner.clientId, agencyId: facts.agency };
    const known = await settled(actor, facts, NOTHING_TYPED);
    return (await store(actor, target, { file, cnpj: owner.cnpj, ...known })) ? 'filed' : 'known';
  } catch (error) {
    const refused = refusal(error);
    if (!refused) throw error;
    if (refused.code === 'TYPE_NOT_ALLOWED') return 'notPdf';
    if (refused.code === 'NOT_FOUND') return 'clientUnknown'; // of somebody else in the firm
    if (refused.code === 'GONE') return 'gone';
    return filingProblemOf(refused.details) ?? 'refused';
  }
}

/** Reads a PDF; TYPE_NOT_ALLOWED for what is none. One without text, such as a scan, says nothing. */
async function factsOf(
  { contactId, companyId }: Actor,
  { bytes }: CertificateFile,
): Promise<CertificateFacts> {
  if (bytes.subarray(0, HEAD.length).toString('latin1') !== HEAD)
    throw new PortalError('TYPE_NOT_ALLOWED', { expected: 'application/pdf' });
  const read = await textOfPdf({
    key: sha256(bytes),
    bytes: () => Readable.from([bytes]),
    asker: { person: contactId, firm: companyId },
  });
  return readCertificate('text' in read ? read.text : '');
}

const HEAD = '%PDF-';

/** Returns the CNPJ in the certificate that is of the client; empty for a person's, and without any, if somebody has looked. */
async function assertIsOfClient(
  { companyId }: Actor,
  clientId: string,
  { facts, isChecked }: { facts: CertificateFacts; isChecked: boolean },
): Promise<string> {
  const own = await numberTextOf(clientId);
  if (own === '') throw problem('clientWithoutNumber');
  const [found] = [...facts.cnpjs, ...facts.cpfs];
  if (found === undefined) {
    if (!isChecked) throw problem('unchecked', { own });
    return '';
  }
  const owners = await ownersOf(companyId, facts);
  const owner = owners.find((each) => each.clientId === clientId);
  if (!owner) throw problem('otherClient', { number: numberText(found), own });
  if (owners.length > 1) throw problem('severalClients');
  return owner.cnpj;
}

interface Settled {
  result: Result;
  validUntil: string;
  issuedOn: string;
  number: string;
  controlCode: string;
  note: string;
}

/** What is stored of a certificate: what a person typed, else what was read. */
async function settled(actor: Actor, facts: CertificateFacts, typed: TypedFacts): Promise<Settled> {
  const today = await todayOf(actor);
  const result = typed.result === '' ? facts.result : typed.result;
  if (result === undefined) throw problem('noResult');
  const issuedOn = typed.issuedOn || facts.issuedOn || today;
  if (issuedOn > today) throw problem('notIssuedYet');
  const validUntil = result === 'positive' ? '' : typed.validUntil || facts.validUntil;
  if (validUntil === '' && result !== 'positive') throw problem('noValidity');
  if (validUntil !== '' && validUntil < issuedOn) throw problem('validityWrong');
  return {
    result,
    validUntil,
    issuedOn,
    number: typed.number || facts.number,
    controlCode: facts.controlCode,
    note: typed.note,
  };
}

interface Certificate extends Settled {
  file: CertificateFile;
  cnpj: string;
}

/** Stores a certificate as a document of the client, with its attempt; false if the same PDF is there already. */
async function store(actor: Actor, target: Target, certificate: Certificate): Promise<boolean> {
  const { bytes } = certificate.file;
  const digest = sha256(bytes);
  if (await isFiled(target, digest)) return false;
  const lang = await languageOfFirm(actor.companyId);
  const folder = await folderAt(actor, target.clientId, [
    translationsFor(lang, 'clearance-certificates')('folder'),
  ]);
  try {
    await uploadDocument(actor, {
      containerType: 'Folder',
      containerId: folder.container_id,
      name: documentName(lang, target.agencyId, certificate),
      bytes: Readable.from([bytes]),
      onConflict: 'rename',
      notify: false,
      announced: bytes.length,
      alongWith: (documentId) => insertAttempt(actor, target, { ...certificate, documentId, digest }),
    });
  } catch (error) {
    if (refusal(error)?.code === 'ALREADY_DONE') return false;
    throw error;
  }
  return true;
}

async function insertAttempt(
  actor: Actor,
  target: Target,
  certificate: Certificate & { documentId: string; digest: string },
): Promise<void> {
  const { companyId, contactId } = actor;
  const clientAgencyId = await ensureFollowed(actor, target.clientId, target.agencyId);
  // one that is filed at the same time waits here for the other
  await db()
    .updateTable('cnd_client_agencies')
    .set({ client_id: target.clientId })
    .where('client_agency_id', '=', clientAgencyId)
    .execute();
  if (await isFiled(target, certificate.digest)) throw new PortalError('ALREADY_DONE');
  const id = newId('attempt');
  await db()
    .insertInto('cnd_attempts')
    .values({
      attempt_id: id,
      company_id: companyId,
      client_id: target.clientId,
      client_agency_id: clientAgencyId,
      status: 'issued',
      source: 'upload',
      result: certificate.result,
      number: encryptFor('cnd_attempts.number', id, certificate.number),
      control_code: encryptFor('cnd_attempts.control_code', id, certificate.controlCode),
      cnpj: certificate.cnpj,
      issued_on: certificate.issuedOn,
      valid_until: certificate.validUntil,
      document_id: certificate.documentId,
      sha256: certificate.digest,
      note: encryptFor('cnd_attempts.note', id, certificate.note),
      created_at: now(),
      created_by: contactId,
      withdrawn_at: null,
    })
    .execute();
  await refreshCurrent(clientAgencyId);
  await audit({
    companyId,
    actor: contactId,
    action: 'clearance.file',
    target: clientAgencyId,
    clientId: target.clientId,
    details: { document: certificate.documentId, validUntil: certificate.validUntil },
  });
}

async function isFiled({ clientId, agencyId }: Target, digest: string): Promise<boolean> {
  const row = await db()
    .selectFrom('cnd_attempts')
    .innerJoin('cnd_client_agencies', 'cnd_client_agencies.client_agency_id', 'cnd_attempts.client_agency_id')
    .select('attempt_id')
    .where('cnd_client_agencies.client_id', '=', clientId)
    .where('cnd_client_agencies.agency_id', '=', agencyId)
    .where('cnd_attempts.sha256', '=', digest)
    .where('cnd_attempts.withdrawn_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The name that the document gets: its agency and the day of issue, whatever the file was called. */
function documentName(lang: Lang, agencyId: string, { issuedOn }: Settled): string {
  const t = translationsFor(lang, 'clearance-certificates');
  const agency = isNational(agencyId) ? t(`short_${agencyId}`) : agencyName(lang, agencyId);
  return `${agency.replaceAll('/', '-')} ${issuedOn}.pdf`;
}
