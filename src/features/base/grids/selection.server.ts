import { z } from 'zod';
import type { Actor } from '#features/base/people/people.ts';
import { queryOf } from '#platform/forms/lists.server.ts';
import { gridQueryOf, type Grid } from './define.server.ts';
import { idsOf } from './reading.server.ts';

const MAX_NAMED = 1000;
const ids = z.array(z.string().max(60)).max(MAX_NAMED);

/**
 * The ids of the rows that a form of a grid selects, a batch at a time: those named, or all that match its query but for
 * some. All of them are rows that the actor may see.
 */
export async function* selectedIds<Row>(
  grid: Grid<Row>,
  actor: Actor,
  form: FormData,
): AsyncGenerator<string[], void> {
  const all = form.get('all');
  const named = new Set(ids.parse(form.getAll(typeof all === 'string' ? 'except' : 'id')));
  const parameters = new URLSearchParams(typeof all === 'string' ? all : '');
  const query = gridQueryOf(grid, queryOf({ schema: grid.parameters }, parameters));
  for await (const batch of idsOf(grid, actor, { ...query, groupBy: [], path: [] })) {
    const chosen = batch.map(String).filter((id) => named.has(id) === (typeof all !== 'string'));
    if (chosen.length > 0) yield chosen;
  }
}
