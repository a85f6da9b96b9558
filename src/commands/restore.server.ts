import '#platform/runtime/startup.server.ts';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { allFirmIds } from '#features/base/firms/lookup.server.ts';
import { forgetSignIns } from '#features/identity/sign-in/sweeps.server.ts';
import { endAllSessions } from '#features/identity/sessions/sessions.server.ts';
import { revokeAllPassports } from '#features/brazil/clearance-passport/ending.server.ts';
import { revokeAllShares } from '#features/sharing/sharing/ending.server.ts';
import { revokeAllTaskLinks } from '#features/tasks/task-links/ending.server.ts';
import { recordRestoreInAnchors } from '#platform/security/audit-anchors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import {
  checkBackup,
  DATABASE,
  fileInBackup,
  idOfBackup,
  blobPathInBackup,
  removeWithJournals,
  versionOfBackup,
} from '#platform/database/backup.server.ts';
import { pauseSweepsUntil, putStored } from '#platform/storage/blobs.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { closeDatabase, db, fillFrom, inTransaction, migrate } from '#platform/database/database.server.ts';
import { cancelPendingJobs } from '#platform/jobs/jobs.server.ts';
import { recordAllCanceled } from '#platform/mail/mail-log.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import {
  assertKeyMatches,
  assertKeyFileExists,
  changeSetting,
  unfinishedRestoreSetting,
  recordRestored,
  unfinishedRestore,
  restoringFile,
  setting,
} from '#platform/runtime/settings.server.ts';
import { databaseFile, openSqlite } from '#platform/database/sqlite.server.ts';
import { ConfigurationError, onFailure } from '#platform/runtime/startup.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';
import '../app.server.ts';

const USAGE =
  'npm run restore -- --from FOLDER   restores a backup into an empty installation: DATA_DIR, or DATABASE_URL and BLOB_URL';

/*
 * The installation is that of DATA_DIR, or of DATABASE_URL and BLOB_URL. What was revoked or used up since
 * the backup must not become valid again: sessions, sign-ins and share links end, pending mails are
 * cancelled, and each firm's audit log records it. The number of restores is the installation's epoch. If
 * interrupted at any point, the portal does not start on the partial data, and running the command again
 * resumes.
 */
const { values } = readArguments(USAGE, { from: { type: 'string' } });
if (values.from === undefined)
  throw new ConfigurationError('Say what to restore: npm run restore -- --from FOLDER.');
const folder = path.resolve(values.from);
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
const began = performance.now();

assertKeyFileExists();
const damage = await checkBackup(folder);
if (damage.length > 0)
  throw new ConfigurationError(
    `Nothing was restored: this backup is damaged.\n  ${damage.join('\n  ')}\nTake another backup.`,
  );
onFailure(() =>
  Promise.resolve(
    'The restore is not complete, and the portal does not start here until it is. The backup is unchanged: run the same command again.',
  ),
);
await restoreDatabase(await idOfBackup(folder));
await assertKeyMatches();
await pauseSweepsUntil(0); // in case the backup was made while it paused them itself
const restored = await restoreBlobs();
const { shares, jobs, epoch } = await revokeEverything();
recordRestoreInAnchors();
const { documents, faults } = await verify();
for (const fault of faults) say(`  ${fault}`);
say(
  `Restored and checked: ${documents} documents in ${restored} files, ${((performance.now() - began) / 1000).toFixed(1)} s. This is epoch ${epoch}.`,
);
say(
  `Everybody has to sign in again. Share links that are over, since some may have been revoked after the backup: ${shares}; their senders can share again. Pending mails, notifications and other jobs of that time, which are dropped: ${jobs}.`,
);
await closeDatabase();
process.exitCode = faults.length === 0 ? 0 : 1;

/** Restores the database, marked as unfinished until the end. */
async function restoreDatabase(backupId: string): Promise<void> {
  const place = databaseFile(config.dataDir);
  const copy = restoringFile();
  const unfinished =
    config.databaseUrl !== undefined || existsSync(place) ? await assertFillable() : undefined;
  // already filled, in one transaction
  if (config.databaseUrl !== undefined && unfinished === backupId) return removeWithJournals(copy);
  if (config.databaseUrl !== undefined && unfinished !== undefined)
    throw new ConfigurationError(
      'The restore of another backup was begun in this database. Restore that one to its end, or give an empty database.',
    );
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await removeWithJournals(copy);
  await copyFile(await fileInBackup(folder, DATABASE), copy);
  await markUnfinished(copy, backupId);
  if (config.databaseUrl === undefined) {
    await removeWithJournals(place);
    await rename(copy, place);
    await migrate();
  } else {
    await migrate();
    await fillFrom(copy);
    await removeWithJournals(copy);
  }
}

async function markUnfinished(copy: string, backupId: string): Promise<void> {
  const database = openSqlite(copy);
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database);
  const known = Object.keys(migrations(false));
  const isNewer = rows.some(({ name }) => !known.includes(name));
  if (!isNewer)
    await database
      .insertInto('settings')
      .values(unfinishedRestoreSetting(backupId))
      .onConflict((conflict) => conflict.column('name').doUpdateSet(unfinishedRestoreSetting(backupId)))
      .execute();
  await database.destroy();
  if (!isNewer) return;
  await removeWithJournals(copy);
  const madeBy = await versionOfBackup(folder);
  throw new ConfigurationError(
    `Nothing was restored: this backup was made by a newer version of the portal${madeBy === undefined ? '' : ` (${madeBy}; this is ${VERSION})`}. Restore it with that version.`,
  );
}

/**
 * Refuses an installation that is in use; returns the id of the backup whose restore was interrupted there.
 */
async function assertFillable(): Promise<string | undefined> {
  const isUsed =
    (await db().introspection.getTables()).some(({ name }) => name === 'firms') &&
    (await allFirmIds()).length > 0;
  const unfinished = isUsed ? await unfinishedRestore() : undefined;
  if (config.databaseUrl === undefined) await closeDatabase();
  if (isUsed && unfinished === undefined)
    throw new ConfigurationError(
      'There is an installation here already. Restore into an empty place: set DATA_DIR, or DATABASE_URL and BLOB_URL, to a new one.',
    );
  return unfinished;
}

/** Restores the files. A file that was already lost before the backup is reported by the verification. */
async function restoreBlobs(): Promise<number> {
  const blobs = await db().selectFrom('blobs').select('blob_key').execute();
  const there = blobs
    .map((row) => ({ key: row.blob_key, place: path.join(folder, blobPathInBackup(row.blob_key)) }))
    .filter(({ place }) => existsSync(place));
  for (const { key, place } of there)
    await putStored(key, createReadStream(place, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>);
  return there.length;
}

/**
 * Ends everything that may have been ended since the backup, and finishes the restore, in one transaction.
 */
function revokeEverything(): Promise<{ shares: number; jobs: number; epoch: number }> {
  return inTransaction(async () => {
    await endAllSessions();
    await forgetSignIns();
    const shares = await revokeAllShares();
    await revokeAllTaskLinks();
    await revokeAllPassports();
    const jobs = await cancelPendingJobs();
    await recordAllCanceled();
    const epoch = Number((await setting('epoch')) ?? 1) + 1;
    await changeSetting('epoch', String(epoch));
    for (const companyId of await allFirmIds())
      await audit({
        companyId,
        actor: 'portal',
        action: 'portal.restored',
        target: companyId,
        details: { epoch },
      });
    await recordRestored();
    return { shares, jobs, epoch };
  });
}
