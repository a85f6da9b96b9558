import type { Actor } from '#features/base/people/people.ts';
import { queryOf } from '#platform/forms/lists.server.ts';
import { gridQueryOf, type Grid } from './define.server.ts';
import { countRows } from './reading.server.ts';

/** Counts what the page of a grid lists at an address with these parameters, as far as the page itself counts it. */
export async function countOfPage<Row>(
  grid: Grid<Row>,
  actor: Actor,
  parameters: Readonly<Record<string, string>>,
): Promise<{ n: number; isMore: boolean }> {
  const query = gridQueryOf(
    grid,
    queryOf({ schema: grid.parameters }, new URLSearchParams({ ...parameters })),
  );
  const { total, isCut } = await countRows(grid, actor, query);
  return { n: total, isMore: isCut };
}
