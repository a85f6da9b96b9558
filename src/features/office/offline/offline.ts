/*
 * What the portal and its service worker tell each other in headers, and what may be kept on a device. Also for the browser.
 */

/** Whose page an answer is: another one for each sign-in, contact and firm, and of no use to anybody else. */
export const SESSION_HEADER = 'X-Portal-Session';

/** For how many seconds the page of an answer may be kept; absent for one that may not. */
export const KEEP_HEADER = 'X-Portal-Keep';

/** How long pages are kept (seconds). */
export const KEPT_FOR = 86_400;

/** The parts of the page without a connection that its reader gets or not, between comments of these names. */
export const PARTS = { saved: 'saved', none: 'none', list: 'list', notice: 'notice' } as const;

/** Where the notice of a copy says when it was saved. */
export const SAVED_AT = '%saved-at%';
