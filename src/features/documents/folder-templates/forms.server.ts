import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { TEMPLATE_KINDS } from './folder-templates.ts';

const year = {
  kind: 'text',
  label: 'year',
  inputmode: 'numeric',
  autocomplete: 'off',
  maxlength: 4,
} as const;

/** Creates or changes a template. */
export const templateForm = defineForm('templates', (message) => ({
  id: 'template',
  title: 'newTemplate',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({
    name: z.string().trim().min(1, message('nameMissing')),
    clientKind: z.enum(TEMPLATE_KINDS),
    folders: z.string().min(1, message('foldersMissing')),
  }),
  fields: {
    name: { kind: 'text', label: 'name', autocomplete: 'off', maxlength: 100 },
    clientKind: {
      kind: 'select',
      label: 'columnKind',
      options: [
        ['any', 'kind_any'],
        ['business', 'kind_business'],
        ['individual', 'kind_individual'],
      ],
    },
    folders: { kind: 'textarea', label: 'folders', hint: 'foldersHint', rows: 12, maxlength: 20_000 },
  },
  refusals: {
    NAME_CONFLICT: { field: 'name', text: 'nameTaken' },
    EMPTY: { field: 'folders', text: 'foldersMissing' },
    INVALID: { field: 'folders', text: 'foldersWrong', vars: ({ line }) => ({ line: Number(line) }) },
  },
}));

/** Applies a template to clients. */
export const applyForm = defineForm('templates', (message) => ({
  id: 'apply',
  title: 'apply',
  problemTitle: 'notApplied',
  submit: 'applySubmit',
  schema: z.object({
    year: z.string().regex(/^(?:19|20)\d\d$/, message('yearWrong')),
    clientIds: z.array(z.string().max(60)).min(1, message('clientsMissing')).max(1000),
  }),
  fields: {
    year,
    clientIds: { kind: 'checkboxes', label: 'clients' },
  },
}));
