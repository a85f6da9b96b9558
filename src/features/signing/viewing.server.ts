import type { Readable } from 'node:stream';
import { bytesOf } from '#features/documents/bytes.server.ts';
import { actorOf, assertActsFor } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { taskRow } from '#features/tasks/scope.server.ts';
import type { Width } from '#features/viewer/viewer.ts';
import type { PageImage } from '#features/viewer/viewer.server.ts';
import { readBlob } from '#platform/blobs.server.ts';
import { notFound } from '#platform/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { signingRow, type SigningRow } from './internal/rows.server.ts';
import { viewLink } from './links.server.ts';
import { imageOfPage } from './pages.server.ts';

/** A request with the person who looks at it. */
interface Viewed {
  signing: SigningRow;
  reader: { contactId: string };
}

/** Finds a request that the actor may see: drafts are for staff. NOT_FOUND. */
export async function viewedBy(actor: Actor, signingId: string): Promise<Viewed> {
  const signing = await signingRow(signingId);
  if (actor.staff) await assertActsFor(actor, signing.client_id);
  else {
    if (signing.task_id === null) throw notFound();
    await taskRow(actor, signing.task_id);
  }
  return { signing, reader: actor };
}

/** Finds the request of a link that is open in this browser. NOT_FOUND. */
export async function viewedThrough(token: string, visit: string | undefined): Promise<Viewed> {
  const view = await viewLink(token, visit ?? '');
  if (view.kind !== 'open') throw notFound();
  return { signing: view.seat.signing, reader: { contactId: view.seat.signer.signerId } };
}

/** A page as an image. */
export const pageImage = ({ signing, reader }: Viewed, page: number, width: Width): PageImage => ({
  etag: `${signing.prepared_sha256}-${width}-${page}`,
  draw: () => imageOfPage(signing, reader, { page, width }),
});

interface Copy {
  name: string;
  size: number;
  sha256: string;
  open: (range?: { start: number; end: number }) => Readable;
}

/** The sealed document, or before that the one that is being signed, whose name says that it is not complete. */
export async function copyOf({ signing }: Viewed): Promise<Copy> {
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
