import type { Lang } from '#platform/text/languages.ts';
import { inSealThread } from './worker.server.ts';

/** What a composed document shows: sections under a title, and a footer on every page. */
export interface DocumentContent {
  /** BCP 47, for screen readers. */
  language: string;
  title: string;
  lead: string;
  sections: DocumentSection[];
  footer: string;
}

/** A section is a list of labels with values, or a table. A line break in a value begins a paragraph. */
export type DocumentSection =
  | { kind: 'list'; title: string; items: { label: string; value: string }[] }
  | { kind: 'table'; title: string; columns: DocumentColumn[]; rows: string[][] };

interface DocumentColumn {
  label: string;
  /** Of the width of the page. */
  share: number;
}

export type Paper = 'a4' | 'letter';

/** Where people print on Letter. */
const LETTER: readonly Lang[] = ['en-us', 'en-ca', 'fr'];
export const paperOf = (lang: Lang): Paper => (LETTER.includes(lang) ? 'letter' : 'a4');

/**
 * Composes a PDF that screen readers read by its headings, lists and tables, in the thread that knows PDF files. TOO_MANY
 * if too many wait.
 */
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
