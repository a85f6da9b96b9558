import '#platform/startup.server.ts';
import { isEmbedded } from '#features/sign-in/sign-in.server.ts';
import { resetOwner } from '#features/recovery/owner-reset.server.ts';
import { closeDatabase, migrate } from '#platform/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/settings.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';

/*
 * npm run owner -- reset person@firm  lets a locked-out staff member in again
 *
 * For someone who lost password, phone and recovery codes. The portal may be running.
 */
const [what, email, ...more] = process.argv.slice(2);
if (what !== 'reset' || email === undefined || more.length > 0) {
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
