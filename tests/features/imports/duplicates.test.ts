import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import {
  confirmImport,
  decideDuplicates,
  importCounts,
  importOf,
  listRows,
  problemRows,
  setMapping,
  undoImport,
} from '#features/office/imports/imports.server.ts';
import { rowQuery } from '#features/office/imports/imports.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';

import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { firmOne, tom } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
let seven = '';
let bakery = '';
let zero = '';
beforeAll(async () => {
  seven = await createClient(hart, { name: 'Mercado Sete ME', code: '7' });
  bakery = await createClient(hart, { name: 'Padaria Souza Filial', code: '45' });
  zero = await createClient(hart, {
    name: 'Zero Esquerda Ltda',
    code: '46',
    taxIds: [{ kind: 'cnpj', number: '01222333000128' }],
  });
});

async function checked(text: string): Promise<string> {
  const bytes = Readable.from([Buffer.from(text)]);
  const id = await startImport(hart, { kind: 'clients', name: 'clients.csv', bytes });
  await setMapping(hart, id, await proposedMapping(hart, await importOf(hart, id)));
  await runDueJobs();
  return id;
}
const rowsOf = async (id: string) =>
  (await listRows(hart, id, rowQuery.parse({}))).rows.toSorted((a, b) => a.number - b.number);
const confirmed = async (id: string): Promise<void> => {
  await confirmImport(hart, id, false);
  await runDueJobs();
};
const idOf = async (code: string) => (await clientsByCode(hart, [code])).get(code);

describe('rows that may be clients that exist', () => {
  test('are named with the client, and left out unless somebody decides otherwise', async () => {
    const id = await checked(
      'Client number,Name\n007,Mercado Sete ME\n0045,Padaria Souza Filial\n45.0,Padaria Souza Filial\n8,New\n',
    );
    expect((await rowsOf(id)).map(({ action, duplicateOf }) => [action, duplicateOf])).toEqual([
      ['duplicate', { id: seven, title: '7 · Mercado Sete ME' }],
      ['duplicate', { id: bakery, title: '45 · Padaria Souza Filial' }],
      ['duplicate', { id: bakery, title: '45 · Padaria Souza Filial' }],
      ['create', undefined],
    ]);
    expect((await importCounts(hart, id)).actions).toMatchObject({ create: 1, duplicate: 3 });
    await confirmed(id);
    expect([await idOf('007'), await idOf('0045'), await idOf('45.0')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await idOf('8')).toBeDefined();
    expect((await problemRows(hart, id)).rows).toHaveLength(3);
  });

  test('by their tax id, which two rows may share', async () => {
    const id = await checked(
      'Client number,Name,CNPJ\n900,Zero Esquerda Ltda,01.222.333/0001-28\n901,Zero Esquerda,01222333000128\n' +
        '902,Neu,11.222.333/0001-81\n903,Neu too,11222333000181\n',
    );
    const rows = await rowsOf(id);
    expect(rows.map(({ action, duplicateOf }) => [action, duplicateOf?.id])).toEqual([
      ['duplicate', zero],
      ['duplicate', zero],
      ['create', undefined],
      ['duplicate', undefined],
    ]);
    expect(rows[3]?.problems).toEqual([{ code: 'DUPLICATE_LINE', line: 4 }]);
  });

  test('update that client, or become another one, as somebody decides, and both can be undone', async () => {
    const id = await checked('Client number,Name\n007,Mercado Sete Novo ME\n0045,Padaria Souza Filial\n');
    await decideDuplicates(hart, id, { decision: 'update', number: 1 });
    await decideDuplicates(hart, id, { decision: 'create', number: 2 });
    await confirmed(id);
    expect((await importCounts(hart, id)).states).toMatchObject({ done: 2, failed: 0 });
    expect(await clientRecord(hart, seven)).toMatchObject({ code: '7', name: 'Mercado Sete Novo ME' });
    const another = await idOf('0045');
    expect(another).toBeDefined();
    expect(another).not.toBe(bakery);
    await undoImport(hart, id);
    await runDueJobs();
    expect(await clientRecord(hart, seven)).toMatchObject({ name: 'Mercado Sete ME' });
    expect(await idOf('0045')).toBeUndefined();
  });

  test('are decided together, too, and those of an earlier row of the file cannot update it', async () => {
    const id = await checked('Client number,Name\n007,Mercado Sete ME\n61,One\n061,Two\n');
    await decideDuplicates(hart, id, { decision: 'update' });
    expect((await rowsOf(id)).map(({ action }) => action)).toEqual(['update', 'create', 'duplicate']);
    await decideDuplicates(hart, id, { decision: 'create' });
    expect((await rowsOf(id)).map(({ action }) => action)).toEqual(['create', 'create', 'create']);
    await decideDuplicates(hart, id, { decision: 'leave' });
    expect((await rowsOf(id)).map(({ action }) => action)).toEqual(['duplicate', 'create', 'duplicate']);
    await expect(decideDuplicates(tom, id, { decision: 'create' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await confirmed(id);
    await expect(decideDuplicates(hart, id, { decision: 'create' })).rejects.toMatchObject({ code: 'STALE' });
  });

  test('a row that gives a client the tax id of another one is a problem, and says of whom', async () => {
    const id = await checked(
      'Client number,Name,CNPJ\n45,Padaria Souza Filial,01.222.333/0001-28\n46,Zero,01.222.333/0001-28\n',
    );
    const [wrong, same] = await rowsOf(id);
    expect(wrong).toMatchObject({
      action: 'problem',
      duplicateOf: { id: zero, title: '46 · Zero Esquerda Ltda' },
    });
    expect(same).toMatchObject({ action: 'update', changes: ['name'] });
  });

  test('that come to exist after the check fail by themselves, with the client', async () => {
    const id = await checked('Client number,Name\n0771,Late\n88,Other\n');
    const late = await createClient(hart, { name: 'Late Ltd', code: '771' });
    await confirmed(id);
    const [first, second] = await rowsOf(id);
    expect(first).toMatchObject({ state: 'failed', duplicateOf: { id: late, title: '771 · Late Ltd' } });
    expect(second).toMatchObject({ state: 'done' });
  });
});
