import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { isEmbedded } from '#features/identity/sign-in/sign-in.server.ts';
import { resetOwner } from '#features/identity/recovery/owner-reset.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';
import '../app.server.ts';

const USAGE =
  'npm run owner -- reset person@firm.example   lets a locked-out staff member in again: prints a link that sets a new password';

/*
 * For someone who lost password, phone and recovery codes. The portal may be running.
 */
const [what, email] = readArguments(USAGE, {}, 2).positionals;
if (what !== 'reset' || email === undefined) {
  throw new ConfigurationError('Say whom to let in again: npm run owner -- reset person@firm.example');
}
if (!isEmbedded()) {
  throw new ConfigurationError(
    'OIDC_ISSUER signs people in here. Reset the password and the second step of this person there.',
  );
}
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const link = await resetOwner(email);
if (link === undefined) {
  throw new ConfigurationError(
    `No member of any firm's staff has the address ${email}. Write it as they sign in; a contact is helped by the staff of the firm.`,
  );
}
process.stdout.write(
  `Give this link to ${email}, in person or by phone. It sets a new password once, within an hour:\n${link}\nTheir old password, second steps and sessions no longer work, and they are notified by email.\n`,
);
await closeDatabase();
