import { repairedName } from '#features/documents/folders/rules.ts';
import { followRefusal } from '#platform/http/refused-calls.ts';
import { placeIn } from '#features/documents/folders/addresses.ts';
import { $unfinished, $uploads } from '../state.ts';
import { answerIn, codeOf, lineIsBack, PAUSES } from '../refusals.ts';
import { setState, type UploadAnswer } from './uploading.ts';

/*
 * Uploads large files in parts (tus 1.0.0, docs/decisions/0027): they resume by themselves when the
 * connection breaks, and an earlier upload of a file continues where it stopped. Nothing is stored in the
 * browser: the server knows the open uploads.
 */

const UPLOADS = '/api/storage/v1/uploads';
const PART = 4 * 1024 * 1024;
const AT_ONCE = 2;
const SECOND = 1000;
/** A part that takes longer is aborted; the received bytes are kept. */
const PATIENCE = 180 * SECOND;
/** Responses of proxies, or of a portal that is starting. */
const PASSING = [0, 408, 423, 500, 502, 503, 504];

interface Going {
  file: File;
  endpoint: string;
  /** The URL of its parts, once the server has created it. */
  address?: string | undefined;
  stop: AbortController;
}

const going = new Map<string, Going>();
const waiting: string[] = [];
let atWork = 0;

/**
 * Uploads a file to its container; {@link $uploads} has its progress. If the name is taken, the file gets the
 * next free number.
 */
export function sendLarge(file: File, endpoint: string): void {
  const id = crypto.randomUUID();
  going.set(id, { file, endpoint, stop: new AbortController() });
  $uploads.setKey(id, { id, name: file.name, size: file.size, state: { kind: 'selected' } });
  queue(id);
}

export const isLarge = (id: string): boolean => going.has(id);

/** Retries a failed upload, from the last received byte. */
export function queue(id: string): void {
  setState(id, { kind: 'selected' });
  waiting.push(id);
  workOn();
}

/** Without a connection the upload stays in the list, and the server removes it after a day. */
const removeUpload = (address: string) =>
  import('#platform/http/http.ts').then(({ plainHttp }) => plainHttp.delete(address)).catch(() => undefined);

/** Gives up a file, here and on the server. */
export function forget(id: string): void {
  const one = going.get(id);
  one?.stop.abort();
  going.delete(id);
  // the server removes it after a day
  if (one?.address !== undefined) void removeUpload(one.address);
}

/** Gives up an upload that could be resumed. */
export async function discard(uploadId: string): Promise<void> {
  const answer = await removeUpload(`${UPLOADS}/${uploadId}`);
  await followRefusal(UPLOADS, answer?.status ?? 0);
  if (answer?.ok || answer?.status === 404)
    $unfinished.set($unfinished.get().filter((one) => one.uploadId !== uploadId));
}

function workOn(): void {
  const id = atWork < AT_ONCE ? waiting.shift() : undefined;
  const one = id === undefined ? undefined : going.get(id);
  if (id === undefined) return;
  if (!one) return workOn();
  atWork += 1;
  void send(id, one)
    .then(
      ({ data, errors }) => {
        const [stored] = data ?? [];
        const code = errors?.[0]?.code ?? 'CONNECTION';
        setState(
          id,
          stored
            ? { kind: 'success', finalName: stored.name, digest: stored.sha256 }
            : { kind: 'failed', code },
        );
        return followRefusal(UPLOADS, code === 'UNAUTHENTICATED' ? 401 : 0);
      },
      () => setState(id, { kind: 'failed', code: 'CONNECTION' }),
    )
    .finally(() => {
      atWork -= 1;
      workOn();
    });
}

/** Completes a file: returns the server's response to the last part, or its error. */
async function send(id: string, one: Going): Promise<UploadAnswer> {
  one.address ??= waitingFor(one);
  let offset = one.address === undefined ? 0 : undefined;
  let stored = 0;
  for (let tries = 0; !one.stop.signal.aborted;) {
    const { status, header, text } = await step(id, one, offset);
    const answer: UploadAnswer = answerIn(text);
    if (status === 201) one.address = header('Location') ?? undefined;
    else if (status === 404 && one.address !== undefined && offset === undefined) one.address = undefined;
    else if (PASSING.includes(status) || answer.errors?.[0]?.code === 'OFFSET_MISMATCH') {
      const pause = PAUSES[tries];
      if (pause === undefined) return { errors: [{ code: 'CONNECTION' }] };
      tries += 1;
      setState(id, { kind: 'paused', progress: stored / one.file.size });
      await lineIsBack(pause);
      offset = one.address === undefined ? 0 : undefined;
      continue;
    } else if (answer.data) return answer;
    else if (status >= 300) return { errors: [{ code: codeOf(status, answer.errors?.[0]) }] };
    if (offset !== undefined) tries = 0;
    offset = stored = status === 404 ? 0 : Number(header('Upload-Offset') ?? 0);
  }
  return {};
}

/**
 * The next request: to create the upload, to ask for the offset if unknown, or to send the next part. At the
 * end of the file an empty part requests the document.
 */
function step(id: string, one: Going, offset: number | undefined): Promise<Reply> {
  if (one.address === undefined)
    return ask('POST', UPLOADS, one, {
      'Upload-Length': String(one.file.size),
      'Upload-Metadata': metadataOf(one),
    });
  if (offset === undefined) return ask('HEAD', one.address, one);
  const { size } = one.file;
  const progress = (sent: number): void =>
    setState(id, { kind: 'inProgress', progress: Math.min(1, (offset + sent) / size) });
  progress(0);
  return ask(
    'PATCH',
    one.address,
    one,
    { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
    one.file.slice(offset, offset + PART),
    progress,
  );
}

interface Reply {
  /** 0 without a response. */
  status: number;
  header: (name: string) => string | null;
  text: string;
}

function ask(
  method: string,
  address: string,
  { stop }: Going,
  headers: Record<string, string> = {},
  body: Blob | null = null,
  progress: (sent: number) => void = () => undefined,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const xhr = new XMLHttpRequest(); // fetch reports no upload progress
  xhr.open(method, address);
  xhr.timeout = PATIENCE;
  for (const [name, value] of Object.entries({ 'Tus-Resumable': '1.0.0', ...headers }))
    xhr.setRequestHeader(name, value);
  xhr.upload.onprogress = ({ loaded }) => progress(loaded);
  xhr.onloadend = () =>
    resolve({ status: xhr.status, header: (name) => xhr.getResponseHeader(name), text: xhr.responseText });
  stop.signal.addEventListener('abort', () => xhr.abort());
  xhr.send(body);
  return promise;
}

/** The URL of an open upload of this very file to this container. */
function waitingFor({ file, endpoint }: Going): string | undefined {
  const place = placeIn(endpoint);
  const found = $unfinished
    .get()
    .find(
      (one) =>
        one.name === repairedName(file.name) &&
        one.size === file.size &&
        one.lastModified === file.lastModified &&
        one.containerId === place.containerId &&
        one.intoUploads === 'into' in place,
    );
  if (found) $unfinished.set($unfinished.get().filter((one) => one !== found));
  return found && `${UPLOADS}/${found.uploadId}`;
}

function metadataOf({ file, endpoint }: Going): string {
  const pairs = {
    filename: file.name,
    lastModified: String(file.lastModified),
    onConflict: 'rename',
    ...placeIn(endpoint),
  };
  return Object.entries(pairs)
    .map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`)
    .join(',');
}
