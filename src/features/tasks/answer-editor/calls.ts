import { codeOf, type Answer } from '#features/documents/uploads/refusals.ts';
import { followRefusal } from '#platform/http/refused-calls.ts';
import type { Sent } from './answer-queue.ts';
import type { AnswerChanges, ChangeResult } from './answer-editor.ts';

/* The calls of the editor, at the addresses of what asks. Without ky, which would be a tenth of what the first touch loads. */

const post = (address: string, body: AnswerChanges, options: RequestInit): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...options,
  });

/** Refused for now: the time is up, the connection is needed again, or there were too many calls. */
const RETRIED = [408, 425, 429];

/** The answer of a call, which may be a refusal. */
export type Refusable = Pick<Answer<unknown>, 'errors'>;

/**
 * Makes the call that saves changes, and says what became of them for the queue, which repeats what has no answer.
 * `readResults` finds the results of the changes in an answer.
 */
export async function callOnce<Body extends Refusable>(
  call: (options: RequestInit) => Promise<Response>,
  readResults: (answer: Body) => readonly ChangeResult[] | undefined,
): Promise<Sent> {
  const response = await call({ signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (!response) return { kind: 'failed' };
  const { status } = response;
  await followRefusal(response.url, status);
  if (status === 401) return { kind: 'signed-out' };
  const answer = (await response.json().catch(() => undefined)) as Body | undefined;
  const results = answer && readResults(answer);
  if (results) return { kind: 'results', results };
  const isFinal = status >= 400 && status < 500 && !RETRIED.includes(status);
  return isFinal ? { kind: 'refused', code: codeOf(status, answer?.errors?.[0]) } : { kind: 'failed' };
}

/** Saves answers. */
export const sendChanges = (address: string, body: AnswerChanges): Promise<Sent> =>
  callOnce(
    (options) => post(address, body, options),
    ({ data }: Answer<{ results: ChangeResult[] }>) => data?.results,
  );

/** Sends changes while the page is being left, which the browser finishes without it. */
export function leaveChanges(address: string, body: AnswerChanges): void {
  void post(address, body, { keepalive: true }).catch(() => undefined); // they are in the session storage
}

type UploadAnswer = Answer<{ documentIds: string[]; refused: { code: string }[] }>;

interface FileToSend {
  /** Where the section is posted. */
  address: string;
  path: string;
  file: File;
  /** The same for every attempt, so that it is stored once. */
  key: string;
}

/** Uploads a file that answers a question, with its progress between 0 and 1. Returns the code of a refusal. */
export function uploadFile(
  { address: base, path, file, key }: FileToSend,
  onProgress: (progress: number) => void,
): Promise<string | undefined> {
  const body = new FormData();
  body.append(`files:${path}`, file);
  const address = `${base}?upload=${key}`;
  return new Promise((resolve) => {
    // fetch has no progress of uploads
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onloadend = () => {
      const { status } = request;
      const answer = request.response as UploadAnswer | null; // null for the page of a proxy
      void followRefusal(new URL(address, location.origin).href, status);
      resolve(answer?.data ? answer.data.refused[0]?.code : codeOf(status, answer?.errors?.[0]));
    };
    request.send(body);
  });
}
