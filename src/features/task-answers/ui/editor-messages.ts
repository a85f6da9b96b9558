import { refusalWords } from '#features/uploads/refusals.ts';

/** The translations that the editor of a step uses in the browser. */
export const editorWords = [
  'saving',
  'saved',
  'notSavedYet',
  'closedMeanwhile',
  'notSaved',
  'refusedClosed',
  'refusedExpired',
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

/** The translations of files that are uploaded, in the namespace `documents`. */
export const fileWords = [
  ...refusalWords,
  'uploadFailed',
  'uploadRetry',
  'uploadRemove',
  'uploadTerms',
  'uploadSignedOut',
  'uploadSignIn',
] as const;
export type FileWord = (typeof fileWords)[number];
