/*
 * The requests that staff may send while viewing as a contact, for the server and the browser alike
 * (threat-model.md T14).
 */

/** The id of the text that describes every control that writes. */
export const VIEWING_NOTE = 'viewing-note';

/**
 * Tells whether a form may be sent while viewing as a contact: ending the view, signing out, and estimates, which change
 * nothing. `path` is that of its address, without query.
 */
export const isAllowedWhileViewing = (path: string): boolean =>
  /\/(?:auth\/logout|staff\/view-as\/end|actions\/service-request\/mocks\/(?:vacation|termination))$/.test(
    path,
  );
