import { useRef, useState } from 'react';
import { showAlert, STANDARD_TIMEOUT } from '#ui/alerts.ts';
import type { T } from '#platform/text/messages.ts';
import { sendDocument } from '#features/documents/uploads/calls.ts';
import { reasonFor, type RefusalWord } from '#features/documents/uploads/refusals.ts';
import { paperOf, pdfOf } from '../pdf-of-photos.ts';
import { pageOf } from './photos.ts';
import type { ScanWord } from './scanner-messages.ts';
import type { ScannedPage } from './use-scanned-pages.ts';

/** What the upload is doing: converting a page, or sending the document. */
export type UploadWork = { kind: 'making'; n: number; of: number } | { kind: 'sending' };

interface Scan {
  pages: readonly ScannedPage[];
  isGrey: boolean;
  fileName: string;
}

interface Parts {
  endpoint: string;
  /** The page after the upload. */
  returnTo: string;
  locale: string;
  t: T<ScanWord>;
  why: T<RefusalWord>;
}

/** Creates the document of the pages and uploads it. `isLeaving` is true once it is stored and the page changes. */
export function useScanUpload({ endpoint, returnTo, locale, t, why }: Parts) {
  const [work, setWork] = useState<UploadWork>();
  const isLeaving = useRef(false);

  /** Creates and sends the document; then the page changes. Returns the error message, if any. */
  async function send({ pages, isGrey, fileName }: Scan): Promise<string | undefined> {
    const jpegs: Uint8Array<ArrayBuffer>[] = [];
    for (const [i, { photo, turns }] of pages.entries()) {
      setWork({ kind: 'making', n: i + 1, of: pages.length });
      try {
        jpegs.push(await pageOf(photo, { turns, isGrey }));
      } catch {
        // the phone has removed the file meanwhile, or is out of memory
        return t('notAPhoto', { name: photo.name });
      }
    }
    setWork({ kind: 'sending' });
    const pdf = new File([...pdfOf(jpegs, paperOf(locale))], fileName, { type: 'application/pdf' });
    const outcome = await sendDocument(endpoint, pdf);
    if ('code' in outcome) return reasonFor(why, locale, outcome.code);
    isLeaving.current = true;
    showAlert({
      type: 'success',
      msg: t('uploaded', { name: outcome.name }),
      timeout: STANDARD_TIMEOUT,
      travels: true,
    });
    location.assign(returnTo);
    return undefined;
  }

  async function upload(scan: Scan): Promise<void> {
    const reason = await send(scan);
    setWork(undefined);
    if (reason !== undefined) showAlert({ type: 'danger', msg: `${t('kept')} ${reason}` });
  }

  return { work, isLeaving, upload };
}
