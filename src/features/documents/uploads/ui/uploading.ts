import { Uppy } from '@uppy/core';
import XHRUpload from '@uppy/xhr-upload';
import { followRefusal } from '#platform/http/refused-calls.ts';
import { numberedName, repairedName } from '#features/documents/folders/rules.ts';
import { $uploads, type UploadingFile } from '../state.ts';
import { answerIn, codeOf, isPassing, lineIsBack, PAUSES, type Answer } from '../refusals.ts';

interface Meta extends Record<string, unknown> {
  name: string;
  /** The target URL of this file. */
  endpoint: string;
}

interface Kept {
  id: string;
  name: string;
  sha256: string;
}

export type UploadAnswer = Answer<Kept[]>;

export type UploadUppy = Uppy<Meta, UploadAnswer>;

/** Larger files are sent in parts, by large-uploading.ts. */
export const LARGE = 8 * 1024 * 1024;

/**
 * Sends each file in a request to its `endpoint`, field `file[]`, and updates {@link $uploads}. A taken name
 * is answered with 409: the file is sent once more as `name (n)`, and if that is taken too under the name
 * that the server suggests (spec 1, section 4). Without a connection it waits, and continues by itself.
 */
export function createUploads(): UploadUppy {
  const uppy = watchedUppy();
  uppy.use(XHRUpload, {
    endpoint: (files) => String([files].flat()[0]?.meta.endpoint),
    fieldName: 'file[]',
    headers: { Accept: 'application/json' },
    limit: 3,
    timeout: 0,
    shouldRetry: () => false,
    allowedMetaFields: [],
  });
  uppy.on('upload-success', (file, { body }) => {
    const uploaded = body?.data?.[0];
    if (file && uploaded)
      setState(file.id, { kind: 'success', finalName: uploaded.name, digest: uploaded.sha256 });
  });
  uppy.on('upload-error', (file, _error, response) => {
    if (file)
      void afterError(uppy, file, problemOf(response)).catch(() =>
        setState(file.id, { kind: 'failed', code: 'UNKNOWN' }),
      );
  });
  return uppy;
}

type Sent = NonNullable<ReturnType<UploadUppy['getFile']>>;

/** How often a file was sent under another name, and how often its connection was lost. */
const tries = new Map<string, { names: number; lost: number }>();

/**
 * Handles a file that was not stored: sends it once more under another name, waits for the connection, or
 * shows the error.
 */
async function afterError(
  uppy: UploadUppy,
  file: Sent,
  { code, suggestion }: { code: string; suggestion?: string | undefined },
): Promise<void> {
  const tried = tries.get(file.id) ?? { names: 0, lost: 0 };
  const stored = code === 'NAME_CONFLICT' && tried.lost > 0 ? await storedAlready(file) : undefined;
  if (stored) return setState(file.id, { kind: 'success', finalName: stored.name, digest: stored.sha256 });
  const name =
    code === 'NAME_CONFLICT'
      ? [numberedName(repairedName(file.name ?? '')), suggestion][tried.names]
      : undefined;
  const pause = isPassing(code) ? PAUSES[tried.lost] : undefined;
  if (name !== undefined) {
    tries.set(file.id, { ...tried, names: tried.names + 1 });
    uppy.setFileMeta(file.id, { ...file.meta, name });
  } else if (pause !== undefined) {
    tries.set(file.id, { ...tried, lost: tried.lost + 1 });
    const state = $uploads.get()[file.id]?.state;
    setState(file.id, { kind: 'paused', progress: state && 'progress' in state ? state.progress : 0 });
    await lineIsBack(pause);
  } else {
    tries.set(file.id, { names: 0, lost: Math.min(tried.lost, 1) });
    setState(file.id, { kind: 'failed', code });
    return followRefusal(file.meta.endpoint, code === 'UNAUTHENTICATED' ? 401 : 0);
  }
  if ($uploads.get()[file.id]) await uppy.retryUpload(file.id);
}

/**
 * Finds the document that was stored although its response was lost: with the same name and bytes, in the
 * same folder.
 */
async function storedAlready({ data, meta }: Sent): Promise<Kept | undefined> {
  if (!(data instanceof Blob) || meta.endpoint.includes('?')) return undefined;
  const { sameDocument } = await import('../calls.ts');
  return sameDocument(meta.endpoint, repairedName(meta.name), data);
}

/**
 * Creates an Uppy whose files are in {@link $uploads}, with their progress; the caller reports how they end.
 */
function watchedUppy(): UploadUppy {
  // a refused file is reported to the person, not on the console
  const quiet = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const uppy: UploadUppy = new Uppy<Meta, UploadAnswer>({
    autoProceed: true,
    allowMultipleUploadBatches: true,
    logger: quiet,
  });
  uppy.on('file-added', (file) => {
    $uploads.setKey(file.id, {
      id: file.id,
      name: file.name ?? '',
      size: file.size ?? 0,
      state: { kind: 'selected' },
    });
  });
  uppy.on('file-removed', (file) => {
    const { [file.id]: _, ...others } = $uploads.get();
    $uploads.set(others);
  });
  uppy.on('upload-progress', (file, { bytesUploaded, bytesTotal }) => {
    if (file)
      setState(file.id, { kind: 'inProgress', progress: bytesTotal ? bytesUploaded / bytesTotal : 0 });
  });
  return uppy;
}

export function setState(id: string, state: UploadingFile['state']): void {
  const known = $uploads.get()[id];
  if (known) $uploads.setKey(id, { ...known, state });
}

function problemOf(response: unknown): { code: string; suggestion?: string | undefined } {
  const of = (name: string): unknown =>
    typeof response === 'object' && response !== null ? Reflect.get(response, name) : undefined;
  const problem = answerIn<Kept[]>(String(of('responseText') ?? '')).errors?.[0];
  return { code: codeOf(Number(of('status') ?? 0), problem), suggestion: problem?.suggestion };
}
