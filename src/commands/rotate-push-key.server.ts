import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { rotateVapidKeys } from '#features/office/push/keys.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import '../app.server.ts';

const USAGE =
  'npm run rotate-push-key   replaces the key (VAPID) of push notifications while the portal runs; devices change to the new one with their next visit, and get notifications meanwhile';

readArguments(USAGE, {});
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const { devices } = await rotateVapidKeys();
process.stdout.write(
  `Push notifications have a new key. ${devices} device${devices === 1 ? ' knows' : 's know'} an earlier one: each changes to the new key with its next visit. An earlier key is deleted when no device knows it any more.\n`,
);
await closeDatabase();
