import { createHash } from 'node:crypto';
import { ops, PDF, TimestampError, type PDFPage } from '@libpdf/core';
import type { Job, Results, SealedDifferences } from '../worker.server.ts';
import type { Stamp } from '../sealing.server.ts';
import { addCertificatePages } from './certificate-pages.server.ts';
import {
  CONTRAST,
  hasNewInk,
  type PixelBox,
} from '#features/documents/document-preparation/page-pictures.server.ts';
import { drawAsShown, textOn, type Area } from './drawing.server.ts';
import {
  differencesBetween,
  namesOnPages,
} from '#features/documents/document-preparation/comparing.server.ts';
import { shownBox } from '#features/documents/document-preparation/page-box.server.ts';
import type { PageView } from '#features/documents/document-preparation/pdfium-pages.server.ts';
import { load } from '#features/documents/document-preparation/prepare.server.ts';
import { checkSeal } from './seal-check.server.ts';
import { JobRefusal } from '#features/documents/document-preparation/refusals.server.ts';
import { signerOf, timestampAuthority } from './seal-signer.server.ts';
import { ownResources, settlePages } from '#features/documents/document-preparation/settle-pages.server.ts';

type SealJob = Extract<Job, { kind: 'seal' }>;

/** The name of the field with the seal, by which a damaged seal is still recognized as one. */
const FIELD_NAME = 'FirmSeal';
const ATTACHMENT = 'certificate.json';

/** Bytes reserved for the signature besides its certificates, and for a timestamp: each takes half of it. */
const SIGNATURE_BYTES = 4096;
const TIMESTAMP_BYTES = 16_384;

/**
 * Stamps a prepared PDF, adds the certificate pages and seals it. Throws a refusal if the timestamp authority does
 * not answer, or if the result does not verify.
 */
export async function seal(job: SealJob): Promise<Results['seal']> {
  const bytes = await sign(await stamped(job), job);
  const facts = await checkSeal(bytes);
  const isGood =
    facts.seal === 'found' &&
    facts.coversAll &&
    facts.isClean &&
    facts.isSigned &&
    facts.timestamp === (job.timestampUrl === undefined ? 'none' : 'valid');
  if (!isGood) throw new JobRefusal(facts.timestamp === 'invalid' ? 'timestamp' : 'own-check');
  const { prepared, stamps } = job;
  const { differences, unseen } = await compareSealed({ prepared, stamps, sealed: bytes });
  const pages = [...differences.map(({ page }) => page), ...unseen];
  if (pages.length > 0) throw new JobRefusal('differs', { pages: [...new Set(pages)] });
  return { bytes, sha256: facts.sha256 };
}

/** Stamps a prepared PDF without sealing it, and says what would be wrong with it. */
export async function rehearse({
  prepared,
  stamps,
}: Pick<SealJob, 'prepared' | 'stamps'>): Promise<SealedDifferences> {
  const pdf = await load(prepared);
  const text = textOn(pdf);
  await drawStamps(pdf, text, stamps);
  await addCertificatePages(pdf, text, { title: '–', lead: '', sections: [], footer: '–' });
  return compareSealed({ prepared, stamps, sealed: await pdf.save({ subsetFonts: true }) });
}

/**
 * Compares the pages of a sealed document with those that were signed: they show the same but for the stamps, each of
 * which can be seen.
 */
export async function compareSealed({
  prepared,
  sealed,
  stamps,
}: Pick<SealJob, 'prepared' | 'stamps'> & { sealed: Uint8Array }): Promise<SealedDifferences> {
  const drawn = stamps.filter(({ text, image }) => image || text.trim() !== '');
  const on = (page: number): Stamp[] => drawn.filter((stamp) => stamp.page === page);
  const unseen = new Set<number>();
  const differences = await differencesBetween({
    before: { bytes: prepared, names: namesOnPages(await load(prepared)) },
    after: { bytes: sealed, names: namesOnPages(await load(sealed)) },
    masksOf: (page, view) => on(page).map((stamp) => boxOf(stamp, view)),
    isStrict: true,
    onPage: (page, before, after) => {
      const isSeen = (stamp: Stamp): boolean =>
        hasNewInk({ before, after }, boxOf(stamp, before), stamp.image ? CONTRAST.drawing : CONTRAST.text);
      if (!on(page).every(isSeen)) unseen.add(page + 1);
    },
  });
  return { differences, unseen: [...unseen] };
}

