import { ADDED, DEDUCTED, INCLUDED, type Totals } from '../fiscal-xml.ts';

type Name = (typeof ADDED)[number] | (typeof DEDUCTED)[number] | (typeof INCLUDED)[number];
export type Amounts = Partial<Record<Name, string>>;

/**
 * Amounts that some programs leave out of the total, although they are named: import duty in notes of one's own
 * import, and relief from ICMS that is not deducted (indDeduzDeson of the NF-e).
 */
const OPTIONAL: readonly Name[] = ['sumRelief', 'sumImport'];

/** Groups the amounts of a document as the printed one does, so that the parts add up to the total. */
export function totalsOf(amounts: Amounts, total: string): Totals {
  const shown = <Group extends Name>(names: readonly Group[]) =>
    names.flatMap((name) => (cents(amounts[name]) === 0 ? [] : [{ name, amount: amounts[name] ?? '' }]));
  const parts = [...shown(ADDED), ...shown(DEDUCTED)];
  const included = shown(INCLUDED);
  if (parts.length === 0) return { parts, total, difference: '', included };
  const isOptional = ({ name }: { name: Name }): boolean => OPTIONAL.includes(name);
  const ways = [
    parts,
    ...OPTIONAL.map((left) => parts.filter(({ name }) => name !== left)),
    parts.filter((part) => !isOptional(part)),
  ];
  const added = ways.find((way) => sumOf(way) === cents(total)) ?? parts;
  const leftOut = parts.filter((part) => !added.includes(part));
  const difference = cents(total) - sumOf(added);
  return {
    parts: added,
    total,
    difference: difference === 0 ? '' : (difference / 100).toFixed(2),
    included: [...included, ...leftOut],
  };
}

const sumOf = (parts: Totals['parts']): number =>
  parts.reduce(
    (sum, { name, amount }) => sum + (DEDUCTED.some((each) => each === name) ? -1 : 1) * cents(amount),
    0,
  );

/** An amount, of two decimals by the manual, in cents; 0 for what is no number. */
const cents = (amount = ''): number => Math.round((Number(amount) || 0) * 100);
