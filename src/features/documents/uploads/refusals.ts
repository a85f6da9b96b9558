import { formatSize } from '#platform/text/formats.ts';
import type { T } from '#platform/text/messages.ts';
import { MAX_BYTES } from '#features/documents/documents/rules.ts';

/*
 * The error messages of uploads, and what may help: one table for every kind of upload.
 */

/** The messages of the table, in the namespace `documents`. */
export const refusalWords = [
  'reasonTooLarge',
  'reasonType',
  'reasonContent',
  'reasonCertificate',
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
  /** Whether sending the same file again may help. */
  canRetry?: true;
}

const UNKNOWN: Refusal = { word: 'reasonUnknown', canRetry: true };

/** By error code of the portal, or one that {@link codeOf} assigns to other responses. */
const REFUSALS: Partial<Record<string, Refusal>> = {
  TOO_LARGE: { word: 'reasonTooLarge' },
  TYPE_NOT_ALLOWED: { word: 'reasonType' },
  CONTENT: { word: 'reasonContent' },
  CERTIFICATE: { word: 'reasonCertificate' },
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

/** Errors that pass by themselves: a lost connection, or an unreachable portal. */
export const isPassing = (code: string): boolean => code === 'CONNECTION' || code === 'UNAVAILABLE';

interface Problem {
  code: string;
  /** What is wrong with a type. */
  reason?: unknown;
  /** A free name, if the requested one is taken. */
  suggestion?: string;
  mostOpen?: number;
}

export interface Answer<Data> extends Record<string, unknown> {
  data?: Data;
  errors?: Problem[];
}

/** The body of a response by the portal; undefined without a response or for any other. */
export function answerIn<Data>(text: string): Answer<Data> {
  try {
    return JSON.parse(text) as Answer<Data>;
  } catch {
    return {};
  }
}

/**
 * Returns the error code: the portal's, else one that follows from the status of a proxy (0 without a
 * response).
 */
export function codeOf(status: number, problem: Problem | undefined): string {
  if (problem?.code === 'TOO_MANY' && problem.mostOpen !== undefined) return 'TOO_MANY_OPEN';
  if (problem) return fileCodeOf(problem);
  if (status === 0) return 'CONNECTION';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 413) return 'TOO_LARGE_BETWEEN';
  if (status === 429) return 'TOO_MANY';
  return [408, 502, 503, 504].includes(status) ? 'UNAVAILABLE' : 'UNKNOWN';
}

/** The code for the table above: a refused type by what is wrong with it. */
export const fileCodeOf = ({ code, reason }: { code: string; reason?: unknown }): string =>
  code === 'TYPE_NOT_ALLOWED' && (reason === 'CONTENT' || reason === 'CERTIFICATE') ? reason : code;

/** The same of a refusal on the server. */
export const fileCode = ({ code, details }: { code: string; details: Record<string, unknown> }): string =>
  fileCodeOf({ code, reason: details['reason'] });

const SECOND = 1000;

/** Pauses between retries in ms. After a quarter of an hour without a connection it is given up. */
export const PAUSES = [0.5, 1, 2, 4, 8, ...Array<number>(60).fill(15)].map((seconds) => seconds * SECOND);

/** Waits for the end of a pause, or until the browser is online again. */
export function lineIsBack(pause: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, pause);
  addEventListener('online', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