/** Compares the pages of a prepared document with those of the original. */
export async function compareVersions({
  before,
  after,
}: {
  before: Uint8Array;
  after: Uint8Array;
}): Promise<SealedDifferences> {
  const differences = await differencesBetween({
    before: { bytes: before, names: namesOnPages(await load(before)) },
    after: { bytes: after, names: namesOnPages(await load(after)) },
  });
  return { differences, unseen: [] };
}

/** Where a stamp is in the picture of its page, with the pixels at its edges. */
const boxOf = ({ x, y, width, height }: Stamp, view: PageView): PixelBox => ({
  left: (x / 100_000) * view.width - 2,
  top: (y / 100_000) * view.height - 2,
  right: ((x + width) / 100_000) * view.width + 2,
  bottom: ((y + height) / 100_000) * view.height + 2,
});

async function drawStamps(
  pdf: PDF,
  text: ReturnType<typeof textOn>,
  stamps: readonly Stamp[],
): Promise<void> {
  const { registry } = pdf.context;
  // those that an earlier version prepared may still inherit what they need
  settlePages(pdf);
  const pages = pdf.getPages();
  for (const stamp of stamps) {
    const page = pages[stamp.page];
    if (!page) throw new JobRefusal('damaged');
    ownResources(page.dict, registry.resolve.bind(registry));
    await drawAsShown(page, () => drawStamp(text, page, stamp));
  }
}

async function stamped({ prepared, stamps, certificate, signedAt }: SealJob): Promise<Uint8Array> {
  const pdf = await load(prepared);
  const text = textOn(pdf);
  await drawStamps(pdf, text, stamps);
  await addCertificatePages(pdf, text, certificate);
  // every text as letters, also where the page shows an image of it
  const record = {
    documentSha256: createHash('sha256').update(prepared).digest('hex'),
    signedAt: new Date(signedAt).toISOString(),
    certificate,
    stamps: stamps.map(({ image, ...stamp }) => ({
      ...stamp,
      ...(image && { imageSha256: createHash('sha256').update(image).digest('hex') }),
    })),
  };
  pdf.addAttachment(ATTACHMENT, Buffer.from(JSON.stringify(record, null, 2)), {
    mimeType: 'application/json',
  });
  return pdf.save({ subsetFonts: true });
}

async function drawStamp(text: ReturnType<typeof textOn>, page: PDFPage, stamp: Stamp): Promise<void> {
  const area = areaOf(page, stamp);
  if (stamp.image) return text.drawContained(page, stamp.image, area);
  if (stamp.kind !== 'checkbox')
    return text.fit(page, stamp.text, area, stamp.kind === 'signature' ? 'script' : 'regular');
  if (stamp.text !== '') drawTick(page, area);
}

/** The area of a stamp in points, from the bottom left of the page as shown. */
function areaOf(page: PDFPage, stamp: Stamp): Area {
  const shown = shownBox(page);
  const width = (stamp.width / 100_000) * shown.width;
  const height = (stamp.height / 100_000) * shown.height;
  return {
    x: (stamp.x / 100_000) * shown.width,
    y: shown.height - (stamp.y / 100_000) * shown.height - height,
    width,
    height,
  };
}

function drawTick(page: PDFPage, { x, y, width, height }: Area): void {
  const side = Math.min(width, height);
  const [left, bottom] = [x + (width - side) / 2, y + (height - side) / 2];
  page.drawOperators([
    ops.pushGraphicsState(),
    ops.setLineWidth(side / 8),
    ops.moveTo(left + side * 0.15, bottom + side * 0.5),
    ops.lineTo(left + side * 0.4, bottom + side * 0.2),
    ops.lineTo(left + side * 0.85, bottom + side * 0.85),
    ops.stroke(),
    ops.popGraphicsState(),
  ]);
}

async function sign(bytes: Uint8Array, { secret, signedAt, timestampUrl }: SealJob): Promise<Uint8Array> {
  const pdf = await PDF.load(bytes);
  const authority = timestampUrl === undefined ? undefined : timestampAuthority(timestampUrl);
  const signer = await signerOf(secret);
  const certificates = [signer.certificate, ...(signer.certificateChain ?? [])];
  try {
    const result = await pdf.sign({
      signer,
      fieldName: FIELD_NAME,
      signingTime: new Date(signedAt),
      level: authority ? 'B-T' : 'B-B',
      ...(authority && { timestampAuthority: authority }),
      estimatedSize:
        SIGNATURE_BYTES +
        (authority ? TIMESTAMP_BYTES : 0) +
        certificates.reduce((sum, { length }) => sum + length, 0),
    });
    return result.bytes;
  } catch (error) {
    if (error instanceof TimestampError) throw new JobRefusal('timestamp');
    throw error;
  }
}
