import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';

const newFolder = (hint: 'folderInto' | 'folderAtTop') =>
  defineForm('tree', (message) => ({
    id: 'folder',
    title: 'newFolderSubmit',
    problemTitle: 'uploadFolderFailAlert',
    submit: 'newFolderSubmit',
    schema: z.object({ folderName: z.string().trim().min(1, message('folderMissing')) }),
    fields: {
      folderName: {
        kind: 'text',
        label: 'folderName',
        hint,
        autocomplete: 'off',
        maxlength: 255,
      },
    },
    refusals: {
      NAME_CONFLICT: { field: 'folderName', text: 'folderTaken' },
      BAD_NAME: { field: 'folderName', text: 'folderBad' },
      FORBIDDEN: { field: 'folderName', text: 'folderForbidden' },
      TOO_DEEP: { field: 'folderName', text: 'folderTooDeep' },
      TOO_MANY_FOLDERS: { field: 'folderName', text: 'folderTooMany' },
    },
  }));

/** Creates a folder in the current one, which is called `name`. */
export const folderForm = newFolder('folderInto');
/** Creates a top-level folder of a client. */
export const topFolderForm = newFolder('folderAtTop');
