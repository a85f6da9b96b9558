/** The translations that the editor of a step uses in the browser. */
export const editorWords = [
  'saving',
  'saved',
  'notSavedYet',
  'closedMeanwhile',
  'conflictOther',
  'conflictOwn',
  'conflictKeep',
  'conflictMine',
  'conflictBoth',
  'noAnswer',
  'chooseFiles',
  'uploading',
  'uploaded',
  'sessionOver',
  'signInAgain',
  'useLastYear',
  'undoLastYear',
] as const;
export type EditorWord = (typeof editorWords)[number];
