/** How large the text of every page is, in percent of the usual size. */
export const SIZES = ['100', '125', '150'] as const;
type Size = (typeof SIZES)[number];

/** How somebody reads the pages of the portal. */
export interface Reading {
  size: Size;
  /** Whether words of the profession are explained. */
  hasPlainWords: boolean;
  /** Whether each page has a button that reads it aloud. */
  isReadAloud: boolean;
}

export const USUAL: Reading = { size: '100', hasPlainWords: false, isReadAloud: false };
