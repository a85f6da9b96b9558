import type { Actor } from '#features/people/people.ts';
import { now } from '#platform/clock.server.ts';
import type { Lang } from '#platform/languages.ts';
import { dayOf } from '#platform/time-zones.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { CONTAINER_TYPES, type ContainerType } from './documents.ts';
import { containersOf, documentsNamed } from './store.server.ts';

/** The names of those of these documents that the actor may see, by their ids. */
export async function documentNames(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  return new Map((await documentsNamed(actor, ids)).map((row) => [row.document_id, row.name]));
}

/** The names and kinds of those of these containers that the actor may see, by their ids. */
export async function containerNames(
  actor: Actor,
  ids: readonly string[],
): Promise<Map<string, { name: string; containerType: ContainerType }>> {
  if (ids.length === 0) return new Map();
  const rows = await containersOf(actor).where('containers.container_id', 'in', ids).execute();
  return new Map(
    rows.map((row) => [
      row.container_id,
      { name: row.name, containerType: CONTAINER_TYPES[row.container_type] },
    ]),
  );
}

/** The name of a scan until somebody gives it another, by the day in a firm's zone: 'Scan 2026-11-21'. */
export const scanName = (lang: Lang, timeZone: string): string =>
  translationsFor(lang, 'scan')('defaultName', { date: dayOf(now(), timeZone) });
