/** The translations that the grid uses in the browser. */
export const gridWords = [
  'selectAll',
  'selectRow',
  'rowActions',
  'actions',
  'rows',
  'rowsMore',
  'loading',
  'failed',
  'tryAgain',
  'keys',
  'selection',
  'selectionAll',
] as const;
export type GridWord = (typeof gridWords)[number];

/** Those of the number of selected rows in the table of the page. */
export const selectionWords = ['selectionNone', 'selection'] as const;
