import type { GridRow } from '../grids.ts';

/** How many pages are kept as objects: those on the screen, and those that were shown last. */
const MAX_OPEN = 12;

/** A page of loaded rows. */
export interface RowPage {
  readonly count: number;
  /** The rows as JSON in UTF-8, once they have been put away. */
  bytes: Uint8Array | undefined;
}

/**
 * The loaded rows of a grid. Only the pages used last are objects, the others are bytes, which the browser's
 * garbage collection neither reads nor moves: with a hundred thousand rows it would stop the page for longer than a frame.
 */
export class RowPages {
  /** The rows by page, those used last at the end. */
  readonly #open = new Map<RowPage, readonly GridRow[]>();

  add(rows: readonly GridRow[]): RowPage {
    const page: RowPage = { count: rows.length, bytes: undefined };
    this.#use(page, rows);
    return page;
  }

  /** The same objects for as long as the page is used, so that rows are not drawn anew. */
  rowsOf(page: RowPage): readonly GridRow[] {
    const rows = this.#open.get(page) ?? unpacked(page.bytes);
    this.#use(page, rows);
    return rows;
  }

  #use(page: RowPage, rows: readonly GridRow[]): void {
    this.#open.delete(page);
    this.#open.set(page, rows);
    const [oldest] = this.#open;
    if (!oldest || this.#open.size <= MAX_OPEN) return;
    oldest[0].bytes ??= new TextEncoder().encode(JSON.stringify(oldest[1]));
    this.#open.delete(oldest[0]);
  }
}

const unpacked = (bytes: Uint8Array | undefined): readonly GridRow[] =>
  bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as readonly GridRow[]) : [];
