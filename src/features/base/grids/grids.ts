import { z } from 'zod';
import { CHIP_ICONS, CHIP_TONES } from '#ui/chips.ts';

/** The filter operators of the spec (spec 2, section 3). `!` negates; BLANK is null or an empty text. */
export const OPERATORS = [
  'BLANK',
  '!BLANK',
  'LIKE',
  'LT',
  'LE',
  'GT',
  'GE',
  'EQ',
  '!EQ',
  'BETWEEN',
  '!BETWEEN',
  'IN',
  '!IN',
] as const;

/** The most that a filter may have. */
const MAX_GROUPS = 10;
const MAX_ITEMS = 20;
const MAX_VALUES = 200;
const MAX_TEXT = 200;

const scalar = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]);
const item = z.strictObject({
  by: z.string().max(60),
  op: z.enum(OPERATORS),
  value: z.union([scalar, z.array(scalar).min(1).max(MAX_VALUES)]).optional(),
});

/**
 * The filter of a grid (spec 2, section 3): groups are joined by *and*, the items of a group by *and*, or by *or* with
 * `useOr`. Which columns and which types of values there are, depends on the grid (filters.server.ts).
 */
export const gridFilter = z.strictObject({
  groups: z
    .array(z.strictObject({ useOr: z.boolean().default(false), items: z.array(item).min(1).max(MAX_ITEMS) }))
    .max(MAX_GROUPS),
});
export type GridFilter = z.infer<typeof gridFilter>;
export type FilterItem = z.infer<typeof item>;
export type FilterScalar = z.infer<typeof scalar>;

/** At most four columns group the rows (spec 2, section 9). */
export const MAX_GROUPED = 4;

/** The value that the rows of a group have in common; null where they have none. */
const groupKey = z.union([z.string(), z.number()]).nullable();
export type GroupKey = z.infer<typeof groupKey>;
export const groupPath = z.array(groupKey).max(MAX_GROUPED);

/** A query of a grid, as pages have it in their address and calls in their parameters. */
export interface GridQuery {
  searchTerm: string;
  /** The values of the plain filter fields, by name. */
  fields: Readonly<Record<string, string>>;
  filter: GridFilter | undefined;
  orderBy: readonly { by: string; dir: 'asc' | 'desc' }[];
  groupBy: readonly string[];
  /** The opened groups, from the outermost: shorter than `groupBy` lists the groups in it, as long its rows. */
  path: readonly GroupKey[];
  after: string | undefined;
  /** The active client, of a grid of that client's rows. */
  client?: string | undefined;
}

/** A cell as data, which the page, the island and exports render. Text stays text. */
const cell = z.strictObject({
  text: z.string(),
  href: z.string().optional(),
  /** A moment (epoch ms), shown in the reader's time zone. */
  at: z.number().optional(),
  /** The date that the text shows, `2026-02-28`. */
  on: z.string().optional(),
  /** Secondary text after the text. */
  note: z.string().optional(),
  /** Something went wrong: the text gets an icon and the color of danger. */
  isProblem: z.boolean().optional(),
  /** The text is a state, which looks like this. */
  chip: z.strictObject({ tone: z.enum(CHIP_TONES), icon: z.enum(CHIP_ICONS) }).optional(),
  /** The whole text, where the cell shows less. */
  title: z.string().optional(),
});
export type Cell = z.infer<typeof cell>;

const gridRow = z.strictObject({
  id: z.string(),
  /** The name of the row for screen readers. */
  name: z.string(),
  cells: z.record(z.string(), cell),
  /** Links, and buttons of a form of the page. */
  actions: z.array(
    z.union([
      z.strictObject({ label: z.string(), href: z.string() }),
      z.strictObject({ label: z.string(), name: z.string(), value: z.string(), form: z.string() }),
    ]),
  ),
  isNew: z.boolean().optional(),
});
export type GridRow = z.infer<typeof gridRow>;

const groupRow = z.strictObject({
  group: z.string(),
  key: groupKey,
  text: z.string(),
  count: z.number(),
  level: z.number(),
});
export type GroupRow = z.infer<typeof groupRow>;

/** A page of a grid: rows, or groups while the path is shorter than the list of grouped columns. */
export const gridAnswer = z.strictObject({
  rows: z.array(gridRow),
  groups: z.array(groupRow),
  /** The number of matching rows; with `isCut` there are more. */
  total: z.number(),
  isCut: z.boolean(),
  /** The position of the first row of the page. */
  start: z.number(),
  /** The `after` of the next and of the previous page; null where there is none. */
  next: z.string().nullable(),
  previous: z.string().nullable(),
});
export type GridAnswer = z.infer<typeof gridAnswer>;
