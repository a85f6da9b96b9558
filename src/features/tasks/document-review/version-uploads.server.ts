import type { Readable } from 'node:stream';
import type { Document } from '#features/documents/documents/documents.ts';
import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { CONTAINER_TYPES, type ContainerType } from '#features/documents/folders/folders.ts';
import { uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertPossible } from '#features/tasks/tasks/acting.server.ts';
import { commentText } from '#features/tasks/tasks/answers.server.ts';
import { documentsAsked } from '#features/tasks/tasks/asked-documents.ts';
import { assertManagesTasks } from '#features/tasks/tasks/creating.server.ts';
import { taskRow, type TaskRow } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask } from '#features/tasks/tasks/task-forms.server.ts';
import { assertMayUpload } from '#features/documents/uploads/quota.server.ts';
import { fileCode } from '#features/documents/uploads/refusals.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { notFound, PortalError, refusal, type ErrorCode } from '#platform/runtime/errors.server.ts';
import { sendNewVersions } from './document-reviews.server.ts';

/*
 * New versions of reviewed documents, uploaded on the page of the review. They are sent for another review once all of
 * them are stored. What was stored before a file was refused can still be chosen among the documents of the client.
 */

interface Saved {
  /** The files that were stored. */
  documentIds: string[];
  refused: { name: string; code: string }[];
}

interface Version {
  name: string;
  bytes: Readable;
  announced: number | undefined;
}

/** Reads a posted form: its files as streams, each with its name and field, and its other fields. */
type Read = (
  take: (name: string, bytes: Readable, field: string) => Promise<void>,
  takeField: (name: string, value: string) => void,
) => Promise<void>;

/**
 * Stores the files of the form, and sends them and the chosen documents as new versions; if a file is refused, nothing is
 * sent. `length` is the announced length of the form. Throws as {@link sendNewVersions}.
 */
export async function postVersions(
  actor: Actor,
  taskId: string,
  read: Read,
  length: number | undefined,
): Promise<Saved> {
  await reviewedIn(actor, taskId);
  const posted = new FormData();
  const stored = new Map<string, string>();
  const refused: Saved['refused'] = [];
  let left = length;
  const submission = (): number => Number(posted.get('submission')) || 0;
  await read(
    async (name, bytes, field) => {
      const path = field.replace(/^file:/, '');
      try {
        const version = { path, submission: submission(), name, bytes, announced: left };
        const { id, originalItemSize } = await uploadVersion(actor, taskId, version);
        stored.set(path, id);
        if (left !== undefined) left -= originalItemSize;
      } catch (error) {
        const problem = refusal(error);
        if (!problem || NOT_OF_FILE.includes(problem.code)) throw error;
        refused.push({ name, code: fileCode(problem) });
      }
    },
    (name, value) => void posted.append(name, value),
  );
  const saved = { documentIds: [...stored.values()], refused };
  if (refused.length > 0) return saved;
  await sendNewVersions(actor, taskId, {
    versions: new Map([...chosenVersions(posted), ...stored]),
    message: commentText(String(posted.get('message') ?? '')),
    submission: submission(),
  });
  return saved;
}

/** Refusals that concern the whole form, not a single file. */
const NOT_OF_FILE: readonly ErrorCode[] = ['NOT_FOUND', 'FORBIDDEN', 'NOT_POSSIBLE', 'EDIT_CONFLICT'];

/** The documents of the client that were chosen, by the paths of their questions. */
const chosenVersions = (posted: FormData): [string, string][] =>
  [...posted].flatMap(([name, value]): [string, string][] =>
    name.startsWith('version:') && typeof value === 'string' && value !== ''
      ? [[name.slice('version:'.length), value]]
      : [],
  );

/** What a review asks about, by path. FORBIDDEN, NOT_FOUND; NOT_POSSIBLE unless it waits for the firm. */
async function reviewedIn(
  actor: Actor,
  taskId: string,
): Promise<{ row: TaskRow; reviewed: Map<string, string> }> {
  assertManagesTasks(actor);
  const row = await taskRow(actor, taskId);
  const form = row.type === 'document_review' ? await formOfTask(row) : undefined;
  if (!form) throw notFound();
  await assertPossible(actor, row, 'return');
  return { row, reviewed: documentsAsked(form) };
}

/** Stores a new version beside the document that it replaces. The client is notified when it is sent, not before. */
async function uploadVersion(
  actor: Actor,
  taskId: string,
  { path, submission, ...file }: { path: string; submission: number } & Version,
): Promise<Document> {
  const { row, reviewed } = await reviewedIn(actor, taskId);
  const replaced = reviewed.get(path);
  if (replaced === undefined) throw notFound();
  if (submission !== row.submission) throw new PortalError('EDIT_CONFLICT', { submission });
  await assertMayUpload(actor);
  const folder = await folderOf(actor, row.client_id, replaced);
  return uploadDocument(actor, { ...folder, ...file, onConflict: 'rename', notify: false });
}

/** The folder of a document; the firm's folder if the document was deleted in the meantime. */
async function folderOf(
  actor: Actor,
  clientId: string,
  documentId: string,
): Promise<{ containerType: ContainerType; containerId: string }> {
  const [document] = await documentsNamed(actor, [documentId]);
  if (document)
    return { containerType: CONTAINER_TYPES[document.container_type], containerId: document.container_id };
  const { id, containerType } = await uploadFolderOf(actor, clientId, 'firm');
  return { containerType, containerId: id };
}
