import type { Actor } from '#features/base/people/people.ts';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { RecordKind } from './record-kind.ts';

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** The kinds of records that it imports from spreadsheets, by their names in addresses and calls. */
    importKinds: Readonly<Record<string, RecordKind>>;
  }
}

/** The kind of this name; NOT_FOUND. */
export function recordKind(name: string): RecordKind {
  const kind = contributedByName('importKinds').get(name);
  if (!kind) throw notFound();
  return kind;
}

export const isImportKind = (name: string): boolean => contributedByName('importKinds').has(name);

/** The kinds of records that the actor may import and export, in the order of the page. */
export const importKindsFor = (actor: Actor): string[] =>
  [...contributedByName('importKinds')]
    .toSorted(([, one], [, other]) => one.order - other.order)
    .flatMap(([name, kind]) => (isOpenTo(actor, kind) ? [name] : []));

function isOpenTo(actor: Actor, kind: RecordKind): boolean {
  try {
    kind.assertMay(actor);
    return true;
  } catch {
    return false; // only FORBIDDEN can be thrown
  }
}
