import { z } from 'zod';
import { line } from '#platform/inputs/line-schemas.ts';

const name = (most: number) => line(most).regex(/^[^<>]*$/);

/**
 * The profile fields that a person can change (spec 1 section 3, Profile). `language` is a code such as
 * `pt-BR` or `fr`.
 */
export const profileInput = z.strictObject({
  prefix: name(20),
  firstName: name(60).min(1),
  middleName: name(60),
  lastName: name(60).min(1),
  suffix: name(20),
  language: z.string().max(20),
});
export type ProfileInput = z.infer<typeof profileInput>;

export const profile = z.strictObject({
  /** The PrismGuid. */
  id: z.string(),
  prefix: z.string(),
  firstName: z.string(),
  middleName: z.string(),
  lastName: z.string(),
  suffix: z.string(),
  email: z.string(),
  language: z.string(),
  account: z.strictObject({ companyName: z.string(), contactId: z.string() }),
});
export type Profile = z.infer<typeof profile>;

/** A contact as its callers read it (spec 1 section 3, Contact). */
export const contactInfo = z.strictObject({
  CompanyId: z.string(),
  ContactId: z.string(),
  fullName: z.string(),
  givenName: z.string(),
  additionalName: z.string(),
  familyName: z.string(),
  emailAddresses: z.array(z.strictObject({ emailAddress: z.string(), isPrimary: z.boolean() })),
});
export type ContactInfo = z.infer<typeof contactInfo>;

export const contactQuery = z.strictObject({
  companyId: z.string().min(1).max(60),
  contactId: z.string().min(1).max(60),
});
export const languageInput = z.strictObject({ language: z.string().max(20) });
