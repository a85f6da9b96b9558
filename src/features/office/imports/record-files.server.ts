import { Readable } from 'node:stream';
import type { Actor } from '#features/base/people/people.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { csvOf, csvSeparator } from '#platform/tabular/csv-writer.ts';
import { withFormulaQuote } from '#platform/tabular/formula-quotes.ts';
import { writeXlsx } from '#platform/tabular/xlsx-writer.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { fieldLabel } from './field-labels.server.ts';
import { problemRows } from './imports.server.ts';
import { recordKind } from './kinds.server.ts';
import { problemSentences } from './problem-sentences.server.ts';

/**
 * All records of a kind as a file, such as `clients.csv`, with the columns that an import takes, in the
 * language of the reader. NOT_FOUND for any other name; FORBIDDEN as for an import. The export is audited.
 */
export async function recordFile(actor: Actor, lang: Lang, name: string): Promise<Response> {
  const [stem = '', type = ''] = name.split('.');
  if (type !== 'csv' && type !== 'xlsx') throw notFound();
  const { kind, title, fields, assertMay, list } = recordKind(stem);
  assertMay(await actorNow(actor));
  const rows = await list(actor);
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: 'records.export',
    target: actor.companyId,
    details: { kind, rows: rows.length },
  });
  const header = fields.map((field) => fieldLabel(lang, field.name));
  if (type === 'csv') return csvFile(name, csvOf(header, rows, csvSeparator(lang)));
  const sheet = { sheetName: translate(lang, title), columns: header.length, modifiedAt: now() };
  return xlsxFile(name, writeXlsx(sheetRows([header, ...rows]), sheet));
}

/**
 * In a workbook a text that begins like a formula is a text. Only one that begins with an apostrophe needs
 * another one, since an import takes the first as added by the export of CSV.
 */
async function* sheetRows(rows: readonly (readonly string[])[]): AsyncGenerator<string[], void> {
  for (const row of rows) yield row.map((text) => (text.startsWith("'") ? withFormulaQuote(text) : text));
}

/** The rows of an import that have a problem, with it in the last column, which an import leaves out. */
export async function problemsFile(actor: Actor, lang: Lang, importId: string): Promise<Response> {
  const { columns, rows } = await problemRows(actor, importId);
  const t = translationsFor(lang, 'imports');
  const lines = rows.map((row) => [...row.cells, String(row.line), problemSentences(lang, row)]);
  return csvFile(
    'problems.csv',
    csvOf([...columns, t('columnLine'), t('columnProblem')], lines, csvSeparator(lang)),
  );
}

const xlsxFile = (name: string, bytes: AsyncIterable<Buffer>): Response =>
  new Response(Readable.toWeb(Readable.from(bytes, { objectMode: false })) as unknown as BodyInit, {
    headers: {
      'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  });

const csvFile = (name: string, text: string): Response =>
  new Response(text, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  });
