import '#platform/startup.server.ts';
import { closeDatabase, migrate } from '#platform/database.server.ts';
import { rotateKeys } from '#platform/rotation.server.ts';
import { assertInstalled, assertKeyFits, assertRestored } from '#platform/settings.server.ts';

/* npm run rotate-key    replaces the master key while the portal runs; the files of clients need not be written again */
assertInstalled();
await migrate();
await assertKeyFits();
await assertRestored();
const { sealed, given } = await rotateKeys();
process.stdout.write(`${sealed} values are sealed with the new key; the old one (${given.join(', ')}) is gone from the key file.\n`);
process.stdout.write('Copy the key file to its safe place now. Backups made before this need the old key file: keep it beside them.\n');
await closeDatabase();
