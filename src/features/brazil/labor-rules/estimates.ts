import { sumOf } from './amounts.ts';

/* An estimate as lines: what is due, what is deducted, and how each was computed. Amounts are cents, never negative. */

export interface EstimateLine<Key extends string = string> {
  key: Key;
  /** Paid, deducted, or only for information: it is in no sum. */
  kind: 'due' | 'deducted' | 'noted';
  cents: number;
  /** How it was computed; names that end in `Cents` are amounts. */
  vars: Readonly<Record<string, string | number>>;
  law: string;
}

export interface Totals {
  due: number;
  deducted: number;
  net: number;
}

export function totalsOf(lines: readonly EstimateLine[]): Totals {
  const of = (kind: EstimateLine['kind']): number =>
    sumOf(lines.filter((line) => line.kind === kind).map(({ cents }) => cents));
  const [due, deducted] = [of('due'), of('deducted')];
  return { due, deducted, net: due - deducted };
}
