import '#platform/startup.server.ts';
import { firmsCalled } from '#features/firms/lookup.server.ts';
import { lockFirm } from '#features/firms/firms.server.ts';
import { closeDatabase, migrate } from '#platform/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/settings.server.ts';
import { ConfigurationError } from '#platform/startup.server.ts';

/*
 * npm run lock-firm -- NAME            locks a firm's portal while it runs; NAME is its name or its id
 * npm run lock-firm -- NAME --unlock   unlocks it
 */
const args = process.argv.slice(2);
const isOpening = args.includes('--unlock');
const [called, ...more] = args.filter((arg) => arg !== '--unlock');
if (called === undefined || more.length > 0)
  throw new ConfigurationError('Say which firm: npm run lock-firm -- "Name or id of the firm" [--unlock]');
assertInstalled();
await migrate();
await assertKeyMatches();
await assertRestored();
const [firm, ...others] = await firmsCalled(called);
if (!firm)
  throw new ConfigurationError(
    `There is no firm of the name or id "${called}". Write the name as the portal shows it.`,
  );
if (others.length > 0)
  throw new ConfigurationError(
    `Several firms are called "${called}". Take an id: ${[firm, ...others].map(({ companyId }) => companyId).join(', ')}`,
  );
await lockFirm(firm.companyId, !isOpening, 'operator');
process.stdout.write(
  isOpening
    ? `${firm.name} is open again; the mails that waited are sent now.\n`
    : `${firm.name} is locked: its people are signed out with their next request, its links are over, its mails wait. Open it with --unlock.\n`,
);
await closeDatabase();
