const MAX_VISITS = 8;

/** The links that a browser has opened, with a new one first: opening another one does not close the first. */
export const withVisit = (visits: string, visit: string): string =>
  [visit, ...visits.split('.')].filter(Boolean).slice(0, MAX_VISITS).join('.');
