/** Every code that an answer may carry, with its HTTP status. People read the words `errors:code.<CODE>`, programs compare the code. */
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
  NOT_FOUND: 404,
  NAME_CONFLICT: 409,
  OFFSET_MISMATCH: 409,
  GONE: 410,
  STALE: 412,
  TOO_LARGE: 413,
  TYPE_NOT_ALLOWED: 415,
  BAD_NAME: 422,
  EMPTY: 422,
  CODE_WRONG: 422,
  DOMAIN_NOT_ALLOWED: 422,
  QUOTA: 507,
  LOCKED: 423,
  CHECKSUM_MISMATCH: 460, // as tus says it
  TOO_MANY: 429,
  FIRM_LOCKED_OUT: 403,
  MFA_AUTHENTICATION_REQUIRED: 403,
  SIGN_IN_FAILED: 401,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** A refusal that the product foresees. `details` is sent to the caller: never put a secret or somebody else's data there. */
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

/** In how many minutes one that was TOO_MANY may try again. */
export const minutesToWait = ({ details }: PortalError): number => Math.ceil(Number(details['retryAfter']) / 60);

/** The refusal in `error`, or undefined when it is a fault of ours. */
export function refusal(error: unknown): PortalError | undefined {
  return error instanceof PortalError ? error : undefined;
}
