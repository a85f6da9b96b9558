/** The translations that deleting documents uses in the browser; the page fills in the name of the firm. */
export const trashWords = [
  'deleteDocumentsSuccessAlertMsg',
  'documentsDeleteErrorCount',
  'deleteDocumentsErrorMulti',
  'documentsDeleteGenericError',
  'aDocument',
  'undo',
  'deleting',
] as const;
export type TrashWord = (typeof trashWords)[number];
