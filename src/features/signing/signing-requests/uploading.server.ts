import { Readable } from 'node:stream';
import { z } from 'zod';
import { document } from '#features/documents/documents/documents.ts';
import { uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { extensionOf, repairedName } from '#features/documents/folders/rules.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { foreignSignature, pageDifference } from '#features/documents/document-preparation/preparation.ts';
import { draftOf } from '#features/identity/sessions/drafts.server.ts';
import { MAX_DOCUMENT, MAX_SIGNERS } from '#features/signing/signing/signing.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { assertMayUpload } from '#features/documents/uploads/quota.server.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { readUpTo } from '#platform/storage/read-up-to.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { postedValues, type DraftStore } from '#platform/forms/forms.server.ts';
import { requestForm } from './forms.server.ts';

/** A document with what it bears or shows, and what will be signed does not: the sender confirms that before sending. */
export const documentToSign = document.extend({
  signatures: z.array(foreignSignature),
  differences: z.array(pageDifference),
});
export type DocumentToSign = z.infer<typeof documentToSign>;

/** The fields of the form that starts a request, and the name of its button. */
export const MAX_REQUEST_FIELDS = 20 + MAX_SIGNERS * 4;

/** Throws FORBIDDEN or NOT_FOUND unless the actor may upload a document that this client is asked to sign. */
export async function assertMayAsk(actor: Actor, clientId: string): Promise<void> {
  assertManagesTasks(actor);
  await assertActsFor(actor, clientId);
}

/**
 * Files a PDF to be signed in the folder of the firm for a client, who is not notified. Refused as by
 * {@link preparePdf}, so that nothing is stored that cannot be signed, and as by uploads.
 */
export async function uploadToSign(
  actor: Actor,
  clientId: string,
  { name, bytes }: { name: string; bytes: Readable },
): Promise<DocumentToSign> {
  await assertMayAsk(actor, clientId);
  await assertMayUpload(actor);
  if (extensionOf(repairedName(name)) !== '.pdf') throw new PortalError('TYPE_NOT_ALLOWED');
  const content = await contentOf(bytes);
  if (content.length === 0) throw new PortalError('EMPTY');
  const { signatures, differences } = await preparePdf(content);
  const { id, containerType } = await uploadFolderOf(actor, clientId, 'firm');
  const uploaded = await uploadDocument(actor, {
    containerType,
    containerId: id,
    name,
    bytes: Readable.from([content]),
    announced: content.length,
    onConflict: 'rename',
    notify: false,
  });
  return { ...uploaded, signatures, differences };
}

/** Reads an uploaded file of at most 50 MB; TOO_LARGE. */
async function contentOf(upload: Readable): Promise<Buffer> {
  const content = await readUpTo(upload, MAX_DOCUMENT);
  if (!content) throw new PortalError('TOO_LARGE', { most: MAX_DOCUMENT });
  return content;
}

/** Where what was typed is kept while a file of the same form is uploaded; undefined while viewing as a contact. */
export const keptRequest = (session: Session, clientId: string): DraftStore | undefined =>
  draftOf(session, requestForm.id, clientId);

/** Keeps what was typed, with the uploaded document as the one to sign. */
export async function keepRequest(
  session: Session,
  clientId: string,
  { typed, documentId }: { typed: FormData; documentId: string | undefined },
): Promise<void> {
  const store = keptRequest(session, clientId);
  const version = (await store?.load())?.version ?? 0;
  const values = postedValues(requestForm.fields, typed);
  await store?.save({ ...values, ...(documentId !== undefined && { document: documentId }) }, version);
}
