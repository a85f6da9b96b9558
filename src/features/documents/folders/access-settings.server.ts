import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text } from '#platform/text/texts.server.ts';

export const accessSettings: Contributions['access'] = [
  {
    name: 'AddFolder',
    place: 'making a folder; src/features/documents/folders/folders.server.ts',
    row: { group: 'documents', order: 10, label: text('portal', 'rowAddFolders') },
  },
  {
    name: 'ShowPreviewB4CCViewer',
    place:
      'the rights of contributors; src/features/documents/folders/permissions.server.ts; the facts before the viewer; src/features/documents/viewer/viewer.ts',
    row: { group: 'documents', order: 60, label: text('portal', 'rowOwnOnly') },
  },
  {
    name: 'HideDocsFlatToggle',
    place: 'the list without folders; src/features/documents/folders/tree.ts',
    row: {
      group: 'documents',
      order: 70,
      label: text('portal', 'rowFlatList'),
      isShown: true,
      isInverted: true,
    },
  },
  {
    name: 'DocumentsParentID',
    place: 'documents by folder instead of all; src/features/documents/folders/tree.ts',
    row: { group: 'documents', order: 80, label: text('portal', 'rowByFolder') },
  },
  {
    name: 'ContainerTreeTraversal',
    place: 'all containers instead of the roots; src/features/documents/folders/tree.ts',
    row: { group: 'documents', order: 90, label: text('portal', 'rowAllFolders') },
  },
  {
    name: 'DocumentsTreeTraversal',
    place: 'the documents below a folder with its own; src/features/documents/folders/tree.ts',
    row: { group: 'documents', order: 100, label: text('portal', 'rowSubfolders') },
  },
  {
    name: 'DisableDocumentsLazyLoading',
    place: 'every level of folders in the page; src/features/documents/folders/tree.ts',
    row: { group: 'documents', order: 110, label: text('portal', 'rowLoadAll') },
  },
];
