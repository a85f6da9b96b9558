/* Choices by their codes of eSocial; keys begin with a letter. */

/** The key of the choice with a code. */
export const keyOf = (code: string): string => `c${code}`;
/** The code of the choice with a key. */
export const codeOf = (key: unknown): string => (typeof key === 'string' ? key.slice(1) : '');
