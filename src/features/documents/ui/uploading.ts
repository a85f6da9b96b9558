import { Uppy, XHRUpload } from 'uppy';
import type { ContainerType } from '../documents.ts';
import { numberedName } from '../rules.ts';
import { $uploads, type UploadingFile } from '../state.ts';

interface Meta extends Record<string, unknown> {
  name: string;
  /** Where this file goes. */
  endpoint: string;
}

interface Kept {
  id: string;
  name: string;
  sha256: string;
  parent: { id: string; containerType: ContainerType };
}

export interface Answer extends Record<string, unknown> {
  data?: Kept[];
  errors?: { code: string; suggestion?: string }[];
}

export type UploadUppy = Uppy<Meta, Answer>;

/** Larger files go in parts, by large-uploading.ts. */
export const LARGE = 8 * 1024 * 1024;

/**
 * Sends files one request each to their `endpoint`, field `file[]`, and keeps {@link $uploads} true. A taken name is answered with 409: the
 * file goes once more as `name (n)`, and if that is taken too under the name that the server suggests (spec 1, section 4).
 */
export function createUploads(): UploadUppy {
  const uppy = watchedUppy();
  const tries = new Map<string, number>();
  const arrived: Kept[] = [];
  uppy.use(XHRUpload, { endpoint: (files) => quietly(String([files].flat()[0]?.meta.endpoint)), fieldName: 'file[]', headers: { Accept: 'application/json' }, limit: 3, timeout: 0, shouldRetry: () => false, allowedMetaFields: [] });
  uppy.on('upload-success', (file, { body }) => {
    const kept = body?.data?.[0];
    if (kept) arrived.push(kept);
    if (file && kept) setState(file.id, { kind: 'success', finalName: kept.name, digest: kept.sha256 });
  });
  uppy.on('upload-error', (file, _error, response) => {
    if (!file) return;
    const problem = problemOf(response);
    const tried = tries.get(file.id) ?? 0;
    const next = problem.code === 'NAME_CONFLICT' ? [numberedName(file.name ?? ''), problem.suggestion][tried] : undefined;
    if (next === undefined) {
      setState(file.id, { kind: 'failed', code: problem.code });
      return;
    }
    tries.set(file.id, tried + 1);
    uppy.setFileMeta(file.id, { ...file.meta, name: next });
    void uppy.retryUpload(file.id);
  });
  // The other side hears of all files at once; whether it does is nothing to trouble who handed them in. What tells it is fetched while the
  // files go: who leaves the page as soon as they are there has told it all the same.
  uppy.on('upload', () => void import('../calls.ts').catch(() => undefined));
  uppy.on('complete', () => void import('../calls.ts').then(({ announce }) => announce(arrived.splice(0))).catch(() => undefined));
  return uppy;
}

/** Without a notice for each file. */
const quietly = (endpoint: string): string => `${endpoint}${endpoint.includes('?') ? '&' : '?'}notify=false`;

/** An Uppy whose files stand in {@link $uploads}, with their progress; how they end is said by whoever sends them. */
function watchedUppy(): UploadUppy {
  const quiet = { debug: () => undefined, warn: () => undefined, error: () => undefined }; // a refused file is shown to the person, not to the console
  const uppy: UploadUppy = new Uppy<Meta, Answer>({ autoProceed: true, allowMultipleUploadBatches: true, logger: quiet });
  uppy.on('file-added', (file) => {
    $uploads.setKey(file.id, { id: file.id, name: file.name ?? '', size: file.size ?? 0, state: { kind: 'selected' } });
  });
  uppy.on('file-removed', (file) => {
    const { [file.id]: _, ...others } = $uploads.get();
    $uploads.set(others);
  });
  uppy.on('upload-progress', (file, { bytesUploaded, bytesTotal }) => {
    if (file) setState(file.id, { kind: 'inProgress', progress: bytesTotal ? bytesUploaded / bytesTotal : 0 });
  });
  return uppy;
}

export function setState(id: string, state: UploadingFile['state']): void {
  const known = $uploads.get()[id];
  if (known) $uploads.setKey(id, { ...known, state });
}

function problemOf(response: unknown): { code: string; suggestion?: string } {
  const text = typeof response === 'object' && response !== null && 'responseText' in response ? String(response.responseText) : '';
  return answerIn(text).errors?.[0] ?? { code: 'CONNECTION' };
}

/** What an answer of ours says; nothing, when none came or it is not ours. */
export function answerIn(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return {};
  }
}
