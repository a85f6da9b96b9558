import '#platform/startup.server.ts';
import { parseArgs } from 'node:util';
import { moveBlobs } from '#platform/blobs.server.ts';
import { config } from '#platform/config.server.ts';
import { closeDatabase, migrate, moveTo } from '#platform/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/settings.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';

/*
 * npm run move -- --to postgres://… --blobs s3://…    copies this portal to PostgreSQL, its files to S3, or either, and compares digests
 *
 * Everybody on this machine sees the arguments of a command: passwords are given in MOVE_TO and MOVE_BLOBS
 * instead. The portal is stopped first. What is here stays as it is: until the portal was started at the new
 * place, nothing is lost by going back.
 */
const { values: typed } = parseArgs({ options: { to: { type: 'string' }, blobs: { type: 'string' } } });
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
