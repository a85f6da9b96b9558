import { z } from 'zod';
import { defineForm } from '#platform/forms/forms.server.ts';
import { taxId } from '#platform/inputs/schemas.server.ts';
import { CITIES, resolveCity } from './cities.server.ts';
import { establishmentInput, MAX_NAME, MAX_STATE_REGISTRATION } from './establishments.ts';

const { name, stateRegistration } = establishmentInput.shape;
const MAX_CITY = 80;

/** An establishment of a client. Of the head office the CNPJ is that of the client, and cannot be changed here. */
export const establishmentForm = defineForm('establishments', (message) => ({
  id: 'establishment',
  title: 'formTitle',
  problemTitle: 'notSaved',
  submit: 'save',
  schema: z.object({
    version: z.coerce.number().int().catch(0),
    cnpj: taxId('cnpj').pipe(z.string().min(1)),
    name,
    stateRegistration: stateRegistration.unwrap(),
    city: z
      .string()
      .max(MAX_CITY)
      .transform((typed, context): string => {
        if (typed.trim() === '') return '';
        const found = resolveCity(typed);
        if (found.city !== undefined) return found.city;
        const { problem, cities } = found;
        context.addIssue({ code: 'custom', message: message(problem).error, params: { vars: { cities } } });
        return z.NEVER;
      }),
    restDays: z.array(z.coerce.number().pipe(establishmentInput.shape.restDays.unwrap().element)).min(1),
  }),
  fields: {
    version: { kind: 'hidden' },
    cnpj: { kind: 'text', label: 'cnpj', mask: 'cnpj', missing: 'cnpjMissing', autocomplete: 'off' },
    name: {
      kind: 'text',
      label: 'name',
      hint: 'nameHint',
      missing: 'nameMissing',
      wrong: 'lineWrong',
      maxlength: MAX_NAME,
      autocomplete: 'off',
    },
    stateRegistration: {
      kind: 'text',
      label: 'stateRegistration',
      hint: 'stateRegistrationHint',
      wrong: 'lineWrong',
      optional: true,
      maxlength: MAX_STATE_REGISTRATION,
      autocomplete: 'off',
    },
    city: {
      kind: 'text',
      label: 'city',
      hint: 'cityHint',
      wrong: 'cityUnknown',
      optional: true,
      maxlength: MAX_CITY,
      autocomplete: 'off',
      lookup: CITIES,
    },
    restDays: {
      kind: 'checkboxes',
      label: 'restDays',
      hint: 'restDaysHint',
      missing: 'restDaysMissing',
    },
  },
  refusals: {
    NAME_CONFLICT: { field: 'cnpj', text: 'cnpjTaken' },
    EDIT_CONFLICT: 'editConflict',
    TOO_MANY: { text: 'tooMany', vars: ({ most }) => ({ most: Number(most) }) },
    INVALID: { field: 'cnpj', text: 'cnpjOfClient' },
  },
}));
