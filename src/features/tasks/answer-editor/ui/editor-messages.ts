import { refusalWords } from '#features/documents/uploads/refusals.ts';

/** The translations that the editor uses in the browser. */
export const editorWords = [
  'saving',
  'saved',
  'notSavedYet',
  'notSaved',
  'conflictOther',
  'conflictOwn',
  'conflictKeep',
  'conflictMine',
  'conflictBoth',
  'noAnswer',
  'uploading',
  'uploaded',
  'sessionOver',
  'signInAgain',
  'useLastYear',
  'undoLastYear',
] as const;
export type EditorWord = (typeof editorWords)[number];

/** What the owner of the answers says of itself: why they can no longer be changed. */
export type OwnerWord = 'closedMeanwhile' | 'refusedClosed' | 'refusedExpired';

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
