import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { fieldLabel } from './field-labels.server.ts';
import { HEADERS } from './fields.ts';
import type { Import, ImportKind } from './imports.ts';
import { cellsOf, columnsOf, importsOf, textsOf } from './internal/rows.server.ts';
import { recordKind } from './kinds.server.ts';

const EARLIER = 20;

/**
 * Proposes the field of each column: as the firm assigned a column of that name before, else by the names
 * that its fields have in any language. Every field once.
 */
export async function proposedMapping(actor: Actor, { kind, columns }: Import): Promise<string[]> {
  const earlier = await earlierFields(actor, kind);
  const known = knownHeaders(kind);
  const taken = new Set<string>();
  return columns.map((column) => {
    const header = headerKey(column);
    const field = earlier.get(header) ?? known.get(header) ?? '';
    if (field === '' || taken.has(field)) return '';
    taken.add(field);
    return field;
  });
}

/** A name of a column without case, accents and punctuation. */
const headerKey = (name: string): string =>
  fold(name)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The fields of columns by their names, as in the firm's last imports; the newest wins. */
async function earlierFields(actor: Actor, kind: ImportKind): Promise<Map<string, string>> {
  const rows = await importsOf(actor)
    .select(['imports.import_id', 'imports.columns', 'imports.mapping'])
    .where('imports.kind', '=', kind)
    .where('imports.mapping', '<>', '[]')
    .orderBy('batches.created_at', 'desc')
    .limit(EARLIER)
    .execute();
  const fields = new Map<string, string>();
  for (const row of rows.toReversed()) {
    const mapping = textsOf(row.mapping);
    for (const [index, column] of columnsOf(row).entries())
      if (column !== '') fields.set(headerKey(column), mapping[index] ?? '');
  }
  return fields;
}

function knownHeaders(kind: ImportKind): Map<string, string> {
  const headers = new Map<string, string>();
  for (const { name, headers: own = HEADERS[name] ?? [] } of recordKind(kind).fields)
    for (const header of [name, ...LANGS.map((lang) => fieldLabel(lang, name)), ...own])
      if (!headers.has(headerKey(header))) headers.set(headerKey(header), name);
  return headers;
}

const SAMPLES = 3;

/** The first values of each column that are not empty. */
export async function samplesOf({ id, columns }: Import): Promise<string[][]> {
  const rows = await db()
    .selectFrom('import_rows')
    .select(['import_id', 'number', 'cells'])
    .where('import_id', '=', id)
    .orderBy('number')
    .limit(SAMPLES * 5)
    .execute();
  const cells = rows.map(cellsOf);
  return columns.map((_, column) =>
    [...new Set(cells.map((row) => row[column] ?? ''))].filter(Boolean).slice(0, SAMPLES),
  );
}
