/** The translations that the editor of a sheet uses in the browser. */
export const sheetWords = [
  'editorSaving',
  'editorSaved',
  'editorWaiting',
  'editorRefused',
  'editorClosed',
  'editorReload',
  'editorConflict',
  'editorConflictEmpty',
  'keepTheirs',
  'keepMine',
  'pasteCounts',
  'pasteApply',
  'pasteWhole',
  'pastePreview',
  'cancel',
  'undo',
] as const;
export type SheetWord = (typeof sheetWords)[number];

/** Those of what is wrong with a value, in the namespace `inputs`. */
export const valueWords = [
  'invalidSeparator',
  'invalidHourPlaces',
  'invalidMinutePlaces',
  'invalidMinute',
  'negativeValue',
  'decimalPlaces',
  'maxValue',
] as const;
export type ValueWord = (typeof valueWords)[number];
