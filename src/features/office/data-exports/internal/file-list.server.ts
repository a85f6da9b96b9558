import { createHash } from 'node:crypto';
import type { GeneratedEntry } from '#platform/storage/zip.server.ts';

/** A file of an export, by its path in the folder of its manifest. */
export interface ListedFile {
  path: string;
  size: number;
  sha256: string;
}

/** The files of a folder of an export that are made while it is written, with what they were. */
export class FileList {
  readonly list: ListedFile[] = [];
  /** Empty, or ends with a slash. */
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns the file as one that is listed once it is written. */
  add({ name, content }: GeneratedEntry): GeneratedEntry {
    const { list, folder } = this;
    return {
      name,
      content: async function* () {
        const [hash, file] = [createHash('sha256'), { path: name.slice(folder.length), size: 0 }];
        for await (const part of content()) {
          hash.update(part);
          file.size += Buffer.byteLength(part);
          yield part;
        }
        list.push({ ...file, sha256: hash.digest('hex') });
      },
    };
  }
}
