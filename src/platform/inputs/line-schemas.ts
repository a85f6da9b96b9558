import { z } from 'zod';
import { emailAddressOrText, isEmailAddress, MAX_EMAIL_ADDRESS } from './email-address.ts';
import { readLine } from './text.ts';

/* Schemas of addresses and names, for contracts, forms and imports. What people pasted around them is taken off. */

/** An email address, however it was pasted; `error` is the message for anything else. */
export const emailAddressWith = (error?: string | { error: string }) =>
  z
    .string()
    .overwrite(emailAddressOrText)
    .max(MAX_EMAIL_ADDRESS, error)
    .refine(isEmailAddress, error ?? 'must be an email address');
export const emailAddress = emailAddressWith();

/** Text in one line, such as a name: without control characters and characters that nobody sees. */
export const line = (max: number) =>
  z
    .string()
    .overwrite(readLine)
    .max(max)
    .refine((text) => /^[^\p{Cc}\p{Cs}\p{Co}\p{Cn}]*$/u.test(text), 'must have no control characters');

/** The name of a person or firm. */
export const name = line(100).min(1);
