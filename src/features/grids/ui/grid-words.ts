/** The translations that the grid uses in the browser. */
export const gridWords = [
  'selectAll',
  'selectRow',
  'selected',
  'rowActions',
  'actions',
  'rows',
  'loading',
  'failed',
  'tryAgain',
  'keys',
  'groupBy',
] as const;
export type GridWord = (typeof gridWords)[number];
