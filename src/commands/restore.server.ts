import '#platform/startup.server.ts';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { allFirmIds } from '#features/firms/firms.server.ts';
import { forgetSignIns } from '#features/identity/identity.server.ts';
import { endAllSessions } from '#features/session/session.server.ts';
import { revokeAllShares } from '#features/sharing/sharing.server.ts';
import { audit } from '#platform/audit.server.ts';
import { blobsIn, checkBackup, DATABASE, placeInBackup } from '#platform/backup.server.ts';
import { putStored } from '#platform/blobs.server.ts';
import { config } from '#platform/config.server.ts';
import { closeDatabase, fillFrom, inTransaction, migrate } from '#platform/database.server.ts';
import { giveUpWaiting } from '#platform/jobs.server.ts';
import { assertKeyFits, changeSetting, HALF_RESTORED, isHalfRestored, noteRestored, setting } from '#platform/settings.server.ts';
import { databaseFile, openSqlite } from '#platform/sqlite.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';
import { verify } from './verify.server.ts';

/*
 * npm run restore -- --from FOLDER    puts a backup into an empty installation (DATA_DIR, or DATABASE_URL and BLOB_URL)
 *
 * What was revoked or used up since the backup must not live again: sessions and sign-ins end, share links end, mails that waited are
 * given up, and each firm's audit trail says so. The number of such breaks is the installation's epoch.
 */
const { values } = parseArgs({ options: { from: { type: 'string' } } });
if (values.from === undefined) throw new ConfigurationError('Say what to restore: npm run restore -- --from FOLDER.');
const folder = path.resolve(values.from);
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
const began = performance.now();

const faults = await checkBackup(folder);
if (faults.length > 0) throw new ConfigurationError(`Nothing was restored: this backup is damaged.\n  ${faults.join('\n  ')}\nTake another backup.`);
await putDatabase();
await assertKeyFits();
const restored = await putBlobs();
const { shares, jobs, epoch } = await breakWithThePast();
await noteRestored();
const checked = await verify();
for (const fault of checked.faults) say(`  ${fault}`);
say(`Restored and checked: ${checked.documents} documents in ${restored} files, ${((performance.now() - began) / 1000).toFixed(1)} s. This is epoch ${epoch}.`);
say(`Everybody has to sign in again. ${shares} share links are over, since some may have been revoked after the backup; their senders can share again. ${jobs} mails that waited then are not sent.`);
await closeDatabase();
process.exitCode = checked.faults.length === 0 ? 0 : 1;

/** Puts the database in place, marked as half restored until the end. */
async function putDatabase(): Promise<void> {
  const place = databaseFile(config.dataDir);
  if (config.databaseUrl !== undefined || existsSync(place)) await assertEmpty();
  const copy = `${place}.restoring`;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await copyFile(path.join(folder, DATABASE), copy);
  await mark(copy);
  if (config.databaseUrl === undefined) {
    for (const beside of ['', '-wal', '-shm']) await rm(place + beside, { force: true });
    await rename(copy, place);
    await migrate();
  } else {
    await fillFrom(copy);
    await rm(copy);
  }
}

async function mark(file: string): Promise<void> {
  const database = openSqlite(file);
  await database.insertInto('settings').values(HALF_RESTORED).onConflict((conflict) => conflict.column('name').doUpdateSet(HALF_RESTORED)).execute();
  await database.destroy();
}

async function assertEmpty(): Promise<void> {
  await migrate();
  const isEmpty = (await allFirmIds()).length === 0;
  const mayGo = config.databaseUrl === undefined && (await isHalfRestored());
  await closeDatabase();
  if (!isEmpty && !mayGo) throw new ConfigurationError('There is an installation here already, or half of one. Restore into an empty one: set DATA_DIR, or DATABASE_URL and BLOB_URL, to a new place.');
}

async function putBlobs(): Promise<number> {
  const copy = path.join(config.dataDir, 'restoring.db');
  await copyFile(path.join(folder, DATABASE), copy);
  const blobs = await blobsIn(copy);
  await rm(copy, { force: true });
  for (const { key } of blobs) await putStored(key, createReadStream(path.join(folder, placeInBackup(key)), { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>);
  return blobs.length;
}

/** Ends what may have been ended since: all of it or nothing. */
function breakWithThePast(): Promise<{ shares: number; jobs: number; epoch: number }> {
  return inTransaction(async () => {
    await endAllSessions();
    await forgetSignIns();
    const shares = await revokeAllShares();
    const jobs = await giveUpWaiting();
    const epoch = Number((await setting('epoch')) ?? 1) + 1;
    await changeSetting('epoch', String(epoch));
    for (const companyId of await allFirmIds()) await audit({ companyId, actor: 'portal', action: 'portal.restored', target: companyId, details: { epoch } });
    return { shares, jobs, epoch };
  });
}
