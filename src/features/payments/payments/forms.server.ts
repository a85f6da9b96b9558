import { z } from 'zod';
import { defineForm, UPCOMING_YEARS, PAST_YEARS } from '#platform/forms/forms.server.ts';
import { date, decimal } from '#platform/inputs/schemas.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import {
  CURRENCIES,
  PIX_KEY_KINDS,
  PROVIDERS,
  REPORTED_WAYS,
  WAYS,
  type PaymentSettings,
} from './payments.ts';
import { pixKey } from './pix.ts';

const line = z.string().trim().max(120);
const MAX_TEXT = 1000;

/** A number of an account in the international form, with its check digits (ISO 13616). */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{10,30}$/.test(text)) return false;
  const digits = [...text.slice(4), ...text.slice(0, 4)].map((letter) => parseInt(letter, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

/** How a firm is paid. */
export const settingsForm = defineForm('payments', (message) => ({
  id: 'payment-settings',
  title: 'settingsTitle',
  problemTitle: 'settingsProblem',
  submit: 'save',
  schema: z
    .object({
      currency: z.enum(CURRENCIES),
      holder: line,
      bank: line,
      iban: z
        .string()
        .transform((text) => text.replaceAll(/\s/g, '').toUpperCase())
        .refine((text) => text === '' || isIban(text), message('ibanWrong')),
      routing: line,
      account: line,
      texts: z
        .array(z.object({ language: z.enum(LANGS), text: z.string().trim().max(MAX_TEXT) }))
        .max(LANGS.length),
      pixKind: z.enum(PIX_KEY_KINDS),
      pixKey: line,
      pixName: z.string().trim().max(25),
      pixCity: z.string().trim().max(15),
      provider: z.enum(['none', ...PROVIDERS]),
    })
    .superRefine((values, context) => {
      const report = (
        path: keyof typeof values,
        key: 'holderMissing' | 'pixKeyWrong' | 'pixNameMissing' | 'pixCityMissing',
      ) => context.addIssue({ code: 'custom', path: [path], message: message(key).error });
      if (values.holder === '' && (values.iban !== '' || values.account !== ''))
        report('holder', 'holderMissing');
      if (values.pixKey === '') return;
      if (pixKey(values.pixKind, values.pixKey) === undefined) report('pixKey', 'pixKeyWrong');
      if (values.pixName === '') report('pixName', 'pixNameMissing');
      if (values.pixCity === '') report('pixCity', 'pixCityMissing');
    }),
  fields: {
    currency: { kind: 'select', label: 'defaultCurrency' },
    holder: { kind: 'text', label: 'holder', maxlength: 120, optional: true },
    bank: { kind: 'text', label: 'bankName', maxlength: 120, optional: true },
    iban: { kind: 'text', label: 'iban', maxlength: 50, optional: true, autocomplete: 'off' },
    routing: { kind: 'text', label: 'routing', hint: 'routingHint', maxlength: 120, optional: true },
    account: { kind: 'text', label: 'account', maxlength: 120, optional: true, autocomplete: 'off' },
    texts: {
      kind: 'group',
      label: 'bankText',
      hint: 'bankTextHint',
      max: LANGS.length,
      add: 'textAdd',
      remove: 'textRemove',
      fields: {
        language: { kind: 'select', label: 'textLanguage' },
        text: { kind: 'textarea', label: 'textOfLanguage', rows: 3, maxlength: MAX_TEXT, optional: true },
      },
    },
    pixKind: {
      kind: 'select',
      label: 'pixKind',
      options: [
        ['cnpj', 'pixCnpj'],
        ['cpf', 'pixCpf'],
        ['phone', 'pixPhone'],
        ['email', 'pixEmail'],
        ['random', 'pixRandom'],
      ],
    },
    pixKey: { kind: 'text', label: 'pixKey', maxlength: 120, optional: true, autocomplete: 'off' },
    pixName: { kind: 'text', label: 'pixName', hint: 'pixNameHint', maxlength: 25, optional: true },
    pixCity: { kind: 'text', label: 'pixCity', maxlength: 15, optional: true },
    provider: { kind: 'choices', label: 'provider', wrong: 'providerWrong' },
  },
  refusals: { INVALID: { field: 'provider', text: 'providerWrong' } },
}));
/** The keys of the firm's own account at Stripe. They are never shown, so both are entered to change one. */
export const stripeForm = defineForm('payments', (message) => ({
  id: 'stripe-keys',
  title: 'stripeTitle',
  problemTitle: 'settingsProblem',
  submit: 'stripeSave',
  schema: z.object({
    secretKey: z
      .string()
      .trim()
      .min(1, message('stripeKeyWrong'))
      .max(300)
      .regex(/^(?:sk|rk)_\w+$/, message('stripeKeyWrong')),
    webhookSecret: z
      .string()
      .trim()
      .min(1, message('stripeWebhookWrong'))
      .max(300)
      .regex(/^whsec_\w+$/, message('stripeWebhookWrong')),
  }),
  fields: {
    secretKey: {
      kind: 'text',
      label: 'stripeKey',
      hint: 'stripeKeyHint',
      maxlength: 300,
      autocomplete: 'off',
      isSecret: true,
    },
    webhookSecret: {
      kind: 'text',
      label: 'stripeWebhook',
      hint: 'stripeWebhookHint',
      maxlength: 300,
      autocomplete: 'off',
      isSecret: true,
    },
  },
  refusals: { INVALID: { field: 'secretKey', text: 'stripeRefused' }, UNAVAILABLE: 'stripeUnavailable' },
}));

type SettingsValues = z.output<(typeof settingsForm)['schema']>;

export const settingsOfForm = (values: SettingsValues): PaymentSettings => ({
  currency: values.currency,
  bank: {
    holder: values.holder,
    bank: values.bank,
    iban: values.iban,
    routing: values.routing,
    account: values.account,
    texts: Object.fromEntries(
      values.texts.filter(({ text }) => text !== '').map(({ language, text }) => [language, text]),
    ),
  },
  pix: {
    kind: values.pixKind,
    key: pixKey(values.pixKind, values.pixKey) ?? '',
    name: values.pixName,
    city: values.pixCity,
  },
  provider: values.provider,
});

const MAX_INVOICE_NUMBER = 40;

/** Requests the payment of an invoice. */
export const requestForm = defineForm('payments', (message) => ({
  id: 'payment-request',
  title: 'requestTitle',
  problemTitle: 'requestProblem',
  submit: 'request',
  schema: z
    .object({
      invoiceNumber: z
        .string()
        .trim()
        .min(1, message('invoiceMissing'))
        // one word: the title of the task is translated by it
        .regex(/^[\p{L}\p{N}._/-]*$/u, message('invoiceWrong'))
        .max(MAX_INVOICE_NUMBER),
      amount: decimal(),
      currency: z.enum(CURRENCIES),
      dueDate: date(),
      ways: z.array(z.enum(WAYS)).min(1, message('waysMissing')),
      documentId: z.string().max(60),
      file: z.array(z.instanceof(File)).max(1),
    })
    .superRefine(({ amount, currency, ways }, context) => {
      const report = (path: string, key: 'amountMissing' | 'pixCurrency'): void =>
        context.addIssue({ code: 'custom', path: [path], message: message(key).error });
      if (!amount) report('amount', 'amountMissing');
      if (ways.includes('pix') && currency !== 'BRL') report('ways', 'pixCurrency');
    }),
  fields: {
    invoiceNumber: {
      kind: 'text',
      label: 'invoiceNumber',
      maxlength: MAX_INVOICE_NUMBER,
      autocomplete: 'off',
    },
    amount: {
      kind: 'text',
      label: 'amount',
      mask: 'decimal',
      inputmode: 'decimal',
      autocomplete: 'off',
      missing: 'amountMissing',
    },
    currency: { kind: 'select', label: 'currency' },
    dueDate: { kind: 'date', input: 'local', years: UPCOMING_YEARS, label: 'dueDate', optional: true },
    ways: { kind: 'checkboxes', label: 'ways', missing: 'waysMissing' },
    file: { kind: 'file', label: 'invoiceFile', hint: 'invoiceFileHint', accept: '.pdf', optional: true },
    documentId: { kind: 'select', label: 'invoiceDocument', hint: 'invoiceDocumentHint', optional: true },
  },
  refusals: {
    INVALID: { field: 'ways', text: 'waysWrong' },
    TYPE_NOT_ALLOWED: { field: 'file', text: 'fileWrong' },
    BAD_NAME: { field: 'file', text: 'fileWrong' },
    EMPTY: { field: 'file', text: 'fileWrong' },
    QUOTA: { field: 'file', text: 'fileNoRoom' },
  },
}));

/** Confirms that the money has arrived. */
export const receivedForm = defineForm('payments', (message) => ({
  id: 'payment-received',
  title: 'markReceived',
  problemTitle: 'receivedProblem',
  submit: 'markReceived',
  schema: z.object({
    way: z.enum(REPORTED_WAYS),
    receivedOn: date().min(1, message('dateMissing')),
    reference: line,
  }),
  fields: {
    way: {
      kind: 'select',
      label: 'receivedBy',
      options: [
        ['bank', 'way_bank'],
        ['pix', 'way_pix'],
      ],
    },
    receivedOn: {
      kind: 'date',
      input: 'local',
      years: PAST_YEARS,
      label: 'receivedOn',
      missing: 'dateMissing',
    },
    reference: {
      kind: 'text',
      label: 'statementReference',
      hint: 'statementReferenceHint',
      maxlength: 120,
      optional: true,
    },
  },
  refusals: {
    INVALID: { field: 'receivedOn', text: 'dateInFuture' },
    NOT_POSSIBLE: 'changedMeanwhile',
    CLOSED: 'changedMeanwhile',
    EXPIRED: 'changedMeanwhile',
  },
}));

const MAX_REASON = 1000;

/** Tells the client that the money has not arrived. */
export const notArrivedForm = defineForm('payments', (message) => ({
  id: 'payment-not-arrived',
  title: 'notArrived',
  problemTitle: 'notArrivedProblem',
  submit: 'notArrived',
  schema: z.object({ reason: z.string().trim().min(1, message('reasonMissing')).max(MAX_REASON) }),
  fields: {
    reason: {
      kind: 'textarea',
      label: 'notArrivedReason',
      hint: 'notArrivedHint',
      rows: 3,
      maxlength: MAX_REASON,
      missing: 'reasonMissing',
    },
  },
  refusals: { NOT_POSSIBLE: 'changedMeanwhile' },
}));
