import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { oldKeyFile } from '#platform/security/crypto.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { rotateKeys } from '#platform/database/rotation.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import '../app.server.ts';

const USAGE = `npm run rotate-key   replaces the master key while the portal runs, without rewriting the clients' files`;

readArguments(USAGE, {});
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const { encrypted, removedKeys } = await rotateKeys();
process.stdout.write(
  `${encrypted} values are encrypted with the new key; the old one (${removedKeys.join(', ')}) is gone from the key file.\n`,
);
process.stdout.write(
  `Copy the key file to its safe place now. Backups made before this are opened with the old key, which is kept in ${removedKeys.map(oldKeyFile).join(', ')}: move it to where those backups are, and set KEY_FILE to it to restore one. Delete it with the last of them.\n`,
);
await closeDatabase();
