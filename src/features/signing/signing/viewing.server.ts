import type { Readable } from 'node:stream';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { countFetched } from '#features/documents/downloads/allowance.server.ts';
import { noteViewed } from '#features/documents/downloads/fetching.server.ts';
import { actorOf, assertActsFor } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { taskRow } from '#features/tasks/tasks/scope.server.ts';
import type { Width } from '#features/documents/viewer/viewer.ts';
import type { PageImage } from '#features/documents/viewer/viewer.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { hasStarted, startOnce } from '#platform/security/limits.server.ts';
import type { RequestedPart } from '#platform/http/send-file.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { foreignSignatureText } from './certificate.server.ts';
import { notCarried, signingRow, type SigningRow } from './internal/rows.server.ts';
import { viewLink } from './links.server.ts';
import { imageOfPage } from './pages.server.ts';

/** A request with the person who looks at it: the id of their contact or, without an account, of the signer. */
interface Viewed {
  signing: SigningRow;
  reader: { contactId: string };
  /** Undefined for a link. */
  session?: Session;
}

/** Finds a request that the person may see: drafts are for staff. NOT_FOUND. */
export async function viewedBy(session: Session, signingId: string): Promise<Viewed> {
  const { actor } = session;
  const signing = await signingRow(signingId);
  if (actor.staff) await assertActsFor(actor, signing.client_id);
  else {
    if (signing.task_id === null) throw notFound();
    await taskRow(actor, signing.task_id);
  }
  return { signing, reader: actor, session };
}

/** Finds the request of a link that is open in this browser. NOT_FOUND. */
export async function viewedThrough(token: string, visit: string | undefined): Promise<Viewed> {
  const view = await viewLink(token, visit ?? '');
  if (view.kind !== 'open') throw notFound();
  const { contactId, signerId } = view.seat.signer;
  return { signing: view.seat.signing, reader: { contactId: contactId ?? signerId } };
}

/**
 * A page as an image. Rendering it for somebody signed in counts towards their allowance and is audited as a view of
 * the document, except for HEAD requests; STEP_UP. The evidence has what signers see.
 */
export function pageImage(
  { signing, reader, session }: Viewed,
  { page, width, reads }: { page: number; width: Width; reads: boolean },
): PageImage {
  const { document_id: documentId, client_id: clientId, prepared_size: size } = signing;
  const draw = async (): Promise<Buffer> => {
    const image = await imageOfPage(signing, reader, { page, width });
    if (session && reads) await noteViewed(session, { documentId, clientId, size });
    return image;
  };
  return { etag: `${signing.prepared_sha256}-${width}-${page}`, draw };
}

interface Copy {
  name: string;
  size: number;
  sha256: string;
  open: (range?: { start: number; end: number }) => Readable;
}

/**
 * Opens the document for download. All parts that a person requests within a day are one download, whichever comes
 * first: it is audited and, for somebody signed in, counts towards their allowance; STEP_UP. NOT_FOUND for an original that
 * is not kept.
 */
export async function fetchCopy(
  viewed: Viewed,
  requestedPart: (file: { size: number; etag: string }) => RequestedPart,
  version?: 'original',
): Promise<Copy> {
  const copy = version === 'original' ? originalOf(viewed) : await copyOf(viewed);
  const requested = requestedPart({ size: copy.size, etag: copy.sha256 });
  const { signing, reader, session } = viewed;
  const viewer = session?.actor.viewedBy ?? '';
  const download = `sign-download:${viewer}:${reader.contactId}:${copy.sha256}`;
  if (requested === 'headers' || (requested === 'part' && (await hasStarted(download)))) return copy;
  const note = async (): Promise<void> => {
    if (!(await startOnce(download, DAY)) && requested === 'part') return;
    if (viewer === '') await auditDownload(signing, reader);
  };
  await (session ? countFetched(session, [copy.size], note) : inTransaction(note));
  return copy;
}

const auditDownload = (signing: SigningRow, { contactId: actor }: Viewed['reader']): Promise<void> =>
  audit({
    companyId: signing.company_id,
    actor,
    action: 'signing.download',
    target: signing.task_id ?? signing.signing_id,
    clientId: signing.client_id,
  });

/** The original of a request, which bears digital signatures that the signed document does not. */
export interface OriginalView {
  signatures: string[];
  url: string;
}

/** The original that people may download next to the signed document; undefined if it bears no signature. */
export function originalView(
  signing: SigningRow,
  { filesUrl, lang, locale, timeZone }: { filesUrl: string; lang: Lang; locale: string; timeZone: string },
): OriginalView | undefined {
  if (signing.original_blob === null) return undefined;
  const moment = (at: number): string => formatMoment(locale, at, timeZone);
  return {
    signatures: notCarried(signing).signatures.map((each) => foreignSignatureText(lang, each, moment)),
    url: `${filesUrl}/document?version=original`,
  };
}

/** The document as it was before it was prepared, if it is kept for the signatures that it bears. NOT_FOUND. */
function originalOf({ signing }: Viewed): Copy {
  const { original_blob: key, original_size: size, document_name: name, source_sha256: sha256 } = signing;
  if (key === null) throw notFound();
  return { name, size: size ?? 0, sha256, open: (range) => readBlob(key, range) };
}

/** The sealed document, or before that the one that is being signed, whose name says that it is not complete. */
async function copyOf({ signing }: Viewed): Promise<Copy> {
  if (signing.sealed_document !== null) {
    const filer = { ...(await actorOf(signing.sender)), hasAllClients: true };
    const [sealed] = await bytesOf(filer, [signing.sealed_document]);
    if (!sealed) throw notFound();
    return sealed;
  }
  const t = translationsFor(languageOf(signing.language) ?? DEFAULT_LANG, 'signing');
  return {
    name: t('notCompleteName', { name: signing.document_name.replace(/\.pdf$/iu, '') }),
    size: signing.prepared_size,
    sha256: signing.prepared_sha256,
    open: (range) => readBlob(signing.prepared_blob, range),
  };
}
