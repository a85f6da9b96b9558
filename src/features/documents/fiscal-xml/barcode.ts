/*
 * Code 128 of access keys, as printed documents have them: pairs of digits in code set C, and letters of a CNPJ in code
 * set A.
 */

/** The widths of bars and spaces of each symbol, of 11 modules, and of the end. */
const SYMBOLS =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'.split(
    ' ',
  );
const [TO_C, TO_A, START_C, STOP] = [99, 101, 105, 106];
const MODULUS = 103;

export interface Bar {
  x: number;
  width: number;
}

/** The bars of a key of 44 characters, in modules from the left, and their width together; undefined for others. */
export function barcodeOf(key: string): { bars: Bar[]; width: number } | undefined {
  if (!/^\d{6}[A-Z\d]{12}\d{26}$/.test(key)) return undefined;
  const symbols = [START_C, ...symbolsOf(key)];
  const sum = symbols.reduce((all, symbol, at) => all + symbol * Math.max(at, 1), 0);
  const bars: Bar[] = [];
  let x = 0;
  for (const symbol of [...symbols, sum % MODULUS, STOP])
    for (const [at, digit] of [...(SYMBOLS[symbol] ?? '')].entries()) {
      if (at % 2 === 0) bars.push({ x, width: Number(digit) });
      x += Number(digit);
    }
  return { bars, width: x };
}

const pairsIn = (digits: string): number[] => (digits.match(/../g) ?? []).map(Number);

function symbolsOf(key: string): number[] {
  if (/^\d+$/.test(key)) return pairsIn(key);
  const letters = [...key.slice(6, 18)].map((character) => character.charCodeAt(0) - 32);
  return [...pairsIn(key.slice(0, 6)), TO_A, ...letters, TO_C, ...pairsIn(key.slice(18))];
}
