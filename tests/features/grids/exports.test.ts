import { describe, expect, test } from 'vitest';
import { readXlsx } from '#platform/tabular/xlsx-reader.server.ts';
import { gridAnswer } from '#features/base/grids/grids.ts';
import { CSV_START } from '#platform/tabular/csv-writer.ts';
import { db } from '#platform/database/database.server.ts';
import { writeXlsx } from '#platform/tabular/xlsx-writer.server.ts';
import { apiAs } from '../../support/api.ts';
import { CANARY, makeCast, person } from '../../support/cast.ts';
import { unzip } from '../../support/workbook.ts';
import '../../../src/app.server.ts';

const { ada, sam, firmOne } = await makeCast();
const PATH = '/api/staff/v1/grids/people';

const sheetOf = async (
  rows: readonly (readonly (string | number | { at: Temporal.PlainDateTime } | undefined)[])[],
) => {
  async function* all() {
    yield* rows;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of writeXlsx(all(), {
    sheetName: 'A/B [1]',
    columns: 3,
    modifiedAt: Date.UTC(2026, 0, 1),
  }))
    chunks.push(chunk);
  return unzip(Buffer.concat(chunks));
};

describe('the workbook of an export', () => {
  test('a text in a workbook stays text, whatever it begins with', async () => {
    const texts = ['=1+1', '+1', '-1', '@x', '\tx', '＝1', '<b>&"', 'a\u0000b', '  two  ', '\ud800'];
    const files = await sheetOf([['name'], ...texts.map((text) => [text])]);
    const sheet = files.get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet).not.toContain('<f>');
    expect([...sheet.matchAll(/t="inlineStr"/g)]).toHaveLength(texts.length + 1);
    expect(sheet).toContain('&lt;b&gt;&amp;&quot;');
    expect(sheet).toContain('<t xml:space="preserve">ab</t>');
    expect(files.get('xl/workbook.xml')).toContain('name="A B  1"');
  });

  test('numbers and moments are cells of their types', async () => {
    const at = Temporal.PlainDateTime.from('2026-11-23T12:00');
    const sheet = (await sheetOf([['a'], [12.5, undefined, { at }]])).get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet).toContain('<c r="A2"><v>12.5</v></c><c r="C2" s="2"><v>46349.5</v></c>');
  });

  test('a workbook is written while its rows are read, and reading stops with the one who reads', async () => {
    let read = 0;
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          read += 1;
          yield [`row ${read} ${'x'.repeat(400)}`];
        }
      } finally {
        isClosed = true;
      }
    }
    const stream = writeXlsx(endless(), { sheetName: 'x', columns: 1, modifiedAt: 0 });
    for (let chunks = 0; chunks < 40; chunks += 1) await stream.next();
    expect(read).toBeLessThan(50_000);
    await stream.return();
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe('the export of a grid', () => {
  test('an export has all matching rows and all columns, formulas as text, and is audited', async () => {
    const guest = await person(firmOne, '=HYPERLINK("x") Eve', 'eve@one.example');
    const csv = await apiAs(sam)('GET', `${PATH}/export?format=csv`);
    expect([csv.status, csv.headers.get('content-type'), csv.headers.get('cache-control')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ]);
    const text = Buffer.from(await csv.arrayBuffer()).toString();
    expect(text.startsWith(CSV_START)).toBe(true);
    expect(text.split('\r\n')[0]).toBe(`${CSV_START}Name,Email address,Role,Clients,Status,Last active`);
    expect(text).toContain(`"'=HYPERLINK(""x"") Eve",eve@one.example`);
    expect(text).toContain('Cleo Cedar,cleo@one.example');
    expect(text).not.toContain(CANARY);
    const found = Buffer.from(
      await (await apiAs(sam)('GET', `${PATH}/export?format=csv&searchTerm=cleo&lang=pt`)).arrayBuffer(),
    ).toString();
    expect(found.trimEnd().split('\r\n')).toHaveLength(2);
    expect(found, 'spreadsheets in Portuguese split at semicolons').toMatch(/^\uFEFF[^,;]+;[^,;]+;/);
    const xlsx = Buffer.from(await (await apiAs(sam)('GET', `${PATH}/export?searchTerm=eve`)).arrayBuffer());
    const read = await readXlsx(xlsx);
    expect('rows' in read && read.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
      ['=HYPERLINK("x") Eve', 'eve@one.example'],
    ]);
    const sheet = unzip(xlsx).get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet).toContain('<is><t xml:space="preserve">=HYPERLINK(&quot;x&quot;) Eve</t></is>');
    const entries = await db()
      .selectFrom('audit')
      .select('details')
      .where('action', '=', 'grid.export')
      .where('actor', '=', sam.contactId)
      .execute();
    expect(entries.map(({ details }) => details.includes('"grid":"people"'))).toEqual([true, true, true]);
    expect(guest.staff).toBe(false);
  });

  test('contacts get neither the rows nor an export, and invalid parameters are refused', async () => {
    for (const address of [PATH, `${PATH}/export`])
      expect((await apiAs(ada)('GET', address)).status).toBe(403);
    for (const query of [
      'sort=email',
      'sort=full_name',
      'group=name',
      'limit=1000',
      'limit=0',
      'filter={}',
      'after=x',
      'unknown=1',
    ])
      expect((await apiAs(sam)('GET', `${PATH}?${query}`)).status, query).toBe(422);
    const answer = gridAnswer.parse(
      await (await apiAs(sam)('GET', `${PATH}?limit=2&who=contacts&lang=fr`)).json(),
    );
    expect([answer.total, answer.start, answer.groups, typeof answer.next]).toEqual([4, 0, [], 'string']);
    expect(answer.rows).toHaveLength(2);
  });
});
