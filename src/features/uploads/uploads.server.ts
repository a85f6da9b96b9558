import type { Actor } from '#features/people/people.ts';
import { addDocument } from '#features/documents/adding.server.ts';
import type { Document } from '#features/documents/documents.ts';
import { countUpload, noteStored } from './quota.server.ts';
import { announceUploads } from './notifications.server.ts';

type Upload = Parameters<typeof addDocument>[1] & {
  /** Whether the other side is notified; true by default. */
  notify?: boolean;
};

/**
 * Adds a document that the actor uploads, as {@link addDocument}: counted for the actor and their firm, and
 * announced to the other side. TOO_MANY beyond the hourly upload limit.
 */
export async function uploadDocument(
  actor: Actor,
  { notify = true, alongWith, ...input }: Upload,
): Promise<Document> {
  const added = await addDocument(actor, {
    ...input,
    alongWith: async (documentId) => {
      await alongWith?.(documentId);
      await countUpload(actor);
      if (notify) await announceUploads(actor, input.containerId, [documentId]);
    },
  });
  noteStored(actor.companyId, added.originalItemSize);
  return added;
}
