import type { Document } from '../documents.ts';

/** A document with the URLs that its row links to. */
export interface DocumentRow extends Document {
  /** The page that shows it; undefined if it can only be downloaded. */
  viewUrl: string | undefined;
  commentsUrl: string;
  /** The page that renames it; undefined where the reader may not. */
  renameUrl: string | undefined;
}
