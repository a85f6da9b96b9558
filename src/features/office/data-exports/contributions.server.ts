import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';

/** What an export contains, for whom, and in which language. */
export interface ExportScope {
  actor: Actor;
  firm: Firm;
  /** Null for the whole firm. Only such an export has what the firm keeps from its clients: one of a client may be given to them. */
  clientId: string | null;
  lang: Lang;
  createdAt: number;
}

export interface ExportedClient {
  id: string;
  name: string;
  code: string;
  archivedAt: number | null;
  /** Its id, and those of the clients that were merged into it. */
  ids: string[];
  /** The path of a document in the folder of the client; empty for one that is not included. */
  pathOf: (documentId: string | null) => string;
}

/** Pieces of a file, as they are read. A file without any is left out. */
export type Content = AsyncIterable<string | Uint8Array>;

/** A further file, in the folder that is named as the file that lists it, without its extension. */
export interface Attached {
  /** A name of its own in that folder: {@link markedName} makes one with an id. */
  name: string;
  content: () => Content;
}

interface Described {
  /** Unique among all files of its kind. */
  name: string;
  /** What it contains, for the README. */
  text: Text | ((scope: Pick<ExportScope, 'clientId'>) => Text);
  /** Part of an export of the whole firm only: what the firm keeps from its clients. */
  isInternal?: true;
}

/** A file in the folder of each client. */
interface FileOfClient extends Described {
  of: 'client';
  content: (scope: ExportScope, client: ExportedClient) => Content;
  /** The files that belong to its rows. */
  attached?: (scope: ExportScope, client: ExportedClient) => AsyncIterable<Attached>;
}

/** A file for all that is exported. `clientIds` are those of the client, null for the whole firm. */
interface FileOfExport extends Described {
  of: 'export';
  content: (scope: ExportScope, clientIds: readonly string[] | null) => Content;
  attached?: (scope: ExportScope, clientIds: readonly string[] | null) => AsyncIterable<Attached>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its files in exports of all data. */
    exports: readonly (FileOfClient | FileOfExport)[];
  }
}

export type ExportedFile = FileOfClient | FileOfExport;

/** The files of an export, in the order of the features. */
export const filesIn = ({ clientId }: Pick<ExportScope, 'clientId'>): ExportedFile[] =>
  contributed('exports')
    .flat()
    .filter(({ isInternal }) => clientId === null || isInternal !== true);

export const filesOfClient = (scope: ExportScope): FileOfClient[] =>
  filesIn(scope).filter((file) => file.of === 'client');

export const filesOfExport = (scope: ExportScope): FileOfExport[] =>
  filesIn(scope).filter((file) => file.of === 'export');

/** The folder of the files that belong to the rows of a file: `signings/` of `signings.csv`. */
export const folderOf = (name: string): string => `${name.replace(/\.[^.]*$/, '')}/`;

/** What a file contains, in the language of the export. */
export const textOf = (scope: ExportScope, { text }: ExportedFile): string =>
  translate(scope.lang, typeof text === 'function' ? text(scope) : text);
