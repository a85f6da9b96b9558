import { DAY } from '#platform/runtime/clock.server.ts';
import { unzip } from './workbook.ts';

/** The dates among the cells of an exported workbook (ISO 8601): those of the format of dates, not texts. */
export async function datesIn(answer: Response): Promise<string[]> {
  const sheet = unzip(Buffer.from(await answer.arrayBuffer())).get('xl/worksheets/sheet1.xml') ?? '';
  return [...sheet.matchAll(/s="3"><v>(\d+)<\/v>/g)].map(([, days]) =>
    new Date(Date.parse('1899-12-30') + Number(days) * DAY).toISOString().slice(0, 10),
  );
}
