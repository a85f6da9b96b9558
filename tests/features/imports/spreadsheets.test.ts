import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import {
  confirmImport,
  importOf,
  listRows,
  repairNumbers,
  setMapping,
} from '#features/office/imports/imports.server.ts';
import { rowQuery } from '#features/office/imports/imports.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { readAgain, startImport } from '#features/office/imports/uploading.server.ts';

import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { sheet, workbook } from '../../support/workbook.ts';
import { sweepBatches } from '#features/base/batches/sweeping.server.ts';
import { DAY, moveClock } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';

/* What spreadsheets do to numbers and tables before they are imported. */

const { firmOne, firmTwo } = await makeCast();
const stranger = await person(firmTwo, 'Otto Other', 'otto@two.example', { role: 'owner' });
const member = await person(firmOne, 'Marge Member', 'marge@one.example', { role: 'member' });
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });

async function checked(text: string): Promise<string> {
  const bytes = Readable.from([Buffer.from(text)]);
  const id = await startImport(hart, { kind: 'clients', name: 'clients.csv', bytes });
  await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
  await runDueJobs();
  return id;
}
const rowsOf = async (id: string) =>
  (await listRows(hart, id, rowQuery.parse({}))).rows.toSorted((a, b) => a.number - b.number);
const problemsOf = async (id: string) =>
  (await rowsOf(id)).map(({ action, problems }) => [action, ...problems.map(({ code }) => code)]);

