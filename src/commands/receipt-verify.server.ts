import '#platform/runtime/startup.server.ts';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { assertSchemaFits, closeDatabase, db } from '#platform/database/database.server.ts';
import { verifyReceipts, type ReceiptFault } from '#features/base/receipts/verification.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/runtime/settings.server.ts';

const USAGE = `npm run receipt:verify             verifies every firm's receipts and compares them with the audit log
npm run receipt:verify -- FILE …   also lists the receipts issued for exactly the bytes of each file`;

const SAYS: Record<ReceiptFault['fault'], string> = {
  missing: 'is missing',
  changed: 'is not as it was issued',
  'cut short': 'is missing, and so are those after it',
  'not in the audit trail': 'is not the one that the audit trail knows, or has no entry there',
  'of other bytes': 'was issued for other bytes than its document has now',
};

const files = readArguments(USAGE, {}, Infinity).positionals;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
const { receipts, faults } = await verifyReceipts();
for (const { companyId, number, fault } of faults) say(`  ${companyId}: receipt ${number} ${SAYS[fault]}.`);
say(
  `${receipts} receipts: ${faults.length === 0 ? 'all are as they were issued.' : `${faults.length} faults. Compare with a backup, and keep both.`}`,
);
let unknown = 0;
for (const file of files) {
  const digest = await digestOf(file);
  const rows = digest === undefined ? [] : await issuedFor(digest);
  if (rows.length === 0) unknown += 1;
  say(
    digest === undefined
      ? `${file} cannot be read: check its name and whether you may open it.`
      : `${file} has the SHA-256 ${digest}: ${rows.length === 0 ? 'no receipt was issued for these bytes.' : `${rows.length === 1 ? 'one receipt was' : `${rows.length} receipts were`} issued for these bytes:`}`,
  );
  for (const { firm, number, kind, at } of rows)
    say(`  ${firm}, receipt ${number}: ${kind}, ${new Date(at).toISOString()}`);
}
await closeDatabase();
process.exitCode = faults.length + unknown === 0 ? 0 : 1;

/** Returns the SHA-256 of a file, read in chunks; undefined when it cannot be read. */
async function digestOf(file: string): Promise<string | undefined> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) digest.update(chunk as Buffer);
  } catch {
    return undefined; // the command reports it and continues with the next file
  }
  return digest.digest('hex');
}

function issuedFor(sha256: string) {
  return db()
    .selectFrom('receipts')
    .innerJoin('firms', 'firms.company_id', 'receipts.company_id')
    .select(['firms.name as firm', 'receipts.number', 'receipts.kind', 'receipts.at'])
    .where('receipts.sha256', '=', sha256)
    .orderBy('receipts.at')
    .execute();
}
