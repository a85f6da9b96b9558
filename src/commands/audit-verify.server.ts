import '#platform/runtime/startup.server.ts';
import path from 'node:path';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { verifyRights, type RightsFault } from '#features/base/people/rights-macs.server.ts';
import { anchorFaults, anchorsFile, readAnchors } from '#platform/security/audit-anchors.server.ts';
import { verifyAudit, type AuditFault } from '#platform/security/audit.server.ts';
import { assertSchemaFits, closeDatabase } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/runtime/settings.server.ts';

const USAGE = `npm run audit:verify                     verifies every audit log and the access rights of contacts
npm run audit:verify -- --anchors FILE   uses the anchors in that file, such as a copy stored elsewhere`;

/*
 * Verifies the hashes, compares them with the anchors outside the database, and checks contacts, their
 * clients and access settings by their MACs, and access settings with what the log says was decided.
 */
const SAYS: Record<AuditFault['fault'], string> = {
  missing: 'is missing',
  changed: 'is not as it was written, or does not stand where it stood',
  'cut short': 'is missing, and so is what came after it',
  rewritten:
    'or a later one was written anew: the trail is whole in itself, but not the one that was anchored',
};

const { values } = readArguments(USAGE, { anchors: { type: 'string' } });
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
const file = path.resolve(values.anchors ?? anchorsFile());
const began = performance.now();
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const anchors = readAnchors(file);
const { faults: strange, unjudged } = anchorFaults(file);
const { entries, faults } = await verifyAudit(anchors);
for (const { companyId, seq, fault } of faults) say(`  ${companyId}: entry ${seq} ${SAYS[fault]}.`);
for (const fault of strange) say(`  ${fault} (${file}).`);
if (unjudged > 0)
  say(
    `  ${unjudged} lines of the anchors were signed with a key that KEY_FILE no longer holds; they were left aside.`,
  );
const anchored = [...anchors.values()].reduce((sum, heads) => sum + heads.size, 0);
say(
  anchored === 0
    ? `There are no anchors in ${file}: a trail that was rewritten whole would not be noticed. The running portal writes them every hour, and after every 100 entries.`
    : `${anchored} anchors in ${file} were compared.`,
);
const rights = await verifyRights();
for (const fault of rights.faults) say(`  ${fault.companyId}: ${rightsFault(fault)}.`);
say(`${rights.rows} contacts, links to clients and access settings were compared.`);
const found = faults.length + strange.length + rights.faults.length;
const whole = found === 0;
say(
  `${entries} entries, ${((performance.now() - began) / 1000).toFixed(1)} s: ${whole ? 'every audit trail is as it was written.' : `${found} faults. Compare with a backup, and keep both.`}`,
);
await closeDatabase();
process.exitCode = whole ? 0 : 1;

function rightsFault({ contactId, clientId, setting }: RightsFault): string {
  if (setting !== undefined)
    return `the portal did not decide about the ${setting} for ${contactId === '' ? 'everybody' : `contact ${contactId}`} as it is now: it was written into the database, or deleted there`;
  return clientId === undefined
    ? `the portal did not make contact ${contactId} what it is now: its firm, its user or whether it is staff was changed in the database`
    : `the portal did not let contact ${contactId} act for client ${clientId}: that was written into the database`;
}
