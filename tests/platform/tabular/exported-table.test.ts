import { expect, test } from 'vitest';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';

/** Tables in exports of all data: for people, in their language, and safe to open in a spreadsheet. */

async function* rowsOf<Row>(...rows: Row[]) {
  await Promise.resolve();
  yield* rows;
}

const written = async (table: AsyncIterable<string>): Promise<string> =>
  (await Array.fromAsync(table)).join('');

test('columns and words are in the language of the export, numbers as spreadsheets there read them', async () => {
  const row = { at: { at: 0 }, state: { word: 'signed' }, isByFirm: true, amount: { minor: 123_450 } };
  const columns = ['at', 'state', 'isByFirm', 'amount'] as const;
  expect(await written(exportedTable('en-us', columns, rowsOf(row)))).toBe(
    '\uFEFFTime (UTC),State,By the firm,Amount\r\n1970-01-01T00:00:00.000Z,Signed,Yes,1234.50\r\n',
  );
  expect(await written(exportedTable('pt', columns, rowsOf(row)))).toBe(
    '\uFEFFData e hora (UTC);Situação;Do escritório;Valor\r\n1970-01-01T00:00:00.000Z;Assinado;Sim;"1234,50"\r\n',
  );
});

test('what a spreadsheet would execute is text, and a word that is not known is shown as it is', async () => {
  const rows = rowsOf({ text: '=1+1', state: { word: 'new-kind' } }, { text: 'a,"b"\nc', state: null });
  expect(await written(exportedTable('en-us', ['text', 'state'], rows))).toBe(
    `\uFEFFText,State\r\n'=1+1,new-kind\r\n"a,""b""\nc",\r\n`,
  );
});

test('a table without rows is empty, so that the export leaves it out', async () => {
  expect(await written(exportedTable('en-us', ['text'], rowsOf<{ text: string }>()))).toBe('');
});
