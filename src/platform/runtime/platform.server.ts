import type { AuditActionDeclarations } from '../security/audit-actions.server.ts';
import { readBounces } from '../mail/bounce-mailbox.server.ts';
import { writeNewAnchors } from '../security/audit-anchors.server.ts';
import { checkBlobs, sweepBlobs } from '../storage/blobs.server.ts';
import { DAY, HOUR, MINUTE, now } from './clock.server.ts';
import { sweepOutcomes } from '../database/database.server.ts';
import { defineFeature } from './feature.server.ts';
import { sweepRequestKeys } from '../http/idempotency.server.ts';
import { startOnce, sweepLimits } from '../security/limits.server.ts';
import { sweepMails } from '../mail/mail-log.server.ts';
import { sendMail } from '../mail/mail.server.ts';
import { sweepNotices } from '../mail/notices.server.ts';
import { sweepShortLinks } from '../mail/short-links.server.ts';
import { basicTables, platformTables } from '../database/schema.server.ts';

const auditActions = {
  'portal.restored': { text: 'didRestore' },
} as const satisfies AuditActionDeclarations;

/** Tables of the platform that others reference: they are copied first. */
export const basics = defineFeature({ name: 'basics', tables: basicTables });

const writeAnchors = () => writeNewAnchors();

const CHECK_EVERY = 30 * MINUTE;

/** Checks stored files, on one node at a time, however many there are and however often they start. */
async function checkSomeBlobs(signal: AbortSignal): Promise<void> {
  if (await startOnce('blobs-checked', CHECK_EVERY - MINUTE)) await checkBlobs(undefined, signal);
}

/** What else the platform itself brings, declared as a feature declares it. */
export const platform = defineFeature({
  name: 'platform',
  tables: platformTables,
  auditActions,
  jobs: { mail: { run: sendMail } },
  sweeps: [
    { every: 10 * MINUTE, run: sweepOutcomes },
    { every: HOUR, run: sweepRequestKeys },
    { every: HOUR, run: sweepLimits },
    { every: HOUR, run: sweepNotices },
    { every: HOUR, run: sweepMails },
    { every: DAY, run: sweepShortLinks },
    {
      every: 5 * MINUTE,
      run: () => readBounces(),
      failure: { level: 'warn', event: 'mail.bounces-not-read' },
    },
    { every: HOUR, run: (signal) => sweepBlobs(now() - HOUR, signal) },
    { every: HOUR, run: writeAnchors },
    // takes seconds, for which the hourly ones should not wait
    { every: CHECK_EVERY, run: checkSomeBlobs },
  ],
});
