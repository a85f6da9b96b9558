import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type PDF, PdfDict } from '@libpdf/core';
import { shownBox } from '#features/documents/document-preparation/page-box.server.ts';
import { load, type Prepared } from '#features/documents/document-preparation/prepare.server.ts';
import { settlePages } from '#features/documents/document-preparation/settle-pages.server.ts';
import { inSealThread, SealThreadError } from '#features/documents/seals/worker.server.ts';
import type { Stamp } from '#features/documents/seals/sealing.server.ts';
import { seededRandom, faultsOf, pdfsigOf } from '../support/sealing.ts';
import { popplerDifference, popplerPages, type PageArea, type PopplerPage } from '../support/poppler.ts';

/*
 * npm run corpus:seal -- FOLDER [--most 300] [--list]  prepares, stamps and seals every PDF in a folder, as the portal does, draws
 * each step with poppler too, and reports what the portal does not say by itself. Exits with 1 if anything is reported.
 */

const MAX_BYTES = 400_000;
/** Pages that are drawn by poppler, too. */
const LAST = 3;
/** Pixels that may differ unnoticed, as a share of the page: edges are drawn a little differently. */
const TOLERATED = 0.0015;
const user = { person: 'corpus', firm: 'corpus' };

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stdout.write('Name the folder with the PDF files: npm run corpus:seal -- FOLDER [--most 300]\n');
  process.exit(2);
}
const most = Number(process.argv[process.argv.indexOf('--most') + 1] ?? NaN) || Infinity;
const { secret } = await inSealThread(user, {
  kind: 'make-key',
  name: 'Corpus',
  validFrom: Date.now(),
  validUntil: Date.now() + 86_400_000,
});
const counts = new Map<string, number>();
const times: number[] = [];
let reported = 0;

for (const name of shuffled(readdirSync(folder).filter((each) => each.toLowerCase().endsWith('.pdf'))).slice(0, most)) {
  const file = path.join(folder, name);
  if (statSync(file).size > MAX_BYTES) continue;
  const findings = await tried(name, readFileSync(file)).catch((error: unknown) => [`failed: ${String(error)}`]);
  for (const finding of findings) {
    reported += 1;
    process.stdout.write(`${name}: ${finding}\n`);
  }
}
for (const [what, count] of [...counts].toSorted(([, a], [, b]) => b - a)) process.stdout.write(`${count}  ${what}\n`);
const sorted = times.toSorted((a, b) => a - b);
const share = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0);
process.stdout.write(
  `${reported} reported. Milliseconds per page, drawn four times: median ${share(0.5)}, 95 % ${share(0.95)}, most ${share(0.999)}\n`,
);
process.exit(reported === 0 ? 0 : 1);

/** Counts an outcome; `--list` names each file that was not simply sealed. */
function count(name: string, what: string, details: unknown = ''): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
  if (what !== 'sealed' && process.argv.includes('--list'))
    process.stdout.write(`  ${name}: ${what} ${JSON.stringify(details)}\n`);
}

async function tried(name: string, source: Buffer): Promise<string[]> {
  const began = performance.now();
  let prepared: Prepared;
  try {
    prepared = await inSealThread(user, { kind: 'prepare', bytes: Uint8Array.from(source) });
  } catch (error) {
    if (!(error instanceof SealThreadError)) throw error;
    count(name, `refused to prepare: ${error.why}`, error.details);
    return [];
  }
  const stamps = stampsFor(prepared);
  let sealed: Uint8Array;
  try {
    ({ bytes: sealed } = await inSealThread(user, {
      kind: 'seal',
      prepared: prepared.bytes,
      stamps,
      certificate: { title: 'Record', lead: '', sections: [], footer: 'Footer' },
      signedAt: Date.now(),
      secret,
      timestampUrl: undefined,
    }));
  } catch (error) {
    if (!(error instanceof SealThreadError)) throw error;
    count(name, `refused to seal: ${error.why}`, error.details);
    return [];
  }
  times.push((performance.now() - began) / prepared.pages.length);
  const isDifferent = prepared.differences.length > 0;
  count(name, isDifferent ? 'sealed, with a difference that the sender is told' : 'sealed', prepared.differences);
  return findingsOf({ name, source, prepared, sealed, stamps });
}

