import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { emailAddress, name } from '#platform/inputs/line-schemas.ts';
import { issuerHost } from '#features/identity/external-sign-in/external-sign-in.server.ts';
import { createFirmFor } from '#features/identity/recovery/new-firm.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';
import '../app.server.ts';

const USAGE =
  'npm run create-firm -- "Name of the firm" owner@firm.example ["First Last"]   creates a firm and its owner';

/*
 * The portal may be running: it sends the email. The link is printed, too. Running it again, before the owner used the
 * link, makes a new one.
 */
const [called, address, owner] = readArguments(USAGE, {}, 3).positionals;
const firmName = name.safeParse(called);
const email = emailAddress.safeParse(address);
if (!firmName.success || !email.success) {
  throw new ConfigurationError(
    'Say which firm, and the email address of its owner: npm run create-firm -- "Name of the firm" owner@firm.example "First Last"',
  );
}
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const [firstName = '', ...lastNames] = (owner ?? email.data.split('@', 1)[0] ?? '').trim().split(/\s+/);
const issuer = config.oidc && { address: config.oidc.issuer, host: issuerHost() };
const link = await createFirmFor(
  { firmName: firmName.data, email: email.data, firstName, lastName: lastNames.join(' ') },
  { issuer },
).catch((error: unknown) => {
  if (refusal(error)?.code !== 'NAME_CONFLICT') throw error;
  throw new ConfigurationError(
    `${email.data} owns a firm of the name ${firmName.data} already and can sign in. Nothing was changed.`,
  );
});
const how = issuer ? `which works once, after signing in at ${issuer.host}` : 'which sets a password once';
process.stdout.write(
  link === undefined
    ? `${firmName.data} was created. Its owner has an account already and signs in with it; they are notified by email.\n`
    : `${firmName.data} is ready. Its owner gets this link by email, ${how}, within 72 hours:\n${link}\n`,
);
await closeDatabase();
