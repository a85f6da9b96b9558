import { atom, map } from 'nanostores';
import type { OpenUpload } from './uploads.ts';

/**
 * One file on its way. `progress` is 0 to 1; `finalName` is the name it was kept under, `digest` the SHA-256
 * the server computed. `selected` waits its turn, `paused` waits for the connection.
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

/** Uploads of earlier that wait to go on, as the server knows them. */
export const $unfinished = atom<readonly OpenUpload[]>([]);
