import { Readable } from 'node:stream';
import type { Actor } from '#features/base/people/people.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { documentAnswersTask } from '#features/documents/documents/events.server.ts';
import { withholdFromFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { reserveForAction } from '#features/documents/documents/adding.server.ts';
import { uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { assertMayUpload } from '#features/documents/uploads/quota.server.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { assertWrites } from './access.server.ts';
import { formOfRequest } from './request-forms.server.ts';
import { whileSaving } from './saving.server.ts';
import { assertPossible, requestRow } from './scope.server.ts';
import { actionOf } from './service-requests.ts';
import { answersOf, writeAnswer } from './stored-answers.server.ts';

interface NewFile {
  name: string;
  bytes: Readable;
  announced?: number | undefined;
}

/** The file is stored already: it was sent twice. */
class StoredBefore extends Error {
  readonly documentId: string;

  constructor(documentId: string) {
    super('stored before');
    this.documentId = documentId;
  }
}

/**
 * Uploads a file that answers a question of a request, into the client's folder of uploads, for those alone
 * who have requests of its kind. The answer is saved in the
 * transaction that adds the document, and the firm sees it once it is sent. The same file with the same name is stored once
 * for a question. Throws as an upload does, and NOT_FOUND, CLOSED, LOCKED; INVALID unless the question asks for files,
 * TOO_MANY_FILES beyond its limit.
 */
export async function uploadToRequest(
  actor: Actor,
  requestId: string,
  path: string,
  file: NewFile,
): Promise<Document> {
  assertWrites(actor);
  const row = await requestRow(actor, requestId);
  await assertPossible(actor, row, 'save');
  if (questionAt(await formOfRequest(row), path)?.kind !== 'files')
    throw new PortalError('INVALID', { field: 'path' });
  await assertMayUpload(actor);
  const folder = await uploadFolderOf(actor, row.client_id, 'uploads');
  return uploadDocument(actor, {
    containerType: folder.containerType,
    containerId: folder.id,
    onConflict: 'rename',
    ...file,
    announced: file.announced,
    notify: false,
    alongWith: async (documentId) => {
      await addToAnswer(actor, requestId, { path, name: file.name, documentId });
      await documentAnswersTask.announce({ documentId });
      await reserveForAction(documentId, 'service-request', actionOf(row.type));
      if (!actor.staff) await withholdFromFirm(documentId);
    },
  }).catch((error: unknown) => {
    if (error instanceof StoredBefore) return documentById(actor, error.documentId);
    throw error;
  });
}

interface Added {
  path: string;
  name: string;
  documentId: string;
}

async function addToAnswer(
  actor: Actor,
  requestId: string,
  { path, name, documentId }: Added,
): Promise<void> {
  await whileSaving(actor, requestId, async ({ form, assertOpen }) => {
    assertOpen(path);
    const question = questionAt(form, path);
    if (question?.kind !== 'files') throw new PortalError('INVALID', { field: 'path' });
    const files = await filesAt(requestId, path);
    const before = await sameAmong(files, documentId, name);
    if (before !== undefined) throw new StoredBefore(before);
    if (files.length >= question.max) throw new PortalError('TOO_MANY_FILES', { max: question.max });
    await writeAnswer(actor, requestId, path, [...files, documentId]);
  });
}

/** The document among these that has the same content and name as a new one. */
async function sameAmong(
  files: readonly string[],
  documentId: string,
  name: string,
): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const { sha256 } = await db()
    .selectFrom('documents')
    .select('sha256')
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow();
  const same = await db()
    .selectFrom('documents')
    .select('document_id')
    .where('document_id', 'in', files)
    .where('sha256', '=', sha256)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return same?.document_id;
}

/** Removes a file from the answer to a question; the document stays in the client's folder. NOT_FOUND, CLOSED, LOCKED. */
export const removeFromRequest = (
  actor: Actor,
  requestId: string,
  path: string,
  documentId: string,
): Promise<void> =>
  whileSaving(actor, requestId, async ({ assertOpen }) => {
    assertOpen(path);
    const files = await filesAt(requestId, path);
    if (!files.includes(documentId)) throw notFound();
    const left = files.filter((id) => id !== documentId);
    await writeAnswer(actor, requestId, path, left.length === 0 ? undefined : left);
  });

async function filesAt(requestId: string, path: string): Promise<string[]> {
  const value: unknown = (await answersOf(requestId)).stored.get(path)?.value;
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

/**
 * Uploads a file that comes with a reply of the firm, into the firm's folder of the client, for those alone who have
 * requests of its kind, and returns its document.
 * FORBIDDEN for contacts.
 */
export async function uploadWithReply(actor: Actor, requestId: string, file: File): Promise<string> {
  assertWrites(actor);
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const row = await requestRow(actor, requestId);
  await assertMayUpload(actor);
  const folder = await uploadFolderOf(actor, row.client_id, 'firm');
  const { id } = await uploadDocument(actor, {
    containerType: folder.containerType,
    containerId: folder.id,
    onConflict: 'rename',
    name: file.name,
    bytes: Readable.from([Buffer.from(await file.arrayBuffer())]),
    announced: file.size,
    notify: false,
    alongWith: (documentId) => reserveForAction(documentId, 'service-request', actionOf(row.type)),
  });
  return id;
}
