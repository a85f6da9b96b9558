import { http } from '#platform/http/http.ts';
import type { GridAnswer } from './grids.ts';

/** GET a page of a grid; undefined if it failed, or if `signal` aborted it. */
export async function loadGrid(
  path: string,
  searchParams: Record<string, string>,
  signal: AbortSignal,
): Promise<GridAnswer | undefined> {
  try {
    return await http.get(path, { searchParams, signal, retry: 0 }).json<GridAnswer>();
  } catch {
    return undefined; // whatever the reason, the person can only try again
  }
}
