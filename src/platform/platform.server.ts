import type { AuditActionDeclarations } from './audit-actions.server.ts';
import { readBounces } from './bounce-mailbox.server.ts';
import { writeNewAnchors } from './audit-anchors.server.ts';
import { checkBlobs, sweepBlobs } from './blobs.server.ts';
import { HOUR, MINUTE, now } from './clock.server.ts';
import { defineFeature } from './feature.server.ts';
import { sweepLimits } from './limits.server.ts';
import { sweepMails } from './mail-log.server.ts';
import { sendMail } from './mail.server.ts';
import { sweepNotices } from './notices.server.ts';
import { basicTables, platformTables } from './schema.server.ts';

const auditActions = {
  'portal.restored': { text: 'didRestore' },
} as const satisfies AuditActionDeclarations;

/** Tables of the platform that others reference: they are copied first. */
export const basics = defineFeature({ name: 'basics', tables: basicTables });

/** What else the platform itself brings, declared as a feature declares it. */
export const platform = defineFeature({
  name: 'platform',
  tables: platformTables,
  auditActions,
  jobs: { mail: { run: sendMail } },
  sweeps: [
    { every: HOUR, run: sweepLimits },
    { every: HOUR, run: sweepNotices },
    { every: HOUR, run: sweepMails },
    {
      every: 5 * MINUTE,
      run: () => readBounces(),
      failure: { level: 'warn', event: 'mail.bounces-not-read' },
    },
    { every: HOUR, run: () => sweepBlobs(now() - HOUR) },
    { every: HOUR, run: writeNewAnchors },
    // takes seconds, for which the hourly ones should not wait
    { every: 30 * MINUTE, run: () => checkBlobs() },
  ],
});
