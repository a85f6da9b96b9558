/* Amounts in cents. What is computed is exact, and rounded half up once. */

/** The part of an amount, in cents; 0 if it would be negative. */
export const share = (cents: number, numerator: number, denominator: number): number =>
  Math.max(0, rounded(cents * numerator, denominator));

/** The quotient of whole numbers, rounded half up. */
export const rounded = (numerator: number, denominator: number): number =>
  Math.floor((2 * numerator + denominator) / (2 * denominator));

export const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, each) => sum + each, 0);
