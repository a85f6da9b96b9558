import { describe, expect, test } from 'vitest';
import type { ClientRecord } from '#features/clients/clients/client-records.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';

const { ada, sam, tom, firmOne, clientA, clientTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const path = '/api/staff/v1/clients';
const call = apiAs(olga);

const sent = async (method: string, address: string, json?: unknown, by = call) => {
  const response = await by(method, address, json === undefined ? {} : { json });
  return { status: response.status, body: (await response.json()) as ClientRecord & { errors: unknown[] } };
};
const created = async (input: object) => (await sent('POST', path, input)).body;
const lastAction = async (target: string) =>
  await db()
    .selectFrom('audit')
    .select(['action', 'actor', 'details'])
    .where('target', '=', target)
    .orderBy('seq', 'desc')
    .executeTakeFirst();

describe('the calls of client records', () => {
  test('a client is created, read, changed, archived and restored, and the audit log has it', async () => {
    const { status, body } = await sent('POST', path, {
      name: ' Juniper Bakery ',
      code: 'JB-1',
      taxIds: [{ kind: 'ein', number: '36-4471042' }],
      responsible: [sam.contactId],
    });
    expect([status, body]).toMatchObject([
      200,
      { name: 'Juniper Bakery', kind: 'business', archivedDate: null, taxIds: [{ number: '364471042' }] },
    ]);
    const address = `${path}/${body.id}`;
    expect((await sent('GET', address)).body).toEqual(body);
    expect(await lastAction(body.id)).toMatchObject({ action: 'client.create', actor: olga.contactId });

    const changed = await sent('PATCH', address, { version: body.version, tags: ['VAT'], code: '' });
    expect(changed).toMatchObject({ status: 200, body: { tags: ['VAT'], code: '', name: 'Juniper Bakery' } });
    expect(changed.body.version).toBeGreaterThan(body.version);
    expect(await lastAction(body.id)).toMatchObject({ action: 'client.update' });

    for (const [act, archivedDate] of [
      ['archive', expect.any(String) as string],
      ['restore', null],
    ] as const) {
      expect(await sent('POST', `${address}/${act}`)).toMatchObject({ status: 200, body: { archivedDate } });
      expect(await lastAction(body.id)).toMatchObject({ action: `client.${act}`, actor: olga.contactId });
    }
  });

  test('an outdated version is refused, and nothing changes', async () => {
    const { id, version } = await created({ name: 'Twice' });
    await sent('PATCH', `${path}/${id}`, { version, name: 'First' });
    expect(await sent('PATCH', `${path}/${id}`, { version, name: 'Second' })).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'EDIT_CONFLICT' }] },
    });
    expect((await clientRecord(olga, id)).name).toBe('First');
    expect((await sent('PATCH', `${path}/${id}`, { name: 'Blind' })).status).toBe(422);
  });

  test('problems are listed by field, and a taken number is a conflict', async () => {
    const { id, version } = await created({ name: 'Taken', code: 'T-1' });
    const issuesOf = async (input: object) => {
      const { status, body } = await sent('POST', path, { name: 'Problem', ...input });
      return [status, body.errors];
    };
    for (const [input, field] of [
      [{ name: ' ' }, 'name'],
      [{ taxIds: [{ kind: 'cpf', number: '111' }] }, 'taxIds.0.number'],
      [{ yearEnd: '02-30' }, 'yearEnd'],
      [{ responsible: [ada.contactId] }, 'responsible'],
    ] as const)
      expect(await issuesOf(input), field).toMatchObject([
        422,
        [{ code: 'INVALID', issues: [{ path: field }] }],
      ]);
    expect((await issuesOf({ shoeSize: 44 }))[0]).toBe(422);
    expect(await issuesOf({ code: 't-1' })).toMatchObject([409, [{ code: 'NAME_CONFLICT', field: 'code' }]]);
    expect(await sent('PATCH', `${path}/${id}`, { version, responsible: ['nobody'] })).toMatchObject({
      status: 422,
      body: { errors: [{ issues: [{ path: 'responsible' }] }] },
    });
  });

  test('contacts and members are refused, and the client of others is not found', async () => {
    const requests = (id: string) =>
      [
        ['PATCH', `${path}/${id}`, { version: 1, name: 'Mine' }],
        ['POST', `${path}/${id}/archive`, undefined],
        ['POST', `${path}/${id}/restore`, undefined],
      ] as const;
    for (const actor of [ada, sam])
      for (const [method, address, json] of [['POST', path, { name: 'New' }] as const, ...requests(clientA)])
        expect((await sent(method, address, json, apiAs(actor))).status, `${method} ${address}`).toBe(403);
    for (const [actor, id] of [
      [olga, clientTwo],
      [mona, clientA],
    ] as const)
      for (const [method, address, json] of [['GET', `${path}/${id}`, undefined] as const, ...requests(id)])
        expect((await sent(method, address, json, apiAs(actor))).status, `${method} ${address}`).toBe(404);
    expect((await sent('GET', `${path}/${clientA}`, undefined, apiAs(ada))).status).toBe(403);
    expect((await sent('GET', `${path}/${clientA}`, undefined, apiAs(sam))).status).toBe(200);
    expect((await clientRecord(tom, clientTwo)).archivedDate).toBeNull();
    expect((await clientRecord(olga, clientA)).name).toBe('Amber Bakery');
  });
});
