import { z } from 'zod';
import type { Evidence } from './evidence.ts';

/*
 * Publishing to many clients: files are uploaded into a batch, which only its creator sees, matched to clients,
 * reviewed, and then published by a job, client by client.
 */

/**
 * `matching`: a job looks for the clients of its files. `stopped`: the person lost the right to publish, or their account
 * was closed.
 */
export type BatchState = 'open' | 'matching' | 'publishing' | 'published' | 'stopped' | 'undone';

/** How a file was matched: by what is in its name or its text, by a list, or by a person. */
export type MatchedBy = 'number' | 'taxId' | 'name' | 'list' | 'hand';

/**
 * Why a file is not published: a person must confirm its client, evidence is missing or contradicts itself or names a
 * client that the person does not see, its content is there twice, or the client cannot get it.
 */
export type FileProblem =
  'CHECK' | 'NO_MATCH' | 'SEVERAL' | 'OTHER' | 'DUPLICATE' | 'ARCHIVED' | 'FOLDER' | 'FORBIDDEN';

export const MAX_FILES = 5000;
/** Characters of a message to the contacts, as that of a share. */
export const MAX_MESSAGE = 4000;
/** How long a published batch can be undone, and an open one is kept, in days. */
export const UNDO_DAYS = 1;
export const KEPT_DAYS = 30;
/** How long contacts are not notified of a published batch, which can be taken back meanwhile, in minutes. */
export const TAKE_BACK_MINUTES = 10;

export const newBatch = z.strictObject({
  name: z.string().trim().min(1).max(100),
  folder: z.string().trim().max(500).default(''),
  year: z.number().int().min(1990).max(2100),
  notify: z.boolean().default(true),
  message: z.string().trim().max(MAX_MESSAGE).default(''),
});
export type NewBatch = z.infer<typeof newBatch>;

/**
 * A batch with the number of its files, for one client if it has a `clientId`. `ready` have a client and no problem,
 * `unsettled` wait for a person, `unmatched` were not looked at. `clients` are those of the files that are ready. Dates
 * are ISO 8601 in UTC.
 */
export interface Batch {
  id: string;
  name: string;
  folder: string;
  year: number;
  clientId: string | null;
  notify: boolean;
  message: string;
  state: BatchState;
  createdDate: string;
  publishedDate: string | null;
  /** When the contacts are notified; null if they are not, or were. */
  notifyDate: string | null;
  /** How many contacts were notified; null as long as none were. */
  notified: number | null;
  files: number;
  ready: number;
  problems: number;
  unsettled: number;
  unmatched: number;
  published: number;
  clients: number;
  isUndoable: boolean;
}

export interface BatchFile {
  id: string;
  name: string;
  size: number;
  clientId: string | null;
  clientName: string | null;
  matchedBy: MatchedBy | null;
  folder: string | null;
  problem: FileProblem | null;
  evidence: readonly Evidence[];
  documentId: string | null;
}
