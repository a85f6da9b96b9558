import type { CertificateContent } from './sealing.server.ts';
import { inSealThread } from './worker.server.ts';

/** What a composed document says: sections of labels and values, under a title; the footer is on every page. */
export type DocumentContent = CertificateContent;

/** Where a language prints on Letter instead of A4. */
export type Paper = 'a4' | 'letter';

/** Composes a PDF of labels and values, in the thread that knows PDF files. TOO_MANY if too many wait. */
export async function composePdf(
  { contactId, companyId }: { contactId: string; companyId: string },
  content: DocumentContent,
  paper: Paper,
): Promise<Uint8Array> {
  const { bytes } = await inSealThread(
    { person: contactId, firm: companyId },
    { kind: 'compose', content, paper },
  );
  return bytes;
}
