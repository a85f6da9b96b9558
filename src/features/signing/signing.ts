import { z } from 'zod';

/*
 * The contract of signing: what is placed on a page, who signs, and how they are identified. Coordinates are
 * thousandths of a percent of the page as shown, from its upper left corner.
 */

export const FIELD_KINDS = ['signature', 'initials', 'date', 'text', 'checkbox'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** How a signer is identified besides their account or link, by names of identity.server.ts. */
export const IDENTITY_CHECKS = ['none', 'mail-code', 'totp'] as const;
export type IdentityCheck = (typeof IDENTITY_CHECKS)[number];

/**
 * A request for signatures: being prepared, sent, signed by all, with the firm's seal, not sealed for good, declined
 * by a signer.
 */
const SIGNING_STATES = ['draft', 'sent', 'signed', 'sealed', 'failed', 'declined'] as const;
export type SigningState = (typeof SIGNING_STATES)[number];

/** `disowned`: whoever opened the link says that they are somebody else. */
const SIGNER_STATES = ['waiting', 'signed', 'declined', 'disowned'] as const;
export type SignerState = (typeof SIGNER_STATES)[number];

/** The steps of the ceremony, in their order. */
export const STEPS = ['about', 'agree', 'read', 'sign', 'done'] as const;
export type Step = (typeof STEPS)[number];

export const WHOLE = 100_000;
export const MAX_SIGNERS = 12;
export const MAX_FIELDS = 200;
export const MAX_PAGES = 500;
/** The maximum size of a document in bytes. */
export const MAX_DOCUMENT = 50_000_000;
export const MAX_NAME = 120;
export const MAX_REASON = 2000;
export const MAX_VALUE = 200;
/** A drawn signature: a PNG as a data URL, in characters. */
export const MAX_DRAWING = 120_000;

const part = z.number().int().min(0).max(WHOLE);

/** Where a signer signs or enters something. */
const placedField = z.strictObject({
  kind: z.enum(FIELD_KINDS),
  /** The number of the signer in the request, from 1. */
  signer: z.number().int().min(1).max(MAX_SIGNERS),
  /** From 1. */
  page: z.number().int().min(1).max(MAX_PAGES),
  x: part,
  y: part,
  width: part.min(500),
  height: part.min(500),
  required: z.boolean(),
});
export type PlacedField = z.infer<typeof placedField>;

/** A person who signs: a contact of the client, or anybody by name and mail address. */
export interface NewSigner {
  contactId: string | null;
  name: string;
  email: string;
  /** Signers with the same place sign at the same time; those with a higher one after them. */
  place: number;
}

/** What staff ask to be signed. */
export interface NewRequest {
  clientId: string;
  documentId: string;
  title: string;
  identity: IdentityCheck;
  dueDate: string | null;
  signers: readonly NewSigner[];
}

/** The size of a page in points. */
export interface PageSize {
  width: number;
  height: number;
}
