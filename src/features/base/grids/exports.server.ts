import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { csvRow, csvSeparator, CSV_START } from '#platform/tabular/csv-writer.ts';
import type { Namespace } from '#platform/text/translations.server.ts';
import { writeXlsx, type SheetCell } from '#platform/tabular/xlsx-writer.server.ts';
import type { CellContext, Grid } from './define.server.ts';
import type { Cell, GridQuery } from './grids.ts';
import { idsOf, rowsOf } from './reading.server.ts';

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface ExportOptions<K extends string> {
  query: GridQuery;
  format: ExportFormat;
  context: CellContext<K>;
}

/**
 * Exports all matching rows with all columns, while they are read: the memory of a thousand rows. The export is audited,
 * and the permissions are checked again before each thousand rows.
 */
export async function exportGrid<Row, K extends string>(
  grid: Grid<Row, Namespace, K>,
  actor: Actor,
  { query, format, context }: ExportOptions<K>,
): Promise<AsyncIterable<string | Buffer>> {
  const { timeZone } = await firmOf(actor.companyId);
  await grid.open(actor, query); // refuses before the first byte
  await audit({
    companyId: actor.companyId,
    actor: actor.contactId,
    action: grid.exportAction ?? 'grid.export',
    target: actor.companyId,
    ...(grid.exportAction === undefined && { details: { grid: grid.name } }),
  });
  const rows = tableOf(grid, actor, { query, context });
  return format === 'csv'
    ? asCsv(rows, csvSeparator(context.lang))
    : writeXlsx(asSheet(rows, timeZone), {
        sheetName: context.t(grid.caption),
        columns: Object.keys(grid.columns).length,
        modifiedAt: now(),
      });
}

/** A moment (`at`, epoch ms), a date (`on`, `2026-02-28`), or what is shown. */
type ExportCell = string | number | { at: number } | { on: string };

async function* tableOf<Row, K extends string>(
  grid: Grid<Row, Namespace, K>,
  actor: Actor,
  { query, context }: Pick<ExportOptions<K>, 'query' | 'context'>,
): AsyncGenerator<ExportCell[], void> {
  const columns = Object.values(grid.columns);
  yield columns.map(({ label }) => context.t(label));
  for await (const ids of idsOf(grid, actor, query)) {
    const current = await actorNow(actor);
    for (const row of await rowsOf(grid, current, ids))
      yield columns.map(({ cell, type }): ExportCell => {
        const shown = cell(row, context);
        const { text, at, on }: Cell = typeof shown === 'object' ? shown : { text: shown ?? '' };
        if (at !== undefined) return { at };
        if (on !== undefined) return { on };
        return type === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
      });
  }
}

async function* asCsv(
  rows: AsyncIterable<readonly ExportCell[]>,
  separator: ReturnType<typeof csvSeparator>,
): AsyncGenerator<string, void> {
  yield CSV_START;
  for await (const row of rows) yield csvRow(row.map(csvCell), separator);
}

function csvCell(cell: ExportCell): string | number {
  if (typeof cell !== 'object') return cell;
  return 'on' in cell ? cell.on : new Date(cell.at).toISOString();
}

async function* asSheet(
  rows: AsyncIterable<readonly ExportCell[]>,
  timeZone: string,
): AsyncGenerator<SheetCell[], void> {
  for await (const row of rows) yield row.map((cell) => sheetCell(cell, timeZone));
}

function sheetCell(cell: ExportCell, timeZone: string): SheetCell {
  if (typeof cell !== 'object') return cell;
  if ('on' in cell) return { on: Temporal.PlainDate.from(cell.on) };
  return {
    at: Temporal.Instant.fromEpochMilliseconds(cell.at).toZonedDateTimeISO(timeZone).toPlainDateTime(),
  };
}
