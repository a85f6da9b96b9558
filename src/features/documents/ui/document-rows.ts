import type { Document } from '../documents.ts';

/** A document with the addresses that its row links to. */
export interface DocumentRow extends Document {
  /** The page that shows it; undefined where it can only be downloaded. */
  viewUrl: string | undefined;
  commentsUrl: string;
}
