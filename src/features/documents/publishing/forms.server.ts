import { z } from 'zod';
import { PRODUCT_TYPES } from '#features/documents/folders/folders.ts';
import { defineForm } from '#platform/forms/forms.server.ts';
import { MAX_MESSAGE } from './publishing.ts';

const messageField = {
  kind: 'textarea',
  label: 'message',
  hint: 'messageHint',
  optional: true,
  rows: 4,
} as const;

const folderField = {
  kind: 'text',
  label: 'folder',
  hint: 'folderHint',
  optional: true,
  autocomplete: 'off',
  maxlength: 500,
} as const;

const yearField = {
  kind: 'text',
  label: 'year',
  inputmode: 'numeric',
  autocomplete: 'off',
  maxlength: 4,
} as const;

const badFolder = {
  field: 'folder',
  text: 'folderBad',
  vars: ({ name }: { name?: unknown }) => ({ name: String(name) }),
} as const;

/** A message is part of the notification. */
const isSent = ({ notify, message }: { notify: boolean; message: string }): boolean =>
  notify || message === '';

/** Creates a batch of files for many clients. */
export const batchForm = defineForm('publishing', (message) => ({
  id: 'batch',
  title: 'newBatch',
  problemTitle: 'notCreated',
  submit: 'create',
  schema: z
    .object({
      name: z.string().trim().min(1, message('batchNameMissing')),
      folder: z.string().trim(),
      year: z.string().regex(/^(?:19|20)\d\d$/, message('yearWrong')),
      notify: z.boolean(),
      message: z.string().trim().max(MAX_MESSAGE, message('messageTooLong')),
    })
    .refine(isSent, { ...message('messageNotSent'), path: ['message'] }),
  fields: {
    name: { kind: 'text', label: 'batchName', autocomplete: 'off', maxlength: 100 },
    folder: folderField,
    year: yearField,
    notify: { kind: 'checkbox', label: 'notify' },
    message: messageField,
  },
  refusals: {
    BAD_NAME: badFolder,
  },
}));

/** Publishes the same files to each of the clients that were selected in their list. */
export const chosenForm = defineForm('publishing', (message) => ({
  id: 'chosen',
  title: 'chosenTitle',
  problemTitle: 'notCreated',
  submit: 'chosenSubmit',
  schema: z
    .object({
      files: z.array(z.instanceof(File)).min(1, message('filesMissing')),
      folder: z.string().trim(),
      year: z.string().regex(/^(?:19|20)\d\d$/, message('yearWrong')),
      notify: z.boolean(),
      message: z.string().trim().max(MAX_MESSAGE, message('messageTooLong')),
    })
    .refine(isSent, { ...message('messageNotSent'), path: ['message'] }),
  fields: {
    files: { kind: 'file', label: 'files', multiple: true },
    folder: folderField,
    year: yearField,
    notify: { kind: 'checkbox', label: 'notify' },
    message: messageField,
  },
  refusals: {
    BAD_NAME: badFolder,
    TYPE_NOT_ALLOWED: { field: 'files', text: 'typeRefused' },
    EMPTY: { field: 'files', text: 'filesMissing' },
    TOO_MANY: { field: 'files', text: 'chosenTooMany', vars: ({ most }) => ({ most: Number(most) }) },
    QUOTA: { field: 'files', text: 'chosenQuota' },
    NOT_FOUND: 'chosenChanged',
    GONE: 'chosenChanged',
  },
}));

/**
 * Begins to publish to one client: the folder, which may be new or one of a template, and the message. `place` is
 * `firm`, the id of a folder, `new` or `template`; `templateFolder` is the id of a template and the number of one of
 * its folders.
 */
export const oneForm = defineForm('publishing', (message) => ({
  id: 'one',
  title: 'oneTitle',
  problemTitle: 'oneNotCreated',
  submit: 'oneSubmit',
  schema: z
    .object({
      place: z.string().min(1).max(60),
      folderName: z.string().trim(),
      productType: z.enum(['', ...PRODUCT_TYPES]),
      templateFolder: z.string().max(80),
      year: z.string().regex(/^(?:19|20)\d\d$/, message('yearWrong')),
      notify: z.boolean(),
      message: z.string().trim().max(MAX_MESSAGE, message('messageTooLong')),
    })
    .refine(({ place, folderName }) => place !== 'new' || folderName !== '', {
      ...message('folderNameMissing'),
      path: ['folderName'],
    })
    .refine(({ place, templateFolder }) => place !== 'template' || templateFolder !== '', {
      ...message('templateFolderMissing'),
      path: ['templateFolder'],
    })
    .refine(isSent, { ...message('messageNotSent'), path: ['message'] }),
  fields: {
    place: { kind: 'select', label: 'folder' },
    folderName: {
      kind: 'text',
      label: 'folderName',
      hint: 'folderNameHint',
      optional: true,
      autocomplete: 'off',
      maxlength: 255,
    },
    productType: { kind: 'select', label: 'productType', hint: 'productTypeHint' },
    templateFolder: { kind: 'select', label: 'templateFolder', hint: 'templateFolderHint' },
    year: yearField,
    notify: { kind: 'checkbox', label: 'notifyOne' },
    message: messageField,
  },
  refusals: {
    BAD_NAME: { field: 'folderName', text: 'folderBad', vars: ({ name }) => ({ name: String(name) }) },
    NAME_CONFLICT: { field: 'folderName', text: 'folderTaken' },
    TOO_MANY_FOLDERS: { field: 'place', text: 'folderTooMany' },
    TOO_DEEP: { field: 'place', text: 'folderTooMany' },
    FORBIDDEN: { field: 'place', text: 'folderForbidden' },
    NOT_FOUND: { field: 'place', text: 'folderGone' },
    GONE: 'clientArchived',
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
