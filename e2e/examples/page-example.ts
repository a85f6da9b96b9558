import type { Page } from 'playwright/test';

/** Bytes on the wire of the first view in kB, compressed with brotli. */
interface Budget {
  total: number;
  script: number;
}

/** For pages that people without an account open on a phone. */
export const PLAIN: Budget = { total: 11, script: 2 };
/**
 * Since 2026-11-28 pages of the firm carry the search, what can be begun and their keys (docs/decisions/0116); since
 * 2026-11-29 the areas of tax dates, certificates and requests, whose parts are shared with tasks; since 2026-11-30 what
 * follows the counts of the bell (docs/decisions/0127).
 */
export const LIST: Budget = { total: 38.4, script: 7.7 };
/** For lists whose grid is loaded at the first touch. */
export const GRID: Budget = { total: 40, script: 6.1 };

/**
 * A page in one of its states: its name in a list of failures, its address (or a function that finds it, for a
 * page with an id), and the steps to the state from there.
 */
export type State = readonly [
  name: string,
  path: string | ((page: Page) => Promise<string>),
  prepare?: (page: Page) => Promise<void>,
];

/**
 * What the tests know of a page. `states` are checked for accessibility, width and markup by
 * e2e/pages.spec.ts. A page that takes more than that to open says where it is checked with `expectUsable`
 * instead (`checkedBy`), and what is not a page of its own, or only a redirect, which test covers it
 * (`noMarkup`).
 */
export type PageExample = {
  budget: Budget;
  /** The page whose form makes what it shows, as a pattern; or where people come from, if no page links it. */
  madeOn?: string;
  reachedFrom?: string;
  /** Its form with a file, if its entry in src/routes.ts has a limit for it. */
  takesFile?: FileForm;
} & ({ states: readonly State[] } | { checkedBy: string } | { noMarkup: string });

/** A form with a file, which e2e/file-limits.spec.ts fills in with one of the size that the page takes. */
export interface FileForm {
  open: (page: Page) => Promise<void>;
  /** The label of the field, and of another one with what is typed there. */
  field: RegExp;
  typed?: readonly [label: RegExp, text: string];
  submit: string;
  file: { name: string; mimeType: string; bytes: (size: number) => Buffer };
  /** What the page says when the file was taken. */
  taken: RegExp;
}

/** By the page's pattern in src/routes.ts, in the order of a visit. */
export type PageExamples = Readonly<Record<string, PageExample>>;

/** Pages that one of `PEOPLE` opens one after another. A file of e2e/examples/ exports its `walks`. */
export interface Walk {
  title: string;
  person: 'ana' | 'lima';
  pages: PageExamples;
}

export const statesOf = (pages: PageExamples): State[] =>
  Object.values(pages).flatMap((example) => ('states' in example ? example.states : []));
