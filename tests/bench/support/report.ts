import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A target: for the value itself, or for its ratio to the baseline. */
export interface Reach {
  of?: 'figure' | 'ratio';
  most?: number;
  least?: number;
}

/**
 * One metric. `baseline` was measured in turns with it and has the same unit; the ratio is value : baseline
 * unless `inverse`.
 */
export interface Row {
  what: string;
  unit: string;
  figure: number;
  baseline?: number;
  /**
   * The ratio is baseline : value, for metrics where less is better and the target is a share of the
   * baseline's speed.
   */
  inverse?: boolean;
  reach?: Reach[];
  note?: string;
}

export interface Table {
  title: string;
  rows: Row[];
}

export interface Report {
  title: string;
  /** How it was measured, one sentence per line. */
  how: string[];
  tables: Table[];
  notes?: string[];
}

const HEAD = ['what', 'measured', 'baseline', 'ratio', 'reach', 'verdict', ''] as const;
const folder = path.join(import.meta.dirname, '../../../docs/benchmarks');

/** Prints a part's tables and writes them, with the machine and the date, to docs/benchmarks/<part>.md. */
export function publish(part: string, report: Report, args: readonly string[]): void {
  const text = markdown(report, args);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${part}.md`), text);
  process.stdout.write(`${text}\n`);
}

function markdown({ title, how, tables, notes = [] }: Report, args: readonly string[]): string {
  const parts = [
    `# ${title}`,
    how.join('\n'),
    machine(args),
    ...tables.flatMap((table) => [`## ${table.title}`, asTable(table.rows)]),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function asTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    amount(row.figure, row.unit),
    row.baseline === undefined ? '' : amount(row.baseline, row.unit),
    ratio(row),
    reaches(row),
    verdict(row),
    row.note ?? '',
  ]);
  const filled = HEAD.map((_, column) => column === 0 || cells.some((cell) => cell[column] !== ''));
  const line = (cell: readonly string[]) => `| ${cell.filter((_, column) => filled[column]).join(' | ')} |`;
  return [
    line(HEAD),
    line(HEAD.map((_, column) => (column > 0 && column < 4 ? '---:' : '---'))),
    ...cells.map(line),
  ].join('\n');
}

const ratioOf = ({ figure, baseline, inverse }: Row): number | undefined =>
  baseline === undefined || baseline === 0 || figure === 0
    ? undefined
    : inverse
      ? baseline / figure
      : figure / baseline;

function ratio(row: Row): string {
  const value = ratioOf(row);
  return value === undefined ? '' : rounded(value);
}

function reaches(row: Row): string {
  return (row.reach ?? [])
    .map(
      ({ of = 'figure', most, least }) =>
        `${most === undefined ? '≥' : '≤'} ${of === 'ratio' ? `${rounded(most ?? least ?? 0)} ×` : amount(most ?? least ?? 0, row.unit)}`,
    )
    .join(', ');
}

/** `met`, or by how much each target is missed. */
export function verdict(row: Row): string {
  if (!row.reach?.length) return '';
  if (Number.isNaN(row.figure)) return 'not measured';
  const missed = row.reach.flatMap(({ of = 'figure', most, least }) => {
    const value = of === 'ratio' ? ratioOf(row) : row.figure;
    const unit = of === 'ratio' ? '×' : row.unit;
    if (value === undefined) return ['not measured'];
    if (most !== undefined && value > most) return [`missed by ${amount(value - most, unit)}`];
    if (least !== undefined && value < least) return [`missed by ${amount(least - value, unit)}`];
    return [];
  });
  return missed.length === 0 ? 'met' : `**${missed.join(', ')}**`;
}

const amount = (value: number, unit: string): string =>
  Number.isNaN(value) ? '–' : `${rounded(value)} ${unit}`.trim();

/** Three significant digits match the precision of such measurements. */
export function rounded(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) });
}

function machine(args: readonly string[]): string {
  const [cpu] = os.cpus();
  const load = os.loadavg().map((value) => value.toFixed(1));
  const facts = [
    `${cpu?.model ?? 'unknown processor'}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 1e9)} GB`,
    `Node ${process.versions.node} on ${os.type()} ${os.release()}`,
    `load ${load.join(' ')} at the end`,
    new Date().toISOString().slice(0, 16).replace('T', ' '),
  ];
  return `${facts.join('; ')} UTC. \`npm run bench -- ${args.join(' ')}\``.replace(' -- `', '`');
}

/** The median of some measurements; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
