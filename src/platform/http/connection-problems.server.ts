/** What a connection to another program failed of, by the code of Node's or OpenSSL's error. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no machine has this name',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'there is no way to that machine',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer came in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Certificates of authorities that Node does not know. */
const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
const UNTRUSTED_PROBLEM =
  'its certificate is of an authority that this machine does not know: set NODE_EXTRA_CA_CERTS to the file of that authority, or complete the chain';

/** Whether the certificate of the other side is only unknown here: others may know its authority. */
export const isUntrusted = (error: unknown): boolean => codesOf(error).some((code) => UNTRUSTED.has(code));

/** Says why another program could not be reached, with the code; undefined for an error of another kind. */
export function connectionProblem(error: unknown): string | undefined {
  const codes = error instanceof Error && error.name === 'TimeoutError' ? ['ETIMEDOUT'] : codesOf(error);
  for (const code of codes) {
    const problem = UNTRUSTED.has(code) ? UNTRUSTED_PROBLEM : PROBLEMS[code];
    if (problem !== undefined) return `${problem} (${code})`;
  }
  return undefined;
}

/** The codes of an error, of its causes, and of the tries that it joins. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const tries: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [
    ...('code' in error && typeof error.code === 'string' ? [error.code] : []),
    ...[error.cause, ...tries].flatMap((each) => codesOf(each, depth + 1)),
  ];
}
