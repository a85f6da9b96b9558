import { codeOf, type Answer } from '#features/documents/uploads/refusals.ts';
import { followRefusal } from '#platform/http/refused-calls.ts';
import { sendOnce, type Sent } from './answer-queue.ts';
import type { AnswerChanges, ChangeResult } from './answer-editor.ts';

/* The calls of the editor, at the addresses of what asks. Without ky, which would be a tenth of what the first touch loads. */

const post = (address: string, body: AnswerChanges, options: RequestInit): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...options,
  });

/** Saves answers. */
export const sendChanges = (address: string, body: AnswerChanges): Promise<Sent> =>
  sendOnce<Answer<{ results: ChangeResult[] }>>({
    call: (options) => post(address, body, options),
    readResults: ({ data }) => data?.results,
    readCode: (status, answer) => codeOf(status, answer?.errors?.[0]),
  });

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
