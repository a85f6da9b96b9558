import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';

const name = { kind: 'text', label: 'newName', autocomplete: 'off', maxlength: 255 } as const;
const refusals = {
  NAME_CONFLICT: {
    field: 'name',
    text: 'nameTaken',
    vars: ({ suggestion }: Record<string, unknown>) => ({ suggestion: String(suggestion ?? '') }),
  },
  BAD_NAME: { field: 'name', text: 'nameBad' },
  TYPE_NOT_ALLOWED: { field: 'name', text: 'typeRefused' },
  LOCKED: 'locked',
  FORBIDDEN: 'forbidden',
} as const;

/** Renames a folder, or for contacts a document. */
export const renameForm = defineForm('filing', (message) => ({
  id: 'rename',
  title: 'renameTitle',
  problemTitle: 'renameProblem',
  submit: 'renameTitle',
  schema: z.object({ name: z.string().trim().min(1, message('nameMissing')) }),
  fields: { name },
  refusals,
}));

/** Renames a document for staff, who may change its extension. */
export const renameDocumentForm = defineForm('filing', (message) => ({
  id: 'rename',
  title: 'renameTitle',
  problemTitle: 'renameProblem',
  submit: 'renameTitle',
  schema: z.object({
    name: z.string().trim().min(1, message('nameMissing')),
    changeExtension: z.boolean(),
  }),
  fields: {
    name: { ...name, hint: 'extensionStays' },
    changeExtension: { kind: 'checkbox', label: 'changeExtension' },
  },
  refusals,
}));

/** Moves or copies the chosen items to a folder: the button `move:copy` copies. */
export const moveForm = defineForm('filing', (message) => ({
  id: 'move',
  title: 'moveTitle',
  problemTitle: 'moveProblem',
  submit: 'move',
  schema: z.object({ target: z.string().min(1, message('targetMissing')) }),
  fields: { target: { kind: 'select', label: 'target' } },
  refusals: { FORBIDDEN: { field: 'target', text: 'forbidden' } },
}));
