/** The size of a file of a certificate: a key and a few certificates; a larger one is something else. */
export const MAX_CERTIFICATE_BYTES = 200_000;
