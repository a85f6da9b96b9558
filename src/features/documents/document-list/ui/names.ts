const MOST = 56;
const TAIL = 18;

/** Shortens a long name in the middle, so that its extension stays, without splitting characters. */
export function shortName(name: string): string {
  const characters = [...name];
  if (characters.length <= MOST) return name;
  return `${characters.slice(0, MOST - TAIL - 1).join('')}…${characters.slice(-TAIL).join('')}`;
}
