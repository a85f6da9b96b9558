import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { drawPage } from '#features/documents/viewer/worker.server.ts';
import { differenceOf, pictureOf, popplerPicture, type Picture } from '../support/poppler-picture.ts';

/*
 * npm run corpus:draw -- FOLDER [--pictures FOLDER]  draws the first page of every PDF in a folder as the viewer does, and
 * lists those that poppler draws differently, the most different first; with pictures of both, ours on the left.
 */

const MAX_BYTES = 400_000;
const WIDTH = 595;
/** The share of cells of 8 × 8 pixels that may differ: fonts that are not in the file look a little different. */
const TOLERATED = 0.01;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stdout.write('Name the folder with the PDF files: npm run corpus:draw -- FOLDER [--pictures FOLDER]\n');
  process.exit(2);
}
const at = process.argv.indexOf('--pictures');
const pictures = at < 0 ? undefined : process.argv[at + 1];
const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
const different: { name: string; share: number }[] = [];

for (const name of readdirSync(folder).filter((each) => each.toLowerCase().endsWith('.pdf'))) {
  const file = path.join(folder, name);
  if (statSync(file).size > MAX_BYTES) continue;
  const bytes = readFileSync(file);
  const ours = await drawn(name, bytes);
  if (!ours) continue;
  const theirs = await popplerPicture(bytes, ours).catch(() => undefined);
  count(theirs ? 'drawn by both' : 'drawn, but not by poppler');
  const share = theirs ? differenceOf(ours, theirs) : 0;
  if (!theirs || share <= TOLERATED) continue;
  different.push({ name, share });
  if (pictures !== undefined) await sideBySide([ours, theirs], path.join(pictures, `${name}.png`));
}
for (const { name, share } of different.toSorted((a, b) => b.share - a.share))
  process.stdout.write(`${(share * 100).toFixed(1).padStart(6)} %  ${name}\n`);
for (const [what, times] of counts) process.stdout.write(`${times}  ${what}\n`);
process.stdout.write(`${different.length}  drawn differently\n`);
process.exit(0);

async function drawn(name: string, bytes: Buffer): Promise<Picture | undefined> {
  const asker = { person: 'corpus', firm: 'corpus' };
  const source = { key: name, bytes: () => Readable.from([bytes]), asker };
  const drawing = await drawPage(source, { page: 1, width: WIDTH });
  if ('refused' in drawing) count(`not shown: ${drawing.refused}`);
  if ('refused' in drawing) return undefined;
  const { pixels, width, height } = drawing;
  return pictureOf(sharp(pixels, { raw: { width, height, channels: 4 } }));
}

async function sideBySide(pair: readonly Picture[], file: string): Promise<void> {
  const inputs = await Promise.all(
    pair.map(({ pixels, width, height }) =>
      sharp(pixels, { raw: { width, height, channels: 3 } })
        .resize({ width: 400, height: 400, fit: 'inside' })
        .png()
        .toBuffer(),
    ),
  );
  await sharp({ create: { width: 820, height: 400, channels: 3, background: '#888' } })
    .composite(inputs.map((input, index) => ({ input, left: index * 420, top: 0 })))
    .png()
    .toFile(file);
}