/** A text on each page that is drawn. */
function stampsFor({ pages }: Prepared): Stamp[] {
  return pages.slice(0, LAST).map((_, page) => ({
    page,
    x: 8000,
    y: 88_000,
    width: 50_000,
    height: 6000,
    kind: 'text',
    text: 'SIGNED HERE',
  }));
}

async function findingsOf({
  name,
  source,
  prepared,
  sealed,
  stamps,
}: {
  name: string;
  source: Uint8Array;
  prepared: Prepared;
  sealed: Uint8Array;
  stamps: readonly Stamp[];
}): Promise<string[]> {
  const findings: string[] = [];
  const seal = await pdfsigOf(sealed);
  if (!seal.isValid || !seal.isTotal) findings.push('poppler finds the seal invalid');
  const faults = await faultsOf(sealed);
  if (/operation|error|damaged|missing/i.test(faults)) count(name, 'qpdf warns about the sealed file', faults.slice(0, 300));
  const [first, second, third] = await Promise.all([
    popplerPages(source, LAST).catch((): PopplerPage[] => []),
    popplerPages(prepared.bytes, LAST),
    popplerPages(sealed, LAST),
  ]);
  const masks: PageArea[] = stamps.slice(0, 1).map(({ x, y, width, height }) => ({
    x: x / 100_000,
    y: y / 100_000,
    width: width / 100_000,
    height: height / 100_000,
  }));
  const links = await linksOf(source);
  for (const [at, page] of second.entries()) {
    const [before, after] = [first[at], third[at]];
    const tolerated = Math.max(40, page.width * page.height * TOLERATED);
    const isSaid = prepared.differences.some((difference) => difference.page === at + 1);
    if (before && !isSaid) {
      const pixels = popplerDifference(before, page, links[at]);
      if (pixels > tolerated) findings.push(`page ${at + 1} of the prepared file differs in ${pixels} pixels`);
      const words = missingWords(before.text, page.text);
      if (words.length > 0) findings.push(`page ${at + 1} of the prepared file lacks: ${words.slice(0, 5).join(' ')}`);
    }
    if (!after) {
      findings.push(`page ${at + 1} of the sealed file is missing`);
      continue;
    }
    const pixels = popplerDifference(page, after, masks);
    if (pixels > 8) findings.push(`page ${at + 1} of the sealed file differs in ${pixels} pixels`);
    const words = missingWords(page.text, after.text);
    if (words.length > 0) findings.push(`page ${at + 1} of the sealed file lacks: ${words.slice(0, 5).join(' ')}`);
    const inBox = popplerDifference(page, after) - pixels;
    if (inBox <= 0) findings.push(`page ${at + 1} of the sealed file shows no stamp`);
  }
  return findings;
}

/** Links, around which poppler draws a border and PDFium none: what people sign has no links. */
async function linksOf(source: Uint8Array): Promise<PageArea[][]> {
  const pdf: PDF = await load(source);
  settlePages(pdf);
  const resolve = pdf.context.registry.resolve.bind(pdf.context.registry);
  return pdf.getPages().map((page) => {
    const shown = shownBox(page);
    const [a, b, c, d, e, f] = shown.toPage;
    return [...(page.dict.getArray('Annots', resolve) ?? [])].flatMap((item): PageArea[] => {
      const annotation = item.type === 'ref' ? resolve(item) : item;
      if (!(annotation instanceof PdfDict) || annotation.getName('Subtype', resolve)?.value !== 'Link') return [];
      const rect = [...(annotation.getArray('Rect', resolve) ?? [])].map((each) =>
        each.type === 'number' ? each.value : 0,
      );
      const xs = [rect[0], rect[2]].map((x = 0, at) => (d * (x - e) - c * ((rect[at * 2 + 1] ?? 0) - f)) / shown.width);
      const ys = [rect[1], rect[3]].map(
        (y = 0, at) => 1 - (a * (y - f) - b * ((rect[at * 2] ?? 0) - e)) / shown.height,
      );
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      return [{ x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }];
    });
  });
}

function missingWords(before: string, after: string): string[] {
  const letters = after.replaceAll(/\s/gu, '');
  return before.split(/\s+/u).filter((word) => word.length > 2 && !letters.includes(word));
}

function shuffled<T>(items: readonly T[]): T[] {
  const random = seededRandom(20_261_127);
  const left = [...items].toSorted();
  return items.flatMap(() => left.splice(random(left.length), 1));
}