describe('zeros that a spreadsheet dropped', () => {
  const LOST =
    'Código;Nome;CNPJ;CPF\nz1;Zero Ltda;1222333000128;\nz2;Fulano;;1234567890\nz3;Outro;1222333000181;\n';

  test('are offered where the check digits fit, and taken for one row or for all', async () => {
    const id = await checked(LOST);
    expect((await rowsOf(id)).map(({ action, repaired }) => [action, repaired])).toEqual([
      ['problem', '01.222.333/0001-28'],
      ['problem', '012.345.678-90'],
      ['problem', undefined],
    ]);
    await repairNumbers(hart, id, 1);
    await runDueJobs();
    expect(await problemsOf(id)).toEqual([['create'], ['problem', 'ZERO_LOST'], ['problem', 'TAX_ID']]);
    await repairNumbers(hart, id);
    await runDueJobs();
    expect(await problemsOf(id)).toEqual([['create'], ['create'], ['problem', 'TAX_ID']]);
    await confirmImport(hart, id, false);
    await runDueJobs();
    const clients = await clientsByCode(hart, ['z1', 'z2']);
    const numbers = await Promise.all(
      [...clients.values()].map(async (client) => (await clientRecord(hart, client)).taxIds),
    );
    expect(numbers).toEqual([
      [{ kind: 'cnpj', number: '01222333000128' }],
      [{ kind: 'cpf', number: '01234567890' }],
    ]);
  });

  test('nobody without the right to import repairs them', async () => {
    const id = await checked(LOST.replaceAll('z', 'y'));
    await expect(repairNumbers(member, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

test('numbers that a spreadsheet shortened, and its errors, are named as what they are', async () => {
  const id = await checked(
    'Código;Nome;CNPJ\ns1;Ciência Ltda;1,12223E+13\n1.2E+16;Huge;\ns2;#N/A;\ns3;#VALOR!;\ns4;#REF!;\n12E3;Real number;\n',
  );
  expect(await problemsOf(id)).toEqual([
    ['problem', 'SCIENTIFIC'],
    ['problem', 'SCIENTIFIC'],
    ['problem', 'CELL_ERROR'],
    ['problem', 'CELL_ERROR'],
    ['problem', 'CELL_ERROR'],
    ['create'],
  ]);
});

test('rows with a problem are listed first, on the first page of many', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => `p${index},Client ${index},`);
  const id = await checked(`code,name,cnpj\n${rows.join('\n')}\np60,Wrong Ltda,1222333000181\n`);
  const { rows: first } = await listRows(hart, id, rowQuery.parse({}));
  expect(first.map(({ number }) => number).slice(0, 3)).toEqual([61, 1, 2]);
  expect(first).toHaveLength(50);
});

describe('another sheet of the file', () => {
  const rows = (...texts: string[][]): string =>
    sheet(texts.map((cells) => cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')));
  const book = (): Buffer =>
    workbook(rows(['Number', 'Name'], ['SH-1', 'First sheet'], ['SH-2', 'Second row']), undefined, {
      Old: rows(['Clients of 2025'], ['Number', 'Name'], ['SH-9', 'Old sheet']),
    });
  const upload = (bytes: Buffer): Promise<string> =>
    startImport(hart, { kind: 'clients', name: 'clients.xlsx', bytes: Readable.from([bytes]) });
  const labels = async (id: string) => (await rowsOf(id)).map(({ label, line }) => `${line} ${label}`);
  const keptFile = async (id: string) =>
    (await db().selectFrom('imports').select('blob_key').where('import_id', '=', id).executeTakeFirst())
      ?.blob_key;

  test('a sheet and a line are read from the stored file, before and after its rows were checked', async () => {
    const id = await upload(book());
    expect((await importOf(hart, id)).place).toEqual({
      headingLine: 1,
      sheet: 'A',
      sheets: ['A', 'Old'],
    });
    await readAgain(hart, id, { sheet: 'Old' });
    expect(await importOf(hart, id)).toMatchObject({
      state: 'draft',
      total: 1,
      columns: ['Number', 'Name'],
      mapping: [],
      place: { headingLine: 2, sheet: 'Old' },
    });
    await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
    await runDueJobs();
    expect(await labels(id)).toEqual(['3 SH-9 · Old sheet']);
    await readAgain(hart, id, { sheet: 'A', headingLine: 1 });
    expect(await importOf(hart, id)).toMatchObject({ state: 'draft', total: 2, position: 0 });
    await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
    await runDueJobs();
    expect(await labels(id)).toEqual(['2 SH-1 · First sheet', '3 SH-2 · Second row']);
  });

  test('a sheet that is not there is refused, and what was read stays', async () => {
    const id = await upload(book());
    await expect(readAgain(hart, id, { sheet: 'None' })).rejects.toMatchObject({
      code: 'INVALID',
      details: { file: 'NO_SUCH_SHEET' },
    });
    await expect(readAgain(hart, id, { sheet: 'Old', headingLine: 900 })).rejects.toMatchObject({
      details: { file: 'EMPTY' },
    });
    expect(await importOf(hart, id)).toMatchObject({ total: 2, place: { sheet: 'A' } });
  });

  test('the file is released when the import begins, and no other sheet is read then', async () => {
    const id = await upload(book());
    const key = await keptFile(id);
    expect(key).toEqual(expect.any(String));
    await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
    await runDueJobs();
    await confirmImport(hart, id, false);
    await runDueJobs();
    expect((await importOf(hart, id)).place).toBeUndefined();
    expect(
      await db()
        .selectFrom('blobs')
        .select('blob_key')
        .where('blob_key', '=', key ?? '')
        .execute(),
    ).toEqual([]);
    await expect(readAgain(hart, id, { sheet: 'Old' })).rejects.toMatchObject({ code: 'STALE' });
  });

  test('the file of an import that nobody began is released with it', async () => {
    const id = await upload(book());
    const key = await keptFile(id);
    moveClock(8 * DAY);
    await sweepBatches();
    expect(
      await db().selectFrom('imports').select('import_id').where('import_id', '=', id).execute(),
    ).toEqual([]);
    expect(
      await db()
        .selectFrom('blobs')
        .select('blob_key')
        .where('blob_key', '=', key ?? '')
        .execute(),
    ).toEqual([]);
  });

  test('staff who manage no clients, and another firm, cannot have it read', async () => {
    const id = await upload(book());
    await expect(readAgain(member, id, { sheet: 'Old' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(readAgain(stranger, id, { sheet: 'Old' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
