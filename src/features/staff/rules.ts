/* What staff who view as a contact may send, for the server and the browser alike (threat-model.md T14). */

/** The id of the words that every control which would change something is described by. */
export const VIEWING_NOTE = 'viewing-note';

/**
 * Whether a form may be sent while viewing: the way out, and signing out. `path` is that of its address,
 * without query.
 */
export const isAllowedWhileViewing = (path: string): boolean =>
  /\/(?:auth\/logout|staff\/view-as\/end)$/.test(path);
