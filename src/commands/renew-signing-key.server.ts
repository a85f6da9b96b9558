import '#platform/startup.server.ts';
import { renewSigningKey } from '#features/sign-in/signing-keys.server.ts';
import { config } from '#platform/config.server.ts';
import { closeDatabase, migrate } from '#platform/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/settings.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';

/*
 * npm run renew-signing-key  replaces the signing key of the embedded sign-in while the portal runs
 *
 * The previous key stays published for an hour.
 */
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
