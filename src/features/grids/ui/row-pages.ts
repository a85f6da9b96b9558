import type { GridRow } from '../grids.ts';

/** Pages whose rows are objects: those on the screen and around it, and where one came from. */
const MAX_OPEN = 12;

/** A page of loaded rows. */
export interface RowPage {
  readonly count: number;
  /** The rows as JSON, once they have been put away. */
  text: string | undefined;
}

/**
 * The loaded rows of a grid. Only the pages used last are objects, the others are one text each: with a hundred
 * thousand rows as objects the browser's garbage collection would stop the page for longer than a frame.
 */
export class RowPages {
  /** The rows by page, those used last at the end. */
  readonly #open = new Map<RowPage, readonly GridRow[]>();

  add(rows: readonly GridRow[]): RowPage {
    const page: RowPage = { count: rows.length, text: undefined };
    this.#use(page, rows);
    return page;
  }

  /** The same objects for as long as the page is used, so that rows are not drawn anew. */
  rowsOf(page: RowPage): readonly GridRow[] {
    const rows = this.#open.get(page) ?? (JSON.parse(page.text ?? '[]') as readonly GridRow[]);
    this.#use(page, rows);
    return rows;
  }

  #use(page: RowPage, rows: readonly GridRow[]): void {
    this.#open.delete(page);
    this.#open.set(page, rows);
    const [oldest] = this.#open;
    if (!oldest || this.#open.size <= MAX_OPEN) return;
    oldest[0].text ??= JSON.stringify(oldest[1]);
    this.#open.delete(oldest[0]);
  }
}
