/** The keys of calls that failed without an answer of the portal, by what they request. */
const unanswered = new Map<string, string>();

/**
 * Sends a write with a key (docs/decisions/0082). The same write again, after an error in which the first may have
 * been carried out, has the same key, so that it is not done twice.
 */
export async function keyedFetch(input: Request | URL | string, options?: RequestInit): Promise<Response> {
  const request = new Request(input, options);
  const content = await contentOf(request);
  if (content === undefined) return fetch(request);
  const key = unanswered.get(content) ?? newKey();
  unanswered.delete(content); // an equal one that is sent meanwhile is another act
  request.headers.set('Idempotency-Key', key);
  try {
    const response = await fetch(request);
    if (response.status >= 500) unanswered.set(content, key);
    return response;
  } catch (error) {
    unanswered.set(content, key);
    throw error;
  }
}

/** What a write requests; undefined for reads and for files, which are uploaded in parts that continue. */
async function contentOf(request: Request): Promise<string | undefined> {
  const { method, url, headers } = request;
  const type = headers.get('content-type');
  if (method === 'GET' || method === 'HEAD' || (type !== null && !type.startsWith('application/json')))
    return undefined;
  return `${method} ${url} ${await request.clone().text()}`;
}

/** `randomUUID` exists in secure contexts only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
