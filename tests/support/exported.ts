import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { contentsOf } from '#features/office/data-exports/contents.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/** The files of an export of all data by their paths, as its job would write them; of the firm if `clientId` is null. */
export async function exportOf(
  actor: Actor,
  clientId: string | null,
  lang: Lang = 'en-us',
): Promise<Map<string, Buffer>> {
  const scope = { actor, firm: await firmOf(actor.companyId), clientId, lang, createdAt: now() };
  const files = new Map<string, Buffer>();
  for await (const entry of contentsOf(scope, () => Promise.resolve())) {
    if (files.has(entry.name)) throw new Error(`${entry.name} is in the export twice.`);
    files.set(entry.name, 'open' in entry ? await buffer(entry.open()) : await bytesOf(entry.content()));
  }
  return files;
}

async function bytesOf(content: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(typeof part === 'string' ? Buffer.from(part) : part);
  return Buffer.concat(parts);
}

/** The rows of a table of such an export, by the headings of its columns. */
export function tableIn(files: ReadonlyMap<string, Buffer>, path: string): Record<string, string>[] {
  const file = files.get(path);
  if (!file) throw new Error(`${path} is not in the export, but ${[...files.keys()].join(', ')}`);
  return parse<Record<string, string>>(file, { bom: true, columns: true, delimiter: [',', ';'] });
}
