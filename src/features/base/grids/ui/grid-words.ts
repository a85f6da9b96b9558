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
] as const;
export type GridWord = (typeof gridWords)[number];
