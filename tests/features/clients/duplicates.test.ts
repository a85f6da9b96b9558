import { describe, expect, test } from 'vitest';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { plainNumber, plainNumberSql } from '#features/clients/clients/duplicates.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';

const { firmOne, tom } = await makeCast();
const mia = await person(firmOne, 'Mia Manager', 'mia@one.example', { role: 'manager' });
const few = await person(firmOne, 'Finn Few', 'finn@one.example', { role: 'manager', hasAllClients: false });

const CNPJ = { kind: 'cnpj', number: '01.222.333/0001-28' } as const;
const zero = await createClient(mia, { name: 'Zero Esquerda Ltda', code: '46', taxIds: [CNPJ] });
const seven = await createClient(mia, { name: 'Mercado Sete ME', code: '7' });

const post = (actor: typeof mia, body: object) =>
  apiAs(actor)('POST', '/api/staff/v1/clients', { json: body });

describe('a second client', () => {
  test.each(['007', '7.0', '0-7', ' 07 '])('with the number %s beside 7 is refused', async (code) => {
    await expect(createClient(mia, { name: 'Mercado Sete', code })).rejects.toMatchObject({
      code: 'POSSIBLE_DUPLICATE',
      details: {
        field: 'code',
        duplicates: [{ id: seven, code: '7', name: 'Mercado Sete ME' }],
        isHidden: false,
      },
    });
  });

  test('with the same tax id is refused with its id, by the call too, and created if that is wanted', async () => {
    const body = { name: 'Zero Esquerda', code: '901', taxIds: [{ kind: 'cnpj', number: '01222333000128' }] };
    const refused = await post(mia, body);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      errors: [{ code: 'POSSIBLE_DUPLICATE', duplicates: [{ id: zero, field: 'taxIds' }], isHidden: false }],
    });
    const created = await post(mia, { ...body, allowDuplicate: true });
    expect(created.status).toBe(200);
  });

  test('that is not one has neither the number nor the tax id of another', async () => {
    await createClient(mia, { name: 'Seventy', code: '70' });
    await createClient(mia, { name: 'No number', code: '' });
    await createClient(mia, { name: 'No number either', code: '' });
    await createClient(mia, {
      name: 'Another kind',
      code: '12',
      taxIds: [{ kind: 'ein', number: '12-3456789' }],
    });
    await expect(createClient(mia, { name: 'Same number', code: '7' })).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
    });
  });

  test('of another firm is no duplicate', async () => {
    const manager = await person(tom.companyId, 'Max', 'max@two.example', { role: 'owner' });
    await createClient(manager, { name: 'Zero', code: '007', taxIds: [CNPJ] });
  });

  test('is named only to those who see it; the others learn whom to ask', async () => {
    const refused = await post(few, { name: 'Zero', code: '903', taxIds: [CNPJ] });
    const [problem] = ((await refused.json()) as { errors: Record<string, unknown>[] }).errors;
    expect(problem).toMatchObject({ code: 'POSSIBLE_DUPLICATE', duplicates: [], isHidden: true });
    expect(problem?.['ask']).toContain('Mia Manager');
    expect(JSON.stringify(problem)).not.toMatch(/Esquerda|client_/);
  });
});

describe('a change', () => {
  test('that makes a client a possible duplicate is refused, and other changes of it are not', async () => {
    const id = await createClient(mia, { name: 'Padaria Souza', code: '45' });
    await expect(updateClient(mia, id, { code: '0-046' })).rejects.toMatchObject({
      code: 'POSSIBLE_DUPLICATE',
    });
    await expect(updateClient(mia, id, { taxIds: [CNPJ] })).rejects.toMatchObject({
      code: 'POSSIBLE_DUPLICATE',
      details: { field: 'taxIds' },
    });
    await updateClient(mia, id, { code: '0045' });
    await updateClient(mia, id, { taxIds: [CNPJ], allowDuplicate: true });
    await updateClient(mia, id, { name: 'Padaria Souza Filial', taxIds: [CNPJ] });
    const answer = await apiAs(mia)('PATCH', `/api/staff/v1/clients/${id}`, {
      json: { version: 0, code: '046' },
    });
    expect(answer.status).toBe(409);
  });

  test('of a number that a merged client had is none', async () => {
    const old = await createClient(mia, { name: 'Old', code: '500' });
    await db()
      .updateTable('clients')
      .set({ merged_into: seven, archived_at: 1 })
      .where('client_id', '=', old)
      .execute();
    await createClient(mia, { name: 'New', code: '0500' });
  });
});

test('the database and the portal bring numbers into the same plain form', async () => {
  const codes = [
    '7',
    '007',
    '7.0',
    '0',
    '00',
    'JB-1042',
    'jb 1042',
    'A_1/2,3',
    '10.0',
    '1.01',
    'Ä-7',
    '٧',
    '.0',
    '0.0',
  ];
  for (const [index, code] of codes.entries())
    await db()
      .updateTable('clients')
      .set({ code: `${code}`, code_key: fold(code) })
      .where('client_id', '=', seven)
      .returning(plainNumberSql().as('plain'))
      .executeTakeFirstOrThrow()
      .then(({ plain }) => expect([index, plain]).toEqual([index, plainNumber(code)]));
});
