import { z } from 'zod';
import { defineForm } from '#platform/forms.server.ts';

/** Creates a batch of files for many clients. */
export const batchForm = defineForm('publishing', (message) => ({
  id: 'batch',
  title: 'newBatch',
  problemTitle: 'notCreated',
  submit: 'create',
  schema: z.object({
    name: z.string().trim().min(1, message('batchNameMissing')),
    folder: z.string().trim(),
    year: z.string().regex(/^(?:19|20)\d\d$/, message('yearWrong')),
    notify: z.boolean(),
  }),
  fields: {
    name: { kind: 'text', label: 'batchName', autocomplete: 'off', maxlength: 100 },
    folder: {
      kind: 'text',
      label: 'folder',
      hint: 'folderHint',
      optional: true,
      autocomplete: 'off',
      maxlength: 500,
    },
    year: { kind: 'text', label: 'year', inputmode: 'numeric', autocomplete: 'off', maxlength: 4 },
    notify: { kind: 'checkbox', label: 'notify' },
  },
  refusals: {
    BAD_NAME: { field: 'folder', text: 'folderBad', vars: ({ name }) => ({ name: String(name) }) },
  },
}));

/** Matches the files of a batch by a list of file names and client numbers. */
export const listForm = defineForm('publishing', (message) => ({
  id: 'list',
  title: 'listTitle',
  problemTitle: 'listNotUsed',
  submit: 'listSubmit',
  schema: z.object({ list: z.array(z.instanceof(File)).min(1, message('listMissing')).max(1) }),
  fields: { list: { kind: 'file', label: 'list', hint: 'listText', accept: '.csv,.xlsx' } },
  refusals: {
    INVALID: { field: 'list', text: 'listUnreadable' },
    EDIT_CONFLICT: 'changed',
  },
}));
