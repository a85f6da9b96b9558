import '#platform/runtime/startup.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { assertSchemaFits, closeDatabase } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/runtime/settings.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import '../app.server.ts';

const USAGE = `npm run verify              verifies all stored data and reports every fault; exits with 1 if there is one
npm run verify -- --quick   compares sizes without reading the files`;

const { values } = readArguments(USAGE, { quick: { type: 'boolean' } });
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
const { documents, bytes, auditEntries, faults } = await verify(values.quick !== true);
for (const fault of faults) process.stdout.write(`  ${fault}\n`);
process.stdout.write(
  `${documents} documents with ${bytes} bytes and ${auditEntries} audit entries: ${faults.length === 0 ? 'everything is as it was written.' : `${faults.length} faults.`}\n`,
);
await closeDatabase();
process.exitCode = faults.length === 0 ? 0 : 1;
