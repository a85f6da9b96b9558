import type { Actor } from '#features/base/people/people.ts';
import { contributedByName } from '#platform/runtime/feature.server.ts';

/** Counts something for each of some people, in few statements. */
type Count = (actors: readonly Actor[]) => Promise<number[]>;

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** What open pages are told the number of, by name. Numbers only: a page asks for what they count. */
    liveCounts: Readonly<Record<string, Count>>;
  }
}

/** What each of these people is told. */
export async function loadCounts(actors: readonly Actor[]): Promise<Record<string, number>[]> {
  const counts: Record<string, number>[] = actors.map(() => ({}));
  for (const [name, count] of contributedByName('liveCounts'))
    for (const [place, number] of (await count(actors)).entries())
      Object.assign(counts[place] ?? {}, { [name]: number });
  return counts;
}
