import { inBatches } from '../database/database.server.ts';
import { contributedByName } from './feature.server.ts';
import type { Lang } from '../text/languages.ts';

/** Who reads names. */
interface NamesReader {
  lang: Lang;
  /** The contact who reads them; undefined for the firm. */
  contactId: string | undefined;
}

/** Finds the current names of things with these ids; without what is deleted. The caller has checked who may know them. */
export type NamesOf = (
  ids: readonly string[],
  reader: NamesReader,
) => Promise<readonly { id: string; name: string }[]>;

/** The current names of things of all kinds, by id, as the features declare them. Ids of unknown kinds have none. */
export async function namesOf(ids: readonly string[], reader: NamesReader): Promise<Map<string, string>> {
  const finders = contributedByName('names');
  const names = new Map<string, string>();
  for (const [kind, wanted] of Map.groupBy(new Set(ids), (id) => id.split('_', 1)[0] ?? '')) {
    const find = finders.get(kind);
    if (!find) continue;
    for (const some of inBatches(wanted))
      for (const { id, name } of await find(some, reader)) names.set(id, name);
  }
  return names;
}
