import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { renewSigningKey } from '#features/identity/sign-in/signing-keys.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';

const USAGE =
  'npm run renew-signing-key   replaces the signing key of the embedded sign-in while the portal runs; the previous one stays published for an hour';

/*
 * The previous key stays published for an hour.
 */
readArguments(USAGE, {});
if (config.oidc)
  throw new ConfigurationError(
    'People sign in at OIDC_ISSUER, which signs with keys of its own: renew them there.',
  );
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const kid = await renewSigningKey();
process.stdout.write(
  `Sign-ins are signed with the new key ${kid} from now on; the one before stays published for an hour.\n`,
);
await closeDatabase();
