import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { moveBlobs } from '#platform/storage/blobs.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { closeDatabase, migrate, moveTo } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import { ConfigurationError, onFailure } from '#platform/runtime/startup.server.ts';
import '../app.server.ts';

const USAGE = `npm run move -- --to postgres://… --blobs s3://…   moves this portal to PostgreSQL, S3, or both

Stop the portal first. MOVE_TO and MOVE_BLOBS say the same without showing passwords to others on this machine.`;

/*
 * Copies everything and compares digests. The source is not changed: until the portal has been started at the target,
 * you can go back without losing anything.
 */
const { values: typed } = readArguments(USAGE, { to: { type: 'string' }, blobs: { type: 'string' } });
const values = { to: typed.to ?? config.moveTo, blobs: typed.blobs ?? config.moveBlobs };
if (values.to === undefined && values.blobs === undefined)
  throw new ConfigurationError(
    'Say where to: npm run move -- --to postgres://… and --blobs s3://…, or one of them; or set MOVE_TO and MOVE_BLOBS, which nobody else on this machine sees.',
  );
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
let different = 0;

assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
onFailure(() =>
  Promise.resolve(
    'The move is not complete. Nothing was changed here: the portal can be started as before, or moved again, which copies only the files that are still missing.',
  ),
);
if (values.blobs !== undefined) {
  const moved = await moveBlobs(values.blobs);
  different += moved.different.length;
  for (const key of moved.different) say(`  ${key} is not alike on both sides`);
  say(`${moved.blobs} files copied and read back.`);
}
if (values.to !== undefined) {
  const moved = await moveTo(values.to);
  different += moved.different.length;
  for (const table of moved.different) say(`  the table ${table} is not alike on both sides`);
  say(`${moved.rows} rows copied and compared.`);
}
say(
  different === 0
    ? 'Everything is alike. Start the portal with DATABASE_URL and BLOB_URL set to these places, and the same KEY_FILE.'
    : 'Not everything is alike: was the portal running? Stop it, empty the new place, and move again.',
);
await closeDatabase();
process.exitCode = different === 0 ? 0 : 1;
