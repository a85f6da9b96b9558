/** The translations that the selection count uses in the browser. */
export const selectionWords = ['selectionNone', 'selection'] as const;
