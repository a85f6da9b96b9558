import { z } from 'zod';
import { line } from '#platform/inputs/line-schemas.ts';
import { withoutMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';
import type { Weekday } from '#features/base/work-calendars/days.ts';

/* The establishments of a client: its head office, which has the client's CNPJ, and its branches. */

export const MAX_ESTABLISHMENTS = 500;
export const MAX_NAME = 200;
export const MAX_STATE_REGISTRATION = 20;

const WEEK = 7;

const weekday = z.union([
  z.literal(1),
  z.literal(2),
  z.literal(3),
  z.literal(4),
  z.literal(5),
  z.literal(6),
  z.literal(7),
]) satisfies z.ZodType<Weekday>;

const fields = {
  /** Without punctuation; it may have letters. */
  cnpj: z
    .string()
    .max(40)
    .overwrite((text) => withoutMask('cnpj', text))
    .refine((text) => isTaxId('cnpj', text)),
  name: line(MAX_NAME).min(1),
  /** The number in the register of its state; `ISENTO` for an exempt one, empty if it is not known. */
  stateRegistration: line(MAX_STATE_REGISTRATION),
  /** The IBGE code of its city; empty if it is not known. */
  city: z.string().regex(/^(?:\d{7})?$/),
  /** Its weekly days of rest, from 1, Monday, to 7, Sunday. */
  restDays: z
    .array(weekday)
    .min(1)
    .max(WEEK)
    .overwrite((days) => [...new Set(days)].toSorted()),
};

/** A new establishment. */
export const establishmentInput = z.strictObject({
  ...fields,
  stateRegistration: fields.stateRegistration.default(''),
  city: fields.city.default(''),
  restDays: fields.restDays.default([7]),
});
export type EstablishmentInput = z.input<typeof establishmentInput>;

/** A change of an establishment: what is missing stays. EDIT_CONFLICT if `version` is not the current one. */
export const establishmentChange = z.strictObject(fields).partial().extend({ version: z.int() });
export type EstablishmentChange = z.input<typeof establishmentChange>;

export const establishment = z.strictObject({
  ...fields,
  id: z.string(),
  clientId: z.string(),
  /** Whether its CNPJ is that of the client: it is changed with the client, and cannot be removed. */
  isHeadOffice: z.boolean(),
  /** Changes with every update. */
  version: z.int(),
});
export type Establishment = z.infer<typeof establishment>;

export const establishmentList = z.strictObject({ items: z.array(establishment), totalItems: z.int() });
