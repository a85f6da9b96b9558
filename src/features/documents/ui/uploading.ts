import { Uppy, XHRUpload } from 'uppy';
import { numberedName } from '../rules.ts';
import { $uploads, type UploadingFile } from '../state.ts';

interface Meta extends Record<string, unknown> {
  name: string;
}

interface Answer extends Record<string, unknown> {
  data?: { name: string; sha256: string }[];
  errors?: { code: string; suggestion?: string }[];
}

export type UploadUppy = Uppy<Meta, Answer>;

/**
 * Sends files one request each to `endpoint`, field `file[]`, and keeps {@link $uploads} true. A taken name is answered with 409: the
 * file goes once more as `name (n)`, and if that is taken too under the name that the server suggests (spec 1, section 4).
 */
export function createUploads(endpoint: string): UploadUppy {
  const quiet = { debug: () => undefined, warn: () => undefined, error: () => undefined }; // a refused file is shown to the person, not to the console
  const uppy: UploadUppy = new Uppy<Meta, Answer>({ autoProceed: true, allowMultipleUploadBatches: true, logger: quiet });
  const tries = new Map<string, number>();
  uppy.use(XHRUpload, { endpoint, fieldName: 'file[]', headers: { Accept: 'application/json' }, limit: 3, timeout: 0, shouldRetry: () => false, allowedMetaFields: [] });

  const set = (id: string, state: UploadingFile['state']): void => {
    const known = $uploads.get()[id];
    if (known) $uploads.setKey(id, { ...known, state });
  };

  uppy.on('file-added', (file) => {
    $uploads.setKey(file.id, { id: file.id, name: file.name ?? '', size: file.size ?? 0, state: { kind: 'inProgress', progress: 0 } });
  });
  uppy.on('file-removed', (file) => {
    const { [file.id]: _, ...others } = $uploads.get();
    $uploads.set(others);
  });
  uppy.on('upload-progress', (file, { bytesUploaded, bytesTotal }) => {
    if (file) set(file.id, { kind: 'inProgress', progress: bytesTotal ? bytesUploaded / bytesTotal : 0 });
  });
  uppy.on('upload-success', (file, { body }) => {
    const kept = body?.data?.[0];
    if (file && kept) set(file.id, { kind: 'success', finalName: kept.name, digest: kept.sha256 });
  });
  uppy.on('upload-error', (file, _error, response) => {
    if (!file) return;
    const problem = problemOf(response);
    const tried = tries.get(file.id) ?? 0;
    const next = problem.code === 'NAME_CONFLICT' ? [numberedName(file.name ?? ''), problem.suggestion][tried] : undefined;
    if (next === undefined) {
      set(file.id, { kind: 'failed', code: problem.code });
      return;
    }
    tries.set(file.id, tried + 1);
    uppy.setFileMeta(file.id, { name: next });
    void uppy.retryUpload(file.id);
  });
  return uppy;
}

function problemOf(response: unknown): { code: string; suggestion?: string } {
  const text = typeof response === 'object' && response !== null && 'responseText' in response ? String(response.responseText) : '';
  try {
    return (JSON.parse(text) as Answer).errors?.[0] ?? { code: 'CONNECTION' };
  } catch {
    return { code: 'CONNECTION' }; // no answer came, or not ours
  }
}
