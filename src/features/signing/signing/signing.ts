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
export type SigningState = 'draft' | 'sent' | 'signed' | 'sealed' | 'failed' | 'declined';

/** `disowned`: the person who opened the link says that they are somebody else. */
export type SignerState = 'waiting' | 'signed' | 'declined' | 'disowned';

/** The steps of the ceremony, in their order. */
export const STEPS = ['about', 'read', 'sign', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** As many pages are read in one go. */
export const PAGES_AT_ONCE = 5;

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

/** Where a signer signs or enters something; measures are thousandths of a percent of the page. */
export interface PlacedField {
  kind: FieldKind;
  /** The number of the signer in the request, from 1. */
  signer: number;
  /** From 1. */
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
  required: boolean;
}

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
