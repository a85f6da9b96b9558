import { http } from '#platform/http/http.ts';
import type { BatchDelete, Deleted } from './trash.ts';

/** PUT /api/storage/v1/documents/batch-delete. Undefined if it failed as a whole. */
export async function deleteDocuments(chosen: BatchDelete): Promise<Deleted[] | undefined> {
  try {
    const { data } = await http
      .put('/api/storage/v1/documents/batch-delete', { json: chosen, retry: 0, timeout: 60_000 })
      .json<{ data: { items: Deleted[] } }>();
    return data.items;
  } catch {
    return undefined; // whatever the reason, the person can only try again
  }
}
