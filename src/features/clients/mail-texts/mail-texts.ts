export const MAX_SUBJECT = 120;
export const MAX_INTRODUCTION = 600;

/** What is put in the place of `{firm}` …: the firm, the first name of the reader, and the subject that the portal would write. */
export const PLACEHOLDERS = ['firm', 'name', 'subject'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

export interface OwnText {
  subject: string;
  introduction: string;
}

const BRACES = /\{([^{}]*)\}/g;
const ADDRESS = /:\/\/|\bwww\.|(?<=\w)\.(?:com|net|org|info|app|br|uk|us|ca|au|ar|es|fr)(?![\w-])/i;
const CONTROL = /(?!\n)[\p{Cc}\u2028\u2029]/u;

/** What is wrong with a text: a placeholder that does not exist, a single brace, the address of a page, or a control character. */
export type TextProblem = 'placeholder' | 'brace' | 'link' | 'control';

/** Finds what is wrong with a subject or an introduction, and the placeholder that is unknown. */
export function problemOf(text: string): { problem: TextProblem; name?: string } | undefined {
  if (CONTROL.test(text)) return { problem: 'control' };
  for (const [, name = ''] of text.matchAll(BRACES))
    if (!PLACEHOLDERS.some((known) => known === name)) return { problem: 'placeholder', name };
  if (/[{}]/.test(text.replaceAll(BRACES, ''))) return { problem: 'brace' };
  return ADDRESS.test(text) ? { problem: 'link' } : undefined;
}

/** The text with what its placeholders stand for. */
export const filled = (text: string, values: Record<Placeholder, string>): string =>
  text.replaceAll(BRACES, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as Placeholder] : whole,
  );
