import { z } from 'zod';

/** An email address as typed. */
export const emailAddress = z
  .string()
  .trim()
  .max(320)
  .regex(/^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/);
export const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Bidi_Control}]*$/u);
