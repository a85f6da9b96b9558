import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { PRODUCT_TYPES } from './folders.ts';

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

/** Creates a project of a client. */
export const projectForm = defineForm('tree', (message) => ({
  id: 'project',
  title: 'newProject',
  problemTitle: 'projectProblem',
  submit: 'projectCreate',
  schema: z.object({
    name: z.string().trim().min(1, message('projectMissing')),
    productType: z.enum(['', ...PRODUCT_TYPES]),
    processingYear: z.string().regex(/^(?:(?:19|20)\d\d)?$/, message('yearWrong')),
  }),
  fields: {
    name: { kind: 'text', label: 'projectName', autocomplete: 'off', maxlength: 255 },
    productType: {
      kind: 'select',
      label: 'productType',
      options: [
        ['', 'productNone'],
        ['TaxReturn', 'product_TaxReturn'],
        ['Bookkeeping', 'product_Bookkeeping'],
        ['Payroll', 'product_Payroll'],
        ['FinancialStatements', 'product_FinancialStatements'],
        ['Audit', 'product_Audit'],
        ['Advisory', 'product_Advisory'],
      ],
    },
    processingYear: {
      kind: 'text',
      label: 'processingYear',
      optional: true,
      inputmode: 'numeric',
      maxlength: 4,
      autocomplete: 'off',
    },
  },
  refusals: {
    NAME_CONFLICT: { field: 'name', text: 'folderTaken' },
    BAD_NAME: { field: 'name', text: 'folderBad' },
    FORBIDDEN: 'folderForbidden',
    TOO_MANY_FOLDERS: 'folderTooMany',
  },
}));
