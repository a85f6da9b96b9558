import '#platform/runtime/startup.server.ts';
import path from 'node:path';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { checkBackup, makeBackup, timeOfBackup, versionOfBackup } from '#platform/database/backup.server.ts';
import { closeDatabase } from '#platform/database/database.server.ts';
import {
  assertInstalled,
  assertKeyMatches,
  assertKeyFileExists,
  assertRestored,
  recordBackup,
} from '#platform/runtime/settings.server.ts';
import { ConfigurationError, onFailure } from '#platform/runtime/startup.server.ts';
import '../app.server.ts';

const USAGE = `npm run backup -- --to FOLDER      makes a backup while the portal runs, and verifies it
npm run backup -- --check FOLDER   verifies an existing backup`;

const { values } = readArguments(USAGE, { to: { type: 'string' }, check: { type: 'string' } });
const folder = values.to ?? values.check;
if (folder === undefined)
  throw new ConfigurationError(
    'Say where to: npm run backup -- --to FOLDER, or which one to check: npm run backup -- --check FOLDER.',
  );
assertKeyFileExists();

const began = performance.now();
let lost: string[] = [];
if (values.to !== undefined) {
  assertInstalled();
  await assertKeyMatches();
  await assertRestored();
  onFailure(async () => {
    const kept = await timeOfBackup(path.resolve(folder));
    return kept
      ? `No new backup was made. The one of ${kept.toISOString().slice(0, 16).replace('T', ' ')} UTC in ${folder} was kept and can be restored.`
      : `No backup was made, and ${folder} holds none that can be restored.`;
  });
  const { blobs, copied, bytes, missing } = await makeBackup(path.resolve(folder));
  process.stdout.write(
    `The database and ${blobs} files (${bytes} bytes, ${copied} of them new) are in ${folder}.\n`,
  );
  lost = missing;
}
const faults = await checkBackup(path.resolve(folder));
if (values.to !== undefined && faults.length === 0) await recordBackup();
const madeBy = await versionOfBackup(path.resolve(folder));
for (const fault of faults) process.stdout.write(`  ${fault}\n`);
process.stdout.write(
  faults.length === 0
    ? `Checked: every file is as it was written.${madeBy === undefined ? '' : ` Made by version ${madeBy}.`} ${((performance.now() - began) / 1000).toFixed(1)} s\n`
    : `${faults.length} files cannot be used. Make the backup again into an empty folder.\n`,
);
if (values.to !== undefined)
  process.stdout.write('Keep the key file in another place: without it the backup cannot be opened.\n');
if (lost.length > 0)
  process.stdout.write(
    `Files that are not in it, for the portal has lost their bytes: ${lost.length}. npm run verify names them; look for them in an earlier backup before you delete one.\n`,
  );
await closeDatabase();
process.exitCode = faults.length === 0 && lost.length === 0 ? 0 : 1;
