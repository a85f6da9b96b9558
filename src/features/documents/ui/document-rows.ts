import type { Document } from '../documents.ts';

/** A document with what its row shows and links to. */
export interface DocumentRow extends Document {
  /** The page that shows it; undefined if it can only be downloaded. */
  viewUrl: string | undefined;
  commentsUrl: string;
  /** Who gave it to whom. */
  direction: string;
  /** The name of its folder, unless that is the open one or says no more than the direction. */
  folder: string | undefined;
}
