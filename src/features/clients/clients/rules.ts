/**
 * With more clients than this the switcher is a dialog with a search, otherwise a drop-down list (spec 1,
 * section 9).
 */
export const MAX_IN_LIST = 6;

/** Clients on one page of the dialog, and the delay (ms) between typing and searching (spec 1, section 9). */
export const SWITCHER_PAGE = 25;
export const SEARCH_DEBOUNCE = 200;

/** Maximum number of clients in the list of the client bar. */
export const MAX_SUGGESTIONS = 8;

/** Maximum length of a nickname. */
export const MAX_NICKNAME = 60;

/** Counting ends here: of the clients of a page, and of what waits at a client. */
export const MAX_COUNTED = 1000;
