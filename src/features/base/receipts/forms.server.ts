import { defineForm } from '#platform/forms/forms.server.ts';
import { receiptCheck } from './receipts.ts';

/** Checks whether this portal issued a receipt. Its page shows the answer. */
export const verifyForm = defineForm('receipts', () => ({
  id: 'verify',
  title: 'verifyTitle',
  problemTitle: 'errorTitle',
  submit: 'check',
  schema: receiptCheck,
  fields: {
    number: {
      kind: 'text',
      label: 'number',
      wrong: 'numberMissing',
      inputmode: 'numeric',
      autocomplete: 'off',
    },
    code: { kind: 'text', label: 'code', hint: 'codeHint', wrong: 'codeMissing', autocomplete: 'off' },
    sha256: {
      kind: 'text',
      label: 'digest',
      hint: 'digestHint',
      wrong: 'digestWrong',
      optional: true,
      autocomplete: 'off',
    },
  },
  refusals: { TOO_MANY: { field: 'number', text: 'tooOften' } },
}));
