import { z } from 'zod';
import { LANGS } from '#platform/text/languages.ts';

/**
 * The session as pages know it (spec 1 section 3, Session). It contains names, ids and permissions to render
 * the right elements; the session itself is an HttpOnly cookie, and every permission is checked on the
 * server.
 */
export const sessionInfo = z.strictObject({
  meta: z.strictObject({
    PrismGuid: z.string(),
    FirstName: z.string(),
    LastName: z.string(),
    EmailAddress: z.string(),
    SessionExpiresDateTime: z.iso.datetime(),
    EmulateePrismGuid: z.string().nullable(),
  }),
  bindings: z.strictObject({
    ApplicationConfiguration: z.strictObject({ CompanyId: z.string(), ContactId: z.string() }),
    FeatureResourcePermissions: z.record(z.string(), z.boolean()),
    InfrastructureAccessControls: z.array(z.string()),
  }),
});

export type SessionInfo = z.infer<typeof sessionInfo>;

/** A long token is returned once, when it is issued (spec 1 section 7, creation of a long token). */
export const MAX_TOKEN_HOURS = 12;
export const apiTokenRequest = z.strictObject({
  kind: z.enum(['link', 'api']),
  hours: z.int().min(1).max(MAX_TOKEN_HOURS).optional(),
});
export const apiTokenAnswer = z.strictObject({
  tokenId: z.string(),
  longToken: z.string(),
  expiresAt: z.iso.datetime(),
});

const longToken = z.strictObject({
  tokenId: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiToken = z.infer<typeof longToken>;
export const longTokens = z.strictObject({ tokens: z.array(longToken) });

const yes = z.enum(['true', 'false']).transform((value) => value === 'true');

/**
 * Query of the accounts (spec 1 section 7): `active` omits locked firms; every account uses the client
 * center, so `onlyClientCenter` omits none.
 */
export const accountQuery = z.strictObject({
  active: yes.default(false),
  onlyClientCenter: yes.default(true),
});

const account = z.strictObject({
  contactId: z.string(),
  companyId: z.string(),
  companyName: z.string(),
  staff: z.boolean(),
  active: z.boolean(),
  current: z.boolean(),
});
export type Account = z.infer<typeof account>;
export const accounts = z.strictObject({ accounts: z.array(account) });

export const accountSwitch = z.strictObject({ contactId: z.string().min(1).max(60) });
/** The redirect target: the staff area for staff (spec 1 section 2, /staff/). */
export const accountSwitched = z.strictObject({
  contactId: z.string(),
  companyId: z.string(),
  staff: z.boolean(),
});

/** The remaining lifetime of the session in whole seconds, which requires no synchronized clocks. */
export const sessionExtended = z.strictObject({ secondsLeft: z.int() });

export const MAX_TERMS = 100_000;

/** The newest terms of the firm in the most suitable language for the reader; null if the firm has none. */
export const termsAnswer = z.strictObject({
  due: z.boolean(),
  terms: z
    .strictObject({
      version: z.int(),
      language: z.enum(LANGS),
      text: z.string(),
      sha256: z.string(),
      publishedAt: z.iso.datetime(),
    })
    .nullable(),
});
export type Terms = NonNullable<z.infer<typeof termsAnswer>['terms']>;

/** Accepts exactly the text that was read. */
export const termsAcceptance = z.strictObject({
  version: z.int().min(1),
  language: z.enum(LANGS),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type TermsAcceptance = z.infer<typeof termsAcceptance>;

/** A new version: its text in one or more languages. */
export const termsPublication = z
  .partialRecord(z.enum(LANGS), z.string().trim().max(MAX_TERMS))
  .transform((texts) => Object.entries(texts).filter(([, text]) => text !== ''));
