/*
 * What the editor of answers sends, for server and browser. Pure.
 */

/** The largest number of changes that one call saves. */
export const MAX_CHANGES = 50;
/** The field of a section's form with the versions that its answers are based on, as JSON. */
export const VERSIONS_FIELD = 'versions';

const LAST_YEAR = ':last-year-';

/** The value of the button in a section's form that uses last year's answer to a question. */
export const lastYearButton = (formId: string, path: string): string => formId + LAST_YEAR + path;

/** The question whose button for last year's answer was pressed. */
export function lastYearIn(posted: FormData): { formId: string; path: string } | undefined {
  const [formId = '', path] = String(posted.getAll('form').at(-1) ?? '').split(LAST_YEAR);
  return path === undefined ? undefined : { formId, path };
}
