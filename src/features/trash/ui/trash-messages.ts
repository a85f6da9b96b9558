/**
 * The words that the deletion of documents takes to the browser; those with a firm in them are filled in by
 * the page.
 */
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
