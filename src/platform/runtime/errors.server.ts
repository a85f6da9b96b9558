/**
 * Every error code with its HTTP status. People read the translation `errors:code.<CODE>`, programs compare
 * the code.
 */
const STATUS = {
  INVALID: 422,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  INFECTED: 403,
  UNSCANNED: 403,
  CROSS_SITE: 403,
  TERMS_REQUIRED: 403,
  EMULATION_READ_ONLY: 403,
  STEP_UP: 403,
  SAME_PERSON: 403,
  NOT_FOUND: 404,
  NAME_CONFLICT: 409,
  POSSIBLE_DUPLICATE: 409,
  LAST_OWNER: 409,
  EDIT_CONFLICT: 409,
  CLOSED: 409,
  EXPIRED: 409,
  OPENED: 409,
  MANDATORY: 409,
  NOT_POSSIBLE: 409,
  TURN: 409,
  CHANGED: 409,
  OFFSET_MISMATCH: 409,
  IN_PROGRESS: 409,
  ALREADY_DONE: 409,
  KEY_REUSED: 422,
  GONE: 410,
  STALE: 412,
  TOO_LARGE: 413,
  TYPE_NOT_ALLOWED: 415,
  UNREADABLE: 422, // an uploaded file that is broken or of no use here; for one that the portal lost see DAMAGED
  TOO_HEAVY: 422,
  BAD_NAME: 422,
  EMPTY: 422,
  CODE_WRONG: 422,
  DOMAIN_NOT_ALLOWED: 422,
  TOO_DEEP: 422,
  TOO_MANY_FOLDERS: 422,
  INCOMPLETE: 422,
  TOO_MANY_FILES: 422,
  QUOTA: 507,
  READ_ONLY: 507,
  LOCKED: 423,
  CHECKSUM_MISMATCH: 460, // as in the tus protocol
  TOO_MANY: 429,
  FIRM_LOCKED_OUT: 403,
  MFA_AUTHENTICATION_REQUIRED: 403,
  SIGN_IN_FAILED: 401,
  UNAVAILABLE: 503,
  DAMAGED: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** An expected error. `details` is sent to the client: never put a secret or other people's data there. */
export class PortalError extends Error {
  readonly code: ErrorCode;
  readonly status: (typeof STATUS)[ErrorCode];
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, details: Record<string, unknown> = {}) {
    super(code);
    this.name = 'PortalError';
    this.code = code;
    this.status = STATUS[code];
    this.details = details;
  }
}

export const notFound = (): PortalError => new PortalError('NOT_FOUND');

/** The error for stored bytes that are missing or altered; `cause` says how that was noticed. */
export const damaged = (cause: unknown): PortalError => Object.assign(new PortalError('DAMAGED'), { cause });

/** After how many minutes to retry a TOO_MANY. */
export const minutesUntilRetry = ({ details }: Pick<PortalError, 'details'>): number =>
  Math.ceil(Number(details['retryAfter']) / 60);

/** True when nothing can be stored at the moment: the disk is full or read-only. Reading still works. */
export const isStorageUnavailable = (error: unknown): boolean =>
  ['QUOTA', 'READ_ONLY'].includes(refusal(error)?.code ?? '');

/**
 * Runs a write that accompanies a read, such as when a session was last used, and skips it while nothing can
 * be stored: a full disk must not prevent reading. Returns whether it was written.
 */
export async function unlessStorageIsFull(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!isStorageUnavailable(error)) throw error; // the engine has logged it
    return false;
  }
}

/** True when a write may or may not have been carried out, and nobody can tell any more. */
export const isOutcomeUnknown = (error: unknown): boolean => refusal(error)?.details['outcome'] === 'unknown';

/** The expected error in `error`, or undefined for an unexpected one. */
export function refusal(error: unknown): PortalError | undefined {
  return error instanceof PortalError ? error : undefined;
}
