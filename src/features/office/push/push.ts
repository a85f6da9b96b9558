import { z } from 'zod';

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[\w-]+={0,2}$/)
    .max(100)
    .refine((text) => Buffer.from(text, 'base64url').length === bytes);

const endpoint = z.url({ protocol: /^https?$/ }).max(1000);

/** A subscription as a browser describes it (`PushSubscription.toJSON()`), and what its person chose. */
export const newSubscription = z.strictObject({
  endpoint,
  /** The public key of the browser, 65 bytes, and its secret, 16 bytes, base64url. */
  keys: z.strictObject({ p256dh: base64url(65), auth: base64url(16) }),
  /** Whether texts say what they are about, also on a locked screen. */
  showsTitles: z.boolean().default(false),
  /** The browser says only that it is still there, or by which subscription its push service replaced `replaces`. */
  isRenewal: z.boolean().default(false),
  replaces: endpoint.optional(),
  /** The public key of the portal that the browser subscribed with; by default the current one, or that of what it renews. */
  publicKey: base64url(65).optional(),
});
export type NewSubscription = z.infer<typeof newSubscription>;

export const subscriptionState = z.strictObject({
  /** Whether this browser gets push notifications of the caller. */
  isOn: z.boolean(),
  /** The current public key of the portal, if the browser is to subscribe anew with it: it knows an earlier one. */
  renewWith: z.string().optional(),
});
