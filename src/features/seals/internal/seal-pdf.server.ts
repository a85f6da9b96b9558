import { createHash } from 'node:crypto';
import { ops, PDF, TimestampError, type PDFPage } from '@libpdf/core';
import type { Job, Results } from '../worker.server.ts';
import type { Stamp } from '../sealing.server.ts';
import { addCertificatePages } from './certificate-pages.server.ts';
import { drawAsShown, textOn, type Area } from './drawing.server.ts';
import { shownBox } from './page-box.server.ts';
import { load } from './prepare-pdf.server.ts';
import { checkSeal } from './seal-check.server.ts';
import { SealRefusal } from './seal-refusal.server.ts';
import { signerOf, timestampAuthority } from './seal-signer.server.ts';

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
  if (!isGood) throw new SealRefusal(facts.timestamp === 'invalid' ? 'timestamp' : 'own-check');
  return { bytes, sha256: facts.sha256 };
}

async function stamped({ prepared, stamps, certificate, signedAt }: SealJob): Promise<Uint8Array> {
  const pdf = await load(prepared);
  const text = textOn(pdf);
  const pages = pdf.getPages();
  for (const stamp of stamps) {
    const page = pages[stamp.page];
    if (!page) throw new SealRefusal('damaged');
    await drawAsShown(page, () => drawStamp(text, page, stamp));
  }
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
    if (error instanceof TimestampError) throw new SealRefusal('timestamp');
    throw error;
  }
}
