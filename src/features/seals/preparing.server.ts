import { PortalError } from '#platform/errors.server.ts';
import { inSealThread, SealThreadError, type Prepared } from './worker.server.ts';

/** A larger file would take more memory than a small server has: five times its size. */
export const MAX_PDF_BYTES = 50_000_000;

/**
 * Makes a PDF ready to be signed: forms and annotations become part of its pages. Returns the bytes to show and to
 * sign, their digest, and the sizes of the pages as shown, in points. LOCKED if the file is encrypted, NOT_POSSIBLE
 * if a signature in it forbids changes, TOO_LARGE beyond 50 MB or 500 pages, DAMAGED if it is damaged or no PDF.
 */
export async function preparePdf(bytes: Uint8Array): Promise<Prepared> {
  if (bytes.length > MAX_PDF_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_PDF_BYTES });
  try {
    return await inSealThread({ person: 'portal', firm: 'portal' }, { kind: 'prepare', bytes });
  } catch (error) {
    throw error instanceof SealThreadError ? refused(error) : error;
  }
}

function refused({ why }: SealThreadError): PortalError {
  switch (why) {
    case 'encrypted':
      return new PortalError('LOCKED');
    case 'signed':
      return new PortalError('NOT_POSSIBLE', { cause: 'signed' });
    case 'too-many-pages':
      return new PortalError('TOO_LARGE', { mostPages: 500 });
    default:
      return new PortalError('DAMAGED');
  }
}
