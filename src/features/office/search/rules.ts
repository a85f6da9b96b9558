/** A shorter text finds nothing: most names have one letter. */
export const MIN_TEXT = 2;
export const MAX_TEXT = 200;
/** Hits of a kind in the list under the field, and on the page. */
export const IN_LIST = 5;
/** Hits in the list under a field that chooses a client. */
export const IN_LIST_OF_CLIENTS = 8;
export const ON_PAGE = 20;
/** Clients that are offered before anything is typed. */
export const MAX_RECENT = 5;

/** Where a browser keeps the ids of the clients that somebody opened last; their names stay in the portal. */
export const RECENT_CLIENTS = 'recent-clients';
