import { http } from '#platform/http-calls.ts';
import type { UploadNotice } from './arrivals.ts';
import type { Document } from './documents.ts';
import type { BatchDelete, Deleted } from './trash.ts';

/** PUT /api/storage/v1/documents/batch-delete. Undefined when it failed as a whole. */
export async function deleteDocuments(chosen: BatchDelete): Promise<Deleted[] | undefined> {
  try {
    const { data } = await http.put('/api/storage/v1/documents/batch-delete', { json: chosen, retry: 0, timeout: 60_000 }).json<{ data: { items: Deleted[] } }>();
    return data.items;
  } catch {
    return undefined; // whatever the reason, the person can only try again
  }
}

/** POST …/documents with one file, which gets the next free name. The name that it was kept under, or the code of the refusal; CONNECTION when no answer came. */
export async function sendDocument(endpoint: string, file: File): Promise<{ name: string } | { code: string }> {
  const body = new FormData();
  body.append('file[]', file);
  try {
    const answer = await http.post(`${endpoint}${endpoint.includes('?') ? '&' : '?'}onConflict=rename`, { body, retry: 0, timeout: false, throwHttpErrors: false });
    const { data: [kept] = [], errors: [no] = [] } = await answer.json<{ data?: { name: string }[]; errors?: { code: string }[] }>();
    return kept ?? { code: no?.code ?? 'UNKNOWN' };
  } catch {
    return { code: 'CONNECTION' }; // no answer, or not ours
  }
}

type Arrived = { id: string; parent: Pick<Document['parent'], 'id' | 'containerType'> };

/** POST /api/storage/v1/notifications/documents/upload, once for each place that something was handed in into. */
export async function announce(documents: readonly Arrived[]): Promise<void> {
  const places = new Map<string, Arrived[]>();
  for (const one of documents) places.set(one.parent.id, [...(places.get(one.parent.id) ?? []), one]);
  const notices = [...places.values()].flatMap((some): UploadNotice[] => (some[0] ? [{ containerType: some[0].parent.containerType, containerId: some[0].parent.id, documentIds: some.map(({ id }) => id) }] : []));
  await Promise.all(notices.map((json) => http.post('/api/storage/v1/notifications/documents/upload', { json, retry: 0, keepalive: true })));
}
