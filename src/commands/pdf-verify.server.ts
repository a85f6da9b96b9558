import '#platform/startup.server.ts';
import { readFileSync } from 'node:fs';
import { CHECKS, type Check, type NotChecked } from '#features/seals/seals.ts';
import { verifySealedPdf, type SealVerification } from '#features/seals/verifying.server.ts';
import { assertSchemaFits, closeDatabase } from '#platform/database.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/settings.server.ts';

/*
 * npm run pdf:verify -- FILE …  verifies sealed PDF files: exits with 0 if all are exactly what the portal sealed,
 *                               with 1 if one is not, and with 2 without a file
 */
const CHECK_NAMES: Record<Check['check'], string> = {
  record: 'its SHA-256 is in the record of sealed files',
  coverage: 'the seal covers the whole file',
  signature: 'the signature fits the bytes',
  certificate: 'the certificate was that of the firm at that time',
  timestamp: 'the timestamp is for this seal',
};
const NOT_CHECKED: Record<NotChecked, string> = {
  trust: 'whether other programs trust the certificate',
  revocation: 'whether the issuer has revoked the certificate',
  time: 'the time, which is that of the portal: the seal has no timestamp',
  authority: 'whether the timestamp authority can be trusted',
};

const files = process.argv.slice(2);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
if (files.length === 0) {
  say('Name the files to verify: npm run pdf:verify -- FILE …');
  process.exit(2);
}
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
let faults = 0;
for (const file of files) {
  const bytes = bytesOf(file);
  if (bytes === undefined) {
    faults += 1;
    say(`${file} cannot be read: check its name and whether you may open it.`);
    continue;
  }
  const found = await verifySealedPdf(bytes);
  if (found.verdict !== 'unchanged') faults += 1;
  report(file, found);
}
await closeDatabase();
process.exit(faults === 0 ? 0 : 1); // the thread that verifies would stay for a minute

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined; // the command reports it and continues with the next file
  }
}

function report(file: string, found: SealVerification): void {
  say(`${file}: ${verdictOf(found)}`);
  say(`  SHA-256 ${found.sha256}`);
  if (found.verdict === 'unknown') return;
  for (const check of CHECKS) {
    const result = found.checks.find((each) => each.check === check)?.result;
    if (result !== 'none') say(`  ${result === 'passed' ? 'yes' : 'NO '}  ${CHECK_NAMES[check]}`);
  }
  for (const what of found.notChecked) say(`  not checked: ${NOT_CHECKED[what]}`);
}

function verdictOf({ verdict, firm, sealedAt, timestampAt, timestampBy }: SealVerification): string {
  const at = sealedAt === undefined ? '' : `, ${new Date(sealedAt).toISOString()}`;
  const stamp =
    timestampAt === undefined
      ? ''
      : `, timestamp ${new Date(timestampAt).toISOString()} of ${timestampBy ?? ''}`;
  const seal = `${firm ?? 'unknown'}${at}${stamp}`;
  switch (verdict) {
    case 'unchanged':
      return `unchanged since it was sealed (${seal}).`;
    case 'unrecorded':
      return `has a good seal (${seal}), but is not exactly a file that this portal recorded.`;
    case 'changed':
      return `CHANGED after it was sealed (${seal}).`;
    case 'unknown':
      return 'has no seal of this portal.';
  }
}
