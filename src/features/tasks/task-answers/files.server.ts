import type { Readable } from 'node:stream';
import type { Document } from '#features/documents/documents/documents.ts';
import { documentById, documentsByIds } from '#features/documents/documents/documents.server.ts';
import { documentAnswersTask } from '#features/documents/documents/events.server.ts';
import { describeNewDocument } from '#features/documents/documents/metadata.server.ts';
import { withholdFromFirm } from '#features/documents/documents/unsubmitted.server.ts';
import { uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { QuestionOf } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { assertPossible } from '#features/tasks/tasks/acting.server.ts';
import { answersOf, writeAnswer } from '#features/tasks/tasks/answers.server.ts';
import { afterSaving } from '#features/tasks/tasks/form-state.server.ts';
import { openItemsOf } from '#features/tasks/tasks/item-lock.server.ts';
import { lockTask, taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { assertMayUpload } from '#features/documents/uploads/quota.server.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { rememberUpload, StoredBefore, type UploadId } from './repeated-uploads.server.ts';

/** A file that is uploaded to a task. `key` is the same for every attempt to send it. */
export interface TaskFile {
  name: string;
  bytes: Readable;
  announced?: number | undefined;
  key?: string | undefined;
}

/**
 * Uploads a file that answers a question of a task: into the client's folder of uploads, with the task as metadata
 * (spec 2 section 7). The answer is saved in the transaction that adds the document. Throws as an upload does, and
 * NOT_FOUND, CLOSED, EXPIRED; INVALID unless the question asks for files; LOCKED for an item that was not returned;
 * TOO_MANY_FILES beyond its limit. With the `key` of an attempt whose file is stored, that document is returned, and
 * nothing is added. `attach` replaces {@link addToAnswer}.
 */
export async function uploadToTask(
  actor: Actor,
  taskId: string,
  path: string,
  { key, ...file }: TaskFile,
  attach: (documentId: string, upload: UploadId) => Promise<void> = (documentId, upload) =>
    addToAnswer(actor, upload, documentId),
): Promise<Document> {
  const row = await taskRow(actor, taskId);
  await assertPossible(actor, row, 'save');
  await filesQuestion(row, path);
  await assertMayUpload(actor);
  const folder = await uploadFolderOf(actor, row.client_id, 'uploads');
  return uploadDocument(actor, {
    containerType: folder.containerType,
    containerId: folder.id,
    onConflict: 'rename',
    ...file,
    announced: file.announced,
    // the submission announces them together
    notify: false,
    alongWith: async (documentId) => {
      await attach(documentId, { taskId, path, name: file.name, key });
      await describeAnswer(actor, documentId, { row, path });
    },
  }).catch((error: unknown) => {
    if (error instanceof StoredBefore) return documentById(actor, error.documentId);
    throw error;
  });
}

/**
 * Says which question of an open task a document answers, in the transaction that adds it: in its metadata (spec 2
 * section 7), and to those who would look at it on its own. The firm sees what a contact adds once it is submitted.
 */
export async function describeAnswer(
  actor: Actor,
  documentId: string,
  { row, path }: { row: TaskRow; path: string },
): Promise<void> {
  await describeNewDocument(actor, documentId, {
    ccTask: row.task_id,
    ccTaskLabel: row.label,
    ccGroupType: `${row.kind || row.type}.${row.tax_year ?? ''}`,
    ccStep: path.split('.')[0] ?? '',
  });
  await documentAnswersTask.announce({ documentId });
  if (!actor.staff) await withholdFromFirm(documentId);
}

/** The question at a path. INVALID unless it asks for files; LOCKED for an item that was not returned. */
export async function filesQuestion(row: TaskRow, path: string): Promise<QuestionOf<'files'>> {
  const form = await formOfTask(row);
  const question = form && questionAt(form, path);
  if (!form || question?.kind !== 'files') throw new PortalError('INVALID', { field: 'path' });
  (await openItemsOf(row, form))({ path, value: null });
  return question;
}

/**
 * Adds an uploaded document to the answer to a question, in the open transaction. Throws as {@link uploadToTask} does,
 * and {@link StoredBefore}.
 */
export async function addToAnswer(actor: Actor, upload: UploadId, documentId: string): Promise<void> {
  const { taskId, path } = upload;
  const row = await lockTask(actor, taskId);
  await assertPossible(actor, row, 'save');
  const { max } = await filesQuestion(row, path);
  const files = await filesAt(taskId, path);
  await rememberUpload(upload, documentId, files);
  if (files.length >= max) throw new PortalError('TOO_MANY_FILES', { max });
  await writeAnswer(actor, taskId, path, [...files, documentId]);
  await afterSaving(actor, row, await formOfTask(row));
}

/**
 * Removes a file from the answer to a question. The document stays in the client's folder, and the firm does not see it
 * unless it was submitted before. NOT_FOUND, CLOSED.
 */
export async function removeFromTask(
  actor: Actor,
  taskId: string,
  path: string,
  documentId: string,
): Promise<{ isNotSubmitted: boolean }> {
  return inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'save');
    await filesQuestion(row, path);
    const files = await filesAt(taskId, path);
    if (!files.includes(documentId)) throw notFound();
    const left = files.filter((id) => id !== documentId);
    await writeAnswer(current, taskId, path, left.length === 0 ? undefined : left);
    await afterSaving(current, row, await formOfTask(row));
    const [document] = await documentsByIds(current, [documentId]);
    return { isNotSubmitted: document?.isNotSubmitted ?? false };
  });
}

async function filesAt(taskId: string, path: string): Promise<string[]> {
  const value: unknown = (await answersOf([taskId])).get(taskId)?.get(path)?.value;
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}
