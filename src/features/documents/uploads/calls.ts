import type { Document, DocumentPage } from '#features/documents/documents/documents.ts';
import { http } from '#platform/http/http.ts';
import { answerIn, codeOf } from './refusals.ts';

/**
 * POST …/documents with one file, which gets the next free name. Returns its final name, or the error code as
 * defined in refusals.ts.
 */
export async function sendDocument(
  endpoint: string,
  file: File,
): Promise<{ name: string } | { code: string }> {
  const body = new FormData();
  body.append('file[]', file);
  try {
    const address = `${endpoint}${endpoint.includes('?') ? '&' : '?'}onConflict=rename`;
    const answer = await http.post(address, { body, retry: 0, timeout: false, throwHttpErrors: false });
    const { data: [stored] = [], errors: [problem] = [] } = answerIn<{ name: string }[]>(await answer.text());
    return stored ?? { code: codeOf(answer.status, problem) };
  } catch {
    return { code: 'CONNECTION' }; // no response
  }
}

/**
 * Finds the document with this name and these bytes in a container. Undefined without a secure context, where
 * digests cannot be computed.
 */
export async function sameDocument(
  endpoint: string,
  name: string,
  bytes: Blob,
): Promise<Document | undefined> {
  if (!isSecureContext) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer()));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const { data } = await http.get(endpoint, { searchParams: { name } }).json<{ data: DocumentPage }>();
  return data.items.find((document) => document.name === name && document.sha256 === sha256);
}
