import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { firmsCalled } from '#features/base/firms/lookup.server.ts';
import { lockFirm } from '#features/base/firms/firms.server.ts';
import { closeDatabase, migrate } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches, assertRestored } from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';

const USAGE = `npm run lock-firm -- "Name or id of the firm"            locks a firm's portal while it runs
npm run lock-firm -- "Name or id of the firm" --unlock   unlocks it`;

const { values, positionals } = readArguments(USAGE, { unlock: { type: 'boolean' } }, 1);
const isOpening = values.unlock === true;
const [called] = positionals;
if (called === undefined)
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
