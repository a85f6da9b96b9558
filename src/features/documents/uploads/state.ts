import { atom, map } from 'nanostores';
import type { OpenUpload } from './uploads.ts';

/**
 * A file being uploaded. `progress` is 0 to 1; `finalName` is its stored name, `digest` the SHA-256 computed
 * by the server. `selected` is queued, `paused` waits for the connection.
 */
export interface UploadingFile {
  id: string;
  name: string;
  size: number;
  state:
    | { kind: 'selected' }
    | { kind: 'inProgress' | 'paused'; progress: number }
    | { kind: 'success'; finalName: string; digest: string }
    | { kind: 'failed'; code: string };
}

/** The files of this page's uploader, by id, in the order in which they were chosen. */
export const $uploads = map<Record<string, UploadingFile>>({});

/** Earlier uploads that can be resumed, as the server lists them. */
export const $unfinished = atom<readonly OpenUpload[]>([]);

/** Whether a file is neither stored nor refused yet. */
export const isUnderWay = ({ state }: UploadingFile): boolean =>
  state.kind === 'selected' || state.kind === 'inProgress' || state.kind === 'paused';
