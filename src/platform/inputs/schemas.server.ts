import { z } from 'zod';
import { sharedMessage } from '../forms/forms.server.ts';
import type { Choice } from '../forms/forms.ts';
import { LANGUAGES, type Lang } from '../text/languages.ts';
import { translationsFor } from '../text/translations.server.ts';
import { addressLabels, type Address, type AddressPart } from './address.ts';
import { MAX_ADDRESS_PART } from './address-fields.server.ts';
import { isCountry, stateId } from './countries.server.ts';
import { datePartsOf, isDate, type DateLimits } from './dates.ts';
import { withoutMask } from './masks.ts';
import { decimalOf, decimalProblem, hoursProblem, MAX_DECIMAL, minutesOf } from './numbers.ts';
import { isTaxId, TAX_ID_KINDS, TAX_IDS, type TaxIdKind } from './tax-ids.ts';

/*
 * Rules of input fields, for forms and calls. Their messages are in `inputs.json`, so that no form translates them
 * again. An empty text is accepted: a field that is required adds `.min(1)` and its `missing`.
 */

const matching = (pattern: RegExp, message: ReturnType<typeof sharedMessage>) =>
  z.string().refine((text) => text === '' || pattern.test(text), message);

/** A social security number, whose first five digits may be hidden by asterisks. */
export const ssn = () => matching(/^[\d*]{5}\d{4}$/, sharedMessage('ssnWrong'));

/** A telephone number of the North American plan: ten digits. */
export const nationalPhone = () => matching(/^\d{10}$/, sharedMessage('phoneWrong'));

/** A telephone number with its country code (E.164). */
export const internationalPhone = () =>
  matching(/^\+[1-9]\d{6,14}$/, sharedMessage('internationalPhoneWrong'));

/** A Brazilian postal code. */
export const cep = () => matching(/^\d{8}$/, sharedMessage('cepWrong'));

/** Text of at least `min` characters without the spaces around it. */
export const textOfLength = ({ min = 0, max }: { min?: number; max: number }) =>
  z
    .string()
    .trim()
    .refine((text) => text === '' || text.length >= min, sharedMessage('minlengthTrim', { min }))
    .refine((text) => text.length <= max, sharedMessage('maxlength', { max }));

/** A date, however the page asks for it. */
export const date = ({ min, max }: Partial<DateLimits> = {}) =>
  z
    .string()
    .superRefine((value, context) => {
      if (value === '' || isDate(value)) return;
      const { error: message, params } = dateProblem(value);
      context.addIssue({ code: 'custom', message, params });
    })
    .refine(
      (value) => min === undefined || !isDate(value) || value >= min,
      sharedMessage('dateTooEarly', { min: new Date(min ?? 0) }),
    )
    .refine(
      (value) => max === undefined || !isDate(value) || value <= max,
      sharedMessage('dateTooLate', { max: new Date(max ?? 0) }),
    );

/** Why a text is no date: of a day that its month does not have, which one. */
function dateProblem(value: string) {
  const { year, month, day } = datePartsOf(value);
  const isNear = /^\d{4}$/.test(year) && /^(?:0[1-9]|1[0-2])$/.test(month) && /^(?:29|3[01])$/.test(day);
  return isNear ? sharedMessage('dayMissing', { day, month, year }) : sharedMessage('invalidDate');
}

/** Hours and minutes; the value is in minutes. */
export const hours = () =>
  z
    .string()
    .superRefine(reportProblem(hoursProblem))
    .transform((text) => (text === '' ? undefined : minutesOf(text)));

/** A decimal number or an amount of money, with at most two decimals. */
export const decimal = () =>
  z
    .string()
    .superRefine(reportProblem(decimalProblem))
    .transform((text) => (text === '' ? undefined : decimalOf(text)));

/**
 * A postal address. Parts that its country does not have are emptied, and the state may be given by its id, its code or
 * its name. An address that is not required may be empty; of a partial one only the country is.
 */
export const address = ({ isRequired = false, isPartial = false } = {}) =>
  z
    .object({
      country: addressPart(),
      address1: addressPart(),
      address2: addressPart(),
      city: addressPart(),
      state: addressPart(),
      zip: addressPart(),
      county: addressPart(),
    })
    .superRefine((value, context) => {
      const report = (part: AddressPart, key: Parameters<typeof sharedMessage>[0]): void => {
        const { error: message, params } = sharedMessage(key);
        context.addIssue({ code: 'custom', path: [part], message, params });
      };
      const isEmpty = Object.values(value).every((text) => text === '');
      if (isEmpty && !isRequired) return;
      if (!isCountry(value.country)) report('country', 'countryMissing');
      if (value.address1 === '' && !isPartial) report('address1', 'address1Missing');
      if (value.city === '' && !isPartial) report('city', 'cityMissing');
      const hasState = addressLabels(value.country).state !== undefined;
      if (hasState && stateId(value.country, value.state) === undefined) report('state', 'stateWrong');
    })
    .transform((value): Address => {
      const labels = addressLabels(value.country);
      const shown = (part: AddressPart): string => (labels[part] === undefined ? '' : value[part]);
      const state = stateId(value.country, shown('state')) ?? '';
      return { ...value, state, zip: shown('zip'), county: shown('county') };
    });

const addressPart = () =>
  z
    .string()
    .trim()
    .refine((text) => text.length <= MAX_ADDRESS_PART, sharedMessage('maxlength', { max: MAX_ADDRESS_PART }));

function reportProblem(problemOf: typeof hoursProblem | typeof decimalProblem) {
  return (text: string, context: z.RefinementCtx<string>): void => {
    const problem = text === '' ? undefined : problemOf(text);
    if (problem === undefined) return;
    const { error: message, params } = sharedMessage(problem, { max: MAX_DECIMAL });
    context.addIssue({ code: 'custom', message, params });
  };
}

/** A tax id, read without punctuation. */
export const taxId = (kind: TaxIdKind) =>
  z
    .string()
    .overwrite((text) => withoutMask(kind, text))
    .refine((text) => text === '' || isTaxId(kind, text), taxIdMessage(kind));

/** A tax id whose kind is chosen with it, such as a row of a group. */
export const taxIdWithKind = z
  .object({ kind: z.enum(TAX_ID_KINDS), number: z.string() })
  .superRefine(({ kind, number }, context) => {
    if (number.trim() === '' || isTaxId(kind, number)) return;
    const { error: message, params } = taxIdMessage(kind);
    context.addIssue({ code: 'custom', path: ['number'], message, params });
  })
  .transform(({ kind, number }) => ({ kind, number: withoutMask(kind, number) }));

const taxIdMessage = (kind: TaxIdKind) => sharedMessage('taxIdWrong', { example: TAX_IDS[kind].example });

/** The kinds of tax ids as choices, with their countries. */
export function taxIdChoices(lang: Lang): Choice[] {
  const t = translationsFor(lang, 'inputs');
  const regions = new Intl.DisplayNames(LANGUAGES[lang], { type: 'region' });
  return TAX_ID_KINDS.map((kind) => ({
    value: kind,
    text: t('taxIdKind', { kind: t(kind), country: regions.of(TAX_IDS[kind].country) ?? '' }),
  }));
}
