/*
 * A spreadsheet executes a text that begins like a formula. What is exported therefore gets a leading
 * apostrophe, and what is imported loses it, so that a value survives the round trip.
 */

/** The text as a cell that no spreadsheet executes. */
export const withFormulaQuote = (text: string): string =>
  /^'*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;

/** The value of a cell from {@link withFormulaQuote}. */
export const withoutFormulaQuote = (cell: string): string =>
  /^'+[=+\-@\t\r＝＋－＠]/.test(cell) ? cell.slice(1) : cell;
