import '#platform/runtime/startup.server.ts';
import { readFileSync } from 'node:fs';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { CHECKS, type Check, type NotChecked } from '#features/documents/seals/seals.ts';
import { verifySealedPdf, type SealVerification } from '#features/documents/seals/verifying.server.ts';
import { sealedContents, type SealedContent } from '#features/signing/signing/verification.server.ts';
import { assertSchemaFits, closeDatabase } from '#platform/database/database.server.ts';
import { assertInstalled, assertKeyMatches } from '#platform/runtime/settings.server.ts';
import '../app.server.ts';

const USAGE = `npm run pdf:verify -- FILE …    verifies sealed PDF files: exits with 0 if all are exactly what the portal sealed,
                                with 1 if one is not, and with 2 without a file
npm run pdf:verify -- --sealed  compares the pages of every sealed document with those that were signed, and these with
                                the original: names the documents that lost content, and exits with 1 if there is one`;

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

const { values, positionals: files } = readArguments(USAGE, { sealed: { type: 'boolean' } }, Infinity);
const say = (text: string): void => void process.stdout.write(`${text}\n`);
if (files.length === 0 && values.sealed !== true) {
  say('Name the files to verify: npm run pdf:verify -- FILE …');
  process.exit(2);
}
assertInstalled();
await assertSchemaFits();
await assertKeyMatches();
let faults = 0;
if (values.sealed) {
  let [documents, incomplete] = [0, 0];
  for await (const content of sealedContents()) {
    documents += 1;
    if (content.missing.length > 0) incomplete += 1;
    if (content.sealing.length + content.preparing.length + content.missing.length > 0)
      await reportContent(content);
    if (content.sealing.length + content.preparing.length > 0) faults += 1;
  }
  say(
    `${documents} sealed documents: ${faults === 0 ? 'no content was lost' : `${faults} lost content`}.${incomplete === 0 ? '' : ` ${incomplete} could not be compared completely.`}`,
  );
  await closeDatabase();
  process.exit(faults === 0 ? 0 : 1);
}
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

async function reportContent({
  companyId,
  taskId,
  title,
  sealedAt,
  sealing,
  preparing,
  missing,
}: SealedContent): Promise<void> {
  const { name } = await firmOf(companyId);
  say(`${name}: “${title}”, sealed ${new Date(sealedAt).toISOString()}, ${taskId ?? 'its task is gone'}`);
  if (sealing.length > 0) say(`  LOST when it was sealed, on pages: ${sealing.join(', ')}`);
  if (preparing.length > 0)
    say(`  DIFFERENT from the original since it was prepared, on pages: ${preparing.join(', ')}`);
  if (missing.includes('sealed')) say('  not compared: the sealed document is gone or cannot be read');
  if (missing.includes('original')) say('  not compared: the original is gone or cannot be read');
}

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
