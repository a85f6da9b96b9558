import type { Prepared } from '#features/documents/document-preparation/prepare.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { inSealThread, SealThreadError } from './worker.server.ts';

/** A larger file would take more memory than a small server has: five times its size. */
export const MAX_PDF_BYTES = 50_000_000;

/** Why a document cannot be signed, in the details of NOT_POSSIBLE and LOCKED. */
export type PrepareProblem =
  'signed' | 'restricted' | 'xfa' | 'lost-values' | 'active-content' | 'external-content' | 'undrawable';

/**
 * Makes a PDF ready to be signed: forms and annotations become part of its pages. Returns the bytes to show and to
 * sign, their digest, the sizes of the pages as shown, in points, the digital signatures that only the document bears,
 * and the pages that are shown differently now. LOCKED if the file is encrypted (`cause` is `restricted` if it opens
 * without a password), TOO_LARGE beyond 50 MB or 500 pages, UNREADABLE if it is damaged or no PDF. NOT_POSSIBLE with `cause`:
 * `signed` if a signature in it forbids changes, `xfa` for a form that only Adobe Reader shows, `lost-values` with the
 * `fields` whose values cannot be drawn, `active-content` and `external-content` if it could show something else later,
 * `undrawable` if its pages cannot be compared.
 */
export async function preparePdf(bytes: Uint8Array): Promise<Prepared> {
  if (bytes.length > MAX_PDF_BYTES) throw new PortalError('TOO_LARGE', { most: MAX_PDF_BYTES });
  try {
    return await inSealThread({ person: 'portal', firm: 'portal' }, { kind: 'prepare', bytes });
  } catch (error) {
    throw error instanceof SealThreadError ? refused(error) : error;
  }
}

function refused({ why, details }: SealThreadError): PortalError {
  switch (why) {
    case 'encrypted':
      return new PortalError('LOCKED');
    case 'restricted':
      return new PortalError('LOCKED', { cause: why });
    case 'signed':
    case 'xfa':
    case 'lost-values':
    case 'active-content':
    case 'external-content':
    case 'undrawable':
      return new PortalError('NOT_POSSIBLE', { cause: why satisfies PrepareProblem, ...details });
    case 'died':
      return new PortalError('NOT_POSSIBLE', { cause: 'undrawable' satisfies PrepareProblem });
    case 'too-many-pages':
      return new PortalError('TOO_LARGE', { mostPages: 500 });
    default:
      return new PortalError('UNREADABLE');
  }
}
