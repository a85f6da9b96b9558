import { VERSIONS_FIELD } from './rules.ts';

/** The versions in a posted form, if it has them. If they cannot be read, every answer counts as new. */
export function versionsIn(posted: FormData): ReadonlyMap<string, number> | undefined {
  const text = posted.get(VERSIONS_FIELD);
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(
      Object.entries(value).filter((each): each is [string, number] => Number.isInteger(each[1])),
    );
  } catch {
    return new Map();
  }
}
