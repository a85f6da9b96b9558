import type { Actor } from '#features/base/people/people.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { countUpload, noteStored, reserveQuota } from './quota.server.ts';
import { announceUploads } from './notifications.server.ts';

type Upload = Parameters<typeof addDocument>[1] & {
  /** Whether the other side is notified; true by default. */
  notify?: boolean;
  /**
   * How many bytes come at most, for which space is reserved until they are stored; undefined if nobody knows.
   * `reserved` where the caller has reserved it.
   */
  announced: number | 'reserved' | undefined;
};

/**
 * Adds a document that the actor uploads, as {@link addDocument}: counted for the actor and their firm, and
 * announced to the other side. TOO_MANY beyond the hourly upload limit, QUOTA without space.
 */
export async function uploadDocument(
  actor: Actor,
  { notify = true, announced = 1, alongWith, ...input }: Upload,
): Promise<Document> {
  const release = announced === 'reserved' ? undefined : await reserveQuota(actor.companyId, announced);
  try {
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
  } finally {
    release?.();
  }
}
