import { median } from './report.ts';

/**
 * Measures everything once, then everything again, `rounds` times, so that other load on the machine affects
 * all alike; returns medians by name.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  const found = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) found.get(name)?.push(await measures[name]());
  return Object.fromEntries(names.map((name) => [name, median(found.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}
