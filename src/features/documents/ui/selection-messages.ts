/** The words that the count of chosen documents takes to the browser. */
export const selectionWords = ['selectionNone', 'selection'] as const;
