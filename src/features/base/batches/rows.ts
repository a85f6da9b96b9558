import { z } from 'zod';

/* The rows of batches whose every row is confirmed first, and of which some are left out. */

const ROW_STATES = ['waiting', 'skipped', 'done', 'failed', 'undone', 'kept'] as const;
export type RowState = (typeof ROW_STATES)[number];

export const ROWS_A_PAGE = 50;

/** Which rows a page lists, and from which on. */
export const rowQuery = z.strictObject({
  show: z.enum(['all', 'problems', 'waiting', 'done']).default('all'),
  from: z.coerce.number().int().min(0).max(1_000_000).default(0),
});
export type RowQuery = z.output<typeof rowQuery>;

/** The states of the rows that are listed. */
export const LISTED_STATES: Readonly<Record<RowQuery['show'], readonly RowState[]>> = {
  all: ROW_STATES,
  problems: ['skipped', 'failed', 'kept'],
  waiting: ['waiting'],
  done: ['done', 'undone'],
};

/** How many rows are in each state. */
export const countByState = (
  counted: readonly { state: RowState; count: number | string | bigint }[],
): Record<RowState, number> => {
  const none = { waiting: 0, skipped: 0, done: 0, failed: 0, undone: 0, kept: 0 };
  return { ...none, ...Object.fromEntries(counted.map(({ state, count }) => [state, Number(count)])) };
};
