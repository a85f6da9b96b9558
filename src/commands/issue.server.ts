import '#platform/runtime/startup.server.ts';
import '../app.server.ts';
import { reportForOperator } from '#features/clients/issue-reports/reports.server.ts';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { assertSchemaFits, closeDatabase } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/runtime/settings.server.ts';

const USAGE = `npm run issue -- CODE     shows a problem that somebody reported, by its reference code`;

const [code = ''] = readArguments(USAGE, {}, 1).positionals;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
const report = await reportForOperator(code.trim().toLowerCase());
if (report) {
  say(
    `${report.code}, ${new Date(report.createdAt).toISOString()}, ${report.firm}, release ${report.release}`,
  );
  say(`About: ${report.about === 'firm' ? "the firm's service" : 'the portal'}. State: ${report.state}.`);
  say(`\n${report.description}\n`);
  for (const line of report.details) say(`  ${line}`);
  if (report.answer !== undefined) say(`\nAnswer:\n${report.answer}`);
} else say(`There is no report with the code ${JSON.stringify(code)}. Codes look like k7m2p-9xw4t.`);
await closeDatabase();
process.exit(report ? 0 : 1);
