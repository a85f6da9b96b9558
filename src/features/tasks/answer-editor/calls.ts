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

/** Saves answers. Never repeated by itself: the queue sends again what it has no answer to. */
export async function sendChanges(address: string, body: AnswerChanges): Promise<Sent> {
  const response = await post(address, body, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (!response) return { kind: 'failed' };
  await followRefusal(response.url, response.status);
  if (response.status === 401) return { kind: 'signed-out' };
  const answer = (await response.json().catch(() => undefined)) as
    Answer<{ results: ChangeResult[] }> | undefined;
  if (answer?.data) return { kind: 'results', results: answer.data.results };
  const isFinal = response.status >= 400 && response.status < 500 && !RETRIED.includes(response.status);
  return isFinal
    ? { kind: 'refused', code: codeOf(response.status, answer?.errors?.[0]) }
    : { kind: 'failed' };
}

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
