/** The translations that the client switcher uses in the browser. */
export const pickerWords = [
  'title',
  'open',
  'all',
  'selectClient',
  'search',
  'clients',
  'select',
  'cancel',
  'close',
  'previousPage',
  'nextPage',
  'range',
  'loading',
  'noClientFound',
  'clientListErrorMsg',
  'clientListSearchError',
  'tryAgain',
  'pending',
  'waiting',
] as const;
export type PickerWord = (typeof pickerWords)[number];
