import { isScanned, scan } from '#platform/clamd.server.ts';
import { z } from 'zod';
import { readBlob } from '#platform/blobs.server.ts';
import { db } from '#platform/database.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import { enqueue, handle } from '#platform/jobs.server.ts';
import { log } from '#platform/log.server.ts';
import type { ScanState } from './documents.ts';

/*
 * Documents are scanned after they were taken in (security.md T53): a scanner that is away keeps nobody from handing in, but what was not
 * found clean goes to no stranger. Jobs try again for three days.
 */

/** What a document is when it comes in; null where nothing scans. */
export const scanOfNew = (): ScanState | null => (isScanned() ? 'pending' : null);

/** Has a new document scanned, as part of the open transaction. */
export async function scanLater(documentId: string, companyId: string): Promise<void> {
  if (isScanned()) await enqueue('scan', { documentId }, `scan:${documentId}`, companyId);
}

/** INFECTED for what may be given to nobody. */
export function assertServable({ scan: state, name }: { scan: ScanState | null; name: string }): void {
  if (state === 'infected') throw new PortalError('INFECTED', { name });
}

/** Why a document may not go out by a link; undefined when it may. Without a scanner only what was found infected stays in. */
export function whyNotShared(state: ScanState | null | undefined): 'INFECTED' | 'UNSCANNED' | undefined {
  if (state === 'infected') return 'INFECTED';
  return isScanned() && (state === 'pending' || state === 'unscanned') ? 'UNSCANNED' : undefined;
}

const VERDICTS = { clean: 'clean', infected: 'infected', 'too large': 'unscanned' } as const satisfies Record<string, ScanState>;
const payload = z.strictObject({ documentId: z.string() });

handle('scan', (given) => scanOne(payload.parse(given).documentId), { isSlow: true });

async function scanOne(documentId: string): Promise<void> {
  const row = await db().selectFrom('documents').select('blob_key').where('document_id', '=', documentId).where('scan', '=', 'pending').where('purged_at', 'is', null).executeTakeFirst();
  if (!row || !isScanned()) return;
  const verdict = await scan(readBlob(row.blob_key) as AsyncIterable<Buffer>);
  if (verdict === 'infected') log.warn({ event: 'scan.infected' });
  await db().updateTable('documents').set({ scan: VERDICTS[verdict] }).where('document_id', '=', documentId).where('scan', '=', 'pending').execute();
}
