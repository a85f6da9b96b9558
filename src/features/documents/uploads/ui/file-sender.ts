import { MAX_BYTES } from '#features/documents/documents/rules.ts';
import { followRefusal } from '#platform/http/refused-calls.ts';
import { uploadReasons, type Constraints, type UploadReason } from '../rules.ts';
import { $unfinished, $uploads } from '../state.ts';
import type { OpenUpload } from '../uploads.ts';
import type { Found } from './folder-uploading.ts';
import { createUploads, LARGE, setState, type UploadUppy } from './uploading.ts';

/**
 * Loads resumable uploading only when needed: with the first large file, or if there are uploads to resume.
 */
export const loadLarge = () => import('./large-uploading.ts');
const loadFolders = () => import('./folder-uploading.ts');

/** Finds the files in what was chosen or dropped. */
export type FindFiles = (folders: Awaited<ReturnType<typeof loadFolders>>) => Promise<Found[]> | Found[];

/** Sends the files of an uploader and keeps their state in the store: small ones whole, large ones in parts. */
export class FileSender {
  /** Created with the first file: one that was picked before hydration arrives before any effect has run. */
  #uppy: UploadUppy | undefined;
  #large: ReturnType<typeof loadLarge> | undefined;
  /** Retries files that were never started: the uploader could not be loaded, or their folder not be created. */
  readonly #unsent = new Map<string, () => void>();
  #searching = 0;

  /** Whether there are files without a row yet: the uploader is being loaded, or they are being listed. */
  get isSearching(): boolean {
    return this.#searching > 0;
  }

  send(file: File, to: string): void {
    if (file.size > LARGE) return this.#sendLarge(file, to);
    (this.#uppy ??= createUploads()).addFile({
      name: file.name,
      type: file.type,
      data: file,
      meta: { name: file.name, relativePath: crypto.randomUUID(), endpoint: to },
    });
  }

  #sendLarge(file: File, to: string): void {
    this.#searching += 1;
    void this.#loadLargeSender()
      .then(({ sendLarge }) => sendLarge(file, to))
      .catch(() => this.#unsent.set(showFailed(file, 'CONNECTION'), () => this.send(file, to)))
      .finally(() => (this.#searching -= 1));
  }

  /** Earlier uploads must be known before the first file looks for its own. */
  #loadLargeSender(): ReturnType<typeof loadLarge> {
    return (this.#large ??= Promise.all([loadLarge(), loadUnfinished()]).then(([loaded]) => loaded)).catch(
      (error: unknown) => {
        this.#large = undefined;
        throw error;
      },
    );
  }

  /**
   * Creates the folders below `place`, and returns the address of each file whose folder is there; the others show why
   * not, and call `retry` when they are sent again. Rejects if what was chosen cannot be read.
   */
  async addressesIn(
    find: FindFiles,
    place: string,
    retry: (file: Found) => void,
  ): Promise<Map<File, string>> {
    this.#searching += 1;
    try {
      const folders = await loadFolders();
      const found = await find(folders);
      const targets = await folders.targetsFor(found, place);
      const addresses = new Map<File, string>();
      for (const [i, one] of found.entries()) {
        const target = targets[i];
        if (target && 'endpoint' in target) addresses.set(one.file, target.endpoint);
        else this.#unsent.set(showFailed(one.file, target?.code ?? 'CONNECTION'), () => retry(one));
      }
      return addresses;
    } finally {
      this.#searching -= 1;
    }
  }

  async retry(id: string): Promise<void> {
    const begin = this.#unsent.get(id);
    if (begin) return this.remove(id).then(begin);
    const parts = await this.#large;
    if (parts?.isLarge(id)) return parts.queue(id);
    setState(id, { kind: 'selected' });
    await this.#uppy?.retryUpload(id);
  }

  async remove(id: string): Promise<void> {
    this.#unsent.delete(id);
    (await this.#large)?.forget(id);
    if (this.#uppy?.getState().files[id]) this.#uppy.removeFile(id);
    const { [id]: _, ...others } = $uploads.get();
    $uploads.set(others);
  }

  destroy(): void {
    this.#uppy?.destroy();
    this.#uppy = undefined;
  }
}

/** Separates the chosen files that may be sent from those that are refused, with the reasons. */
export function checkFiles(
  chosen: readonly File[],
  accept: string,
): { accepted: File[]; refused: { name: string; reasons: UploadReason[] }[] } {
  const constraints: Constraints = { types: accept.split(','), mostBytes: MAX_BYTES };
  const checked = chosen.map((file) => ({ file, reasons: uploadReasons(file, constraints) }));
  return {
    accepted: checked.flatMap(({ file, reasons }) => (reasons.length === 0 ? [file] : [])),
    refused: checked.flatMap(({ file, reasons }) =>
      reasons.length > 0 ? [{ name: file.name, reasons }] : [],
    ),
  };
}

const UNFINISHED = '/api/storage/v1/uploads';

/** Asks for uploads to resume, and loads the code for it only if there are any. */
export async function loadUnfinished(): Promise<void> {
  // nobody requested it: without it the page is as it was
  const answer = await fetch(UNFINISHED).catch(() => undefined);
  await followRefusal(UNFINISHED, answer?.status ?? 0);
  if (answer?.ok) $unfinished.set(((await answer.json()) as { data: OpenUpload[] }).data);
}

function showFailed({ name, size }: File, code: string): string {
  const id = crypto.randomUUID();
  $uploads.setKey(id, { id, name, size, state: { kind: 'failed', code } });
  return id;
}
