import { z } from 'zod';
import type { DocumentState } from '#features/documents/fiscal-xml/fiscal-xml.ts';

/* Fiscal documents of Brazil that a firm stores for its clients (box-e). */

/** The archives, by the actions that lead to them (spec 1 section 2). */
export const STORAGES = ['nfe', 'nfce', 'cte', 'cfe', 'xml'] as const;
export type Storage = (typeof STORAGES)[number];

/** The action of an archive. */
export const actionOf = (storage: Storage): `${Storage}-storage` => `${storage}-storage`;

/** The archive of an action; undefined for any other. */
export const storageOf = (action: string): Storage | undefined =>
  STORAGES.find((storage) => actionOf(storage) === action);

/** What an item of the archive is: the kinds of documents that are read, and any other XML. */
export const KINDS = [
  'NF-e',
  'NFC-e',
  'CT-e',
  'CT-e OS',
  'GTV-e',
  'MDF-e',
  'CF-e',
  'NFS-e',
  'DPS',
  'NFCom',
  'NF3-e',
  'BP-e',
  'other',
] as const;
export type Kind = (typeof KINDS)[number];

/** Where a document stands, from all files and events that are known. */
export const STATES = [
  'authorized',
  'cancelled',
  'denied',
  'rejected',
  'noProtocol',
  'wrongProtocol',
  'unproven',
] as const satisfies readonly DocumentState[];
export type State = (typeof STATES)[number];

export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The client's part in a document. */
export const ROLES = [
  'issuer',
  'provider',
  'recipient',
  'taker',
  'sender',
  'dispatcher',
  'receiver',
  'intermediary',
  'buyer',
  'carrier',
  'other',
] as const;
export type ClientRole = (typeof ROLES)[number];

/** What is wrong with a document, as bits of its column. */
export const PROBLEMS = { wrongProof: 1, differentCopies: 2 } as const;

/** Documents are kept for so many months after they were authorized (Ajuste SINIEF 2/2025). */
export const KEPT_MONTHS = 132;

/** A month, `2026-11`. */
export const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
export const month = z.string().regex(MONTH);

/** Whether the firm stores fiscal documents (spec 2 section 7). */
export const companyStorage = z.strictObject({ enabled: z.boolean() });
export const clientStorage = z.strictObject({
  id: z.string(),
  enabled: z.boolean(),
  /** When it was last switched on or off for the client; null if never. */
  lastToggle: z.string().nullable(),
});
