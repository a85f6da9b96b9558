import { formatSize } from '#platform/formats.ts';
import type { T } from '#platform/messages.ts';
import { MAX_BYTES } from '#features/documents/rules.ts';

/*
 * Why a file was not stored, in words, and what may put it right: one table for every way in which a file is
 * uploaded.
 */

/** The messages of the table, of the namespace `documents`. */
export const refusalWords = [
  'reasonTooLarge',
  'reasonType',
  'reasonName',
  'reasonEmpty',
  'reasonQuota',
  'reasonReadOnly',
  'reasonForbidden',
  'reasonConnection',
  'reasonConflict',
  'reasonTooMany',
  'reasonTooDeep',
  'reasonTooManyFolders',
  'reasonBusy',
  'reasonNoFolder',
  'reasonFolder',
  'reasonSignedOut',
  'reasonTerms',
  'reasonViewing',
  'reasonLocked',
  'reasonInfected',
  'reasonTooLargeBetween',
  'reasonUnavailable',
  'reasonUnknown',
] as const;
export type RefusalWord = (typeof refusalWords)[number];

interface Refusal {
  word: RefusalWord;
  /** Sending the same file again may put it right. */
  canRetry?: true;
}

const UNKNOWN: Refusal = { word: 'reasonUnknown', canRetry: true };

/** By the code of the portal, or one that {@link codeOf} gives to what is not the portal's answer. */
const REFUSALS: Partial<Record<string, Refusal>> = {
  TOO_LARGE: { word: 'reasonTooLarge' },
  TYPE_NOT_ALLOWED: { word: 'reasonType' },
  BAD_NAME: { word: 'reasonName' },
  EMPTY: { word: 'reasonEmpty' },
  INFECTED: { word: 'reasonInfected' },
  FOLDER: { word: 'reasonFolder' },
  EMULATION_READ_ONLY: { word: 'reasonViewing' },
  TOO_LARGE_BETWEEN: { word: 'reasonTooLargeBetween' },
  NOT_FOUND: { word: 'reasonNoFolder' },
  FORBIDDEN: { word: 'reasonForbidden', canRetry: true },
  LOCKED: { word: 'reasonLocked', canRetry: true },
  NAME_CONFLICT: { word: 'reasonConflict', canRetry: true },
  QUOTA: { word: 'reasonQuota', canRetry: true },
  READ_ONLY: { word: 'reasonReadOnly', canRetry: true },
  TOO_DEEP: { word: 'reasonTooDeep' },
  TOO_MANY_FOLDERS: { word: 'reasonTooManyFolders' },
  TOO_MANY: { word: 'reasonBusy', canRetry: true },
  TOO_MANY_OPEN: { word: 'reasonTooMany', canRetry: true },
  TERMS_REQUIRED: { word: 'reasonTerms', canRetry: true },
  UNAUTHENTICATED: { word: 'reasonSignedOut', canRetry: true },
  CONNECTION: { word: 'reasonConnection', canRetry: true },
  UNAVAILABLE: { word: 'reasonUnavailable', canRetry: true },
};

const refusalOf = (code: string): Refusal => REFUSALS[code] ?? UNKNOWN;

export const reasonFor = (t: T<RefusalWord>, locale: string, code: string): string =>
  t(refusalOf(code).word, { most: formatSize(locale, MAX_BYTES) });
export const canRetry = (code: string): boolean => refusalOf(code).canRetry === true;

/** What passes by itself: a line that is lost, or a portal that cannot be reached. */
export const isPassing = (code: string): boolean => code === 'CONNECTION' || code === 'UNAVAILABLE';

interface Problem {
  code: string;
  /** A free name, where the wanted one is taken. */
  suggestion?: string;
  mostOpen?: number;
}

export interface Answer<Data> extends Record<string, unknown> {
  data?: Data;
  errors?: Problem[];
}

/** What an answer of ours says; nothing, when none came or it is not ours. */
export function answerIn<Data>(text: string): Answer<Data> {
  try {
    return JSON.parse(text) as Answer<Data>;
  } catch {
    return {};
  }
}

/**
 * The code of a refusal: what the portal says, else what follows from the status that a proxy answered (0
 * when no answer came).
 */
export function codeOf(status: number, said: Problem | undefined): string {
  if (said) return said.code === 'TOO_MANY' && said.mostOpen !== undefined ? 'TOO_MANY_OPEN' : said.code;
  if (status === 0) return 'CONNECTION';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 413) return 'TOO_LARGE_BETWEEN';
  if (status === 429) return 'TOO_MANY';
  return [408, 502, 503, 504].includes(status) ? 'UNAVAILABLE' : 'UNKNOWN';
}

const SECOND = 1000;

/** Pauses between tries in ms. A line that is away for a quarter of an hour is given up. */
export const PAUSES = [0.5, 1, 2, 4, 8, ...Array<number>(60).fill(15)].map((seconds) => seconds * SECOND);

/** The end of a pause, or sooner when the browser says that the line is back. */
export function lineIsBack(pause: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, pause);
  addEventListener('online', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
