/**
 * With more clients than this the switcher is a dialog with a search, with fewer a list that drops down (spec
 * 1, section 9).
 */
export const MAX_IN_LIST = 6;

/**
 * Clients on one page of the dialog, and how long (ms) typing rests before it searches (spec 1, section 9).
 */
export const SWITCHER_PAGE = 25;
export const SEARCH_DEBOUNCE = 200;

/** Most letters of a nickname. */
export const MAX_NICKNAME = 60;
