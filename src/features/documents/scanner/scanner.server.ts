import { Readable } from 'node:stream';
import type { Document } from '#features/documents/documents/documents.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { containerOf, uploadFolderOf } from '#features/documents/folders/folders.server.ts';
import type { ContainerType, UploadFolder } from '#features/documents/folders/folders.ts';
import { permissionsIn } from '#features/documents/folders/permissions.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { uploadDocument } from '#features/documents/uploads/uploads.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { loadSharp, withImageSlot } from '#platform/storage/image-queue.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { paperOf, pdfOf } from './pdf-of-photos.ts';
import {
  lightest,
  LONG_EDGE,
  MAX_PHOTO_BYTES,
  MAX_PHOTOS,
  MAX_SCAN_BYTES,
  mayScan,
  scanNameOf,
} from './rules.ts';

/** The default name of a scan, with the date in a firm's time zone: 'Scan 2026-11-21'. */
export const scanName = (lang: Lang, timeZone: string): string =>
  translationsFor(lang, 'scan')('defaultName', { date: dayOf(now(), timeZone) });

/*
 * Photos of paper as one PDF, for people without scripts. Each is re-encoded, which removes its location and
 * device (threat-model.md T60); only the three types below reach the decoder, one photo at a time in the
 * whole process.
 */

const STARTS: readonly (readonly [at: number, bytes: string])[][] = [
  [[0, '\x89PNG\r\n\x1a\n']],
  [[0, '\xff\xd8\xff']],
  [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
];
const HEIC = /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1)/;
const MAX_PIXELS = 50_000_000;
const MAX_SECONDS = 20;

export interface ScanPlace {
  containerType: ContainerType;
  containerId: string;
  /** For a client: its upload folder, created with the first document. */
  into?: UploadFolder | undefined;
}

/**
 * Adds the photos from `read` as one PDF, under the next free name. FORBIDDEN, BAD_NAME, EMPTY,
 * TYPE_NOT_ALLOWED (`name`; `reason` HEIC for those), TOO_LARGE (`name`, or `mostPhotos` or `most` for all),
 * and the errors of uploadDocument. One refused photo refuses all: otherwise a page would be missing.
 */
export async function addScan(
  actor: Actor,
  place: ScanPlace,
  lang: Lang,
  read: (
    takePhoto: (name: string, bytes: Readable) => Promise<void>,
    takeField: (name: string, value: string) => void,
  ) => Promise<void>,
): Promise<Document> {
  await assertMayAdd(actor, place);
  let typed = '';
  let left = MAX_SCAN_BYTES;
  const pages: Buffer<ArrayBuffer>[] = [];
  await read(
    async (name, bytes) => {
      if (pages.length === MAX_PHOTOS) throw new PortalError('TOO_LARGE', { mostPhotos: MAX_PHOTOS });
      const photo = await photoOf(name, bytes, left);
      left -= photo.length;
      pages.push(
        await withImageSlot({ person: actor.contactId, firm: actor.companyId }, () => pageOf(name, photo)),
      );
    },
    (name, value) => {
      if (name === 'name') typed = value;
    },
  );
  if (pages.length === 0) throw new PortalError('EMPTY');
  const { timeZone } = await firmOf(actor.companyId);
  const name = scanNameOf(typed.trim() === '' ? scanName(lang, timeZone) : typed);
  const { id: containerId, containerType } = place.into
    ? await uploadFolderOf(actor, place.containerId, place.into)
    : { id: place.containerId, containerType: place.containerType };
  return uploadDocument(actor, {
    containerType,
    containerId,
    name,
    bytes: Readable.from(buffers(pages, lang)),
    announced: 'reserved',
    onConflict: 'rename',
  });
}

/** Checked before the first photo is decoded; uploadDocument checks again. */
async function assertMayAdd(actor: Actor, { containerType, containerId, into }: ScanPlace): Promise<void> {
  const row = await containerOf(actor, containerType, containerId);
  if (!mayScan(actor) || (!into && !(await permissionsIn(actor, row)).addContents))
    throw new PortalError('FORBIDDEN');
}

async function photoOf(name: string, bytes: Readable, left: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_PHOTO_BYTES) throw new PortalError('TOO_LARGE', { name, most: MAX_PHOTO_BYTES });
    if (size > left) throw new PortalError('TOO_LARGE', { most: MAX_SCAN_BYTES });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Converts a photo to a page: upright, small, a JPEG without metadata. */
async function pageOf(name: string, photo: Buffer): Promise<Buffer<ArrayBuffer>> {
  const head = photo.subarray(0, 16).toString('latin1');
  if (head.startsWith('ftyp', 4) && HEIC.test(head.slice(8)))
    throw new PortalError('TYPE_NOT_ALLOWED', { name, reason: 'HEIC' });
  if (!STARTS.some((start) => start.every(([at, expected]) => head.startsWith(expected, at))))
    throw new PortalError('TYPE_NOT_ALLOWED', { name });
  try {
    const sharp = await loadSharp();
    const { width, height } = await sharp(photo, { limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) throw new PortalError('TOO_LARGE', { name, mostPixels: MAX_PIXELS });
    const { data, info } = await sharp(photo, {
      limitInputPixels: MAX_PIXELS,
      failOn: 'error',
      animated: false,
    })
      .rotate()
      .resize({ width: LONG_EDGE, height: LONG_EDGE, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .timeout({ seconds: MAX_SECONDS })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return await lightest(
      (quality) =>
        sharp(data, { raw: info })
          .jpeg({ quality })
          .toBuffer()
          .then((jpeg) => Buffer.from(jpeg)),
      (jpeg) => jpeg.length,
    );
  } catch (error) {
    if (error instanceof PortalError) throw error;
    // the decoder could not read it: a broken photo, not worth an investigation
    throw new PortalError('TYPE_NOT_ALLOWED', { name });
  }
}

function* buffers(pages: readonly Buffer<ArrayBuffer>[], lang: Lang): Generator<Buffer, void> {
  for (const { buffer, byteOffset, length } of pdfOf(pages, paperOf(LANGUAGES[lang])))
    yield Buffer.from(buffer, byteOffset, length);
}
