import { describe, expect, test } from 'vitest';
import type { ClientInput } from '#features/clients/clients/client-records.ts';
import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { everyRow, makeCast, person } from '../../support/cast.ts';

const { ada, sam, tom, firmOne, clientA, clientTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const mona = await person(firmOne, 'Mona Manager', 'mona@one.example', {
  role: 'manager',
  hasAllClients: false,
});
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });

let count = 0;
const bakery = (changes: Partial<ClientInput> = {}): ClientInput => ({
  name: '  Juniper Bakery ',
  code: `JB-${(count += 1)}`,
  doingBusinessAs: 'Juniper',
  language: 'fr',
  yearEnd: '06-30',
  tags: ['T2', 'Payroll', 'payroll'],
  taxIds: [{ kind: 'ein', number: `36-${4471041 + count}` }],
  address: {
    country: 'US',
    address1: '1042 Juniper Street',
    address2: '',
    city: 'Chicago',
    state: 'IL',
    zip: '60614',
    county: '',
  },
  responsible: [sam.contactId],
  ...changes,
});

const SECRET = {
  country: 'US',
  address1: 'CANARY-STREET 12',
  address2: '',
  city: '',
  state: '',
  zip: '',
  county: '',
};

/** The code and the details of the refusal. */
const refused = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => ({ code: refusal(error)?.code, ...refusal(error)?.details }),
  );
const lastEntry = (target: string) =>
  db()
    .selectFrom('audit')
    .select(['action', 'actor', 'client_id', 'details'])
    .where('target', '=', target)
    .orderBy('seq', 'desc')
    .executeTakeFirst();

describe('creating a client', () => {
  test('a new client has every field that was entered, cleaned up, and the audit log says who created it', async () => {
    const id = await createClient(olga, bakery({ code: 'X-1' }));
    expect(await clientRecord(sam, id)).toMatchObject({
      name: 'Juniper Bakery',
      code: 'X-1',
      kind: 'business',
      language: 'fr',
      yearEnd: '06-30',
      tags: ['payroll', 'T2'],
      taxIds: [{ kind: 'ein', number: '364471042' }],
      address: { city: 'Chicago' },
      responsible: [sam.contactId],
      archivedDate: null,
    });
    expect(await lastEntry(id)).toMatchObject({
      action: 'client.create',
      actor: olga.contactId,
      client_id: id,
    });
  });

  test('only the name is required', async () => {
    const id = await createClient(olga, { name: 'Just a name' });
    expect(await clientRecord(olga, id)).toMatchObject({ code: '', tags: [], address: null, yearEnd: '' });
    await createClient(olga, { name: 'Another one without a number' });
  });

  test('tax ids and addresses are stored encrypted', async () => {
    await createClient(
      olga,
      bakery({ taxIds: [{ kind: 'cnpj', number: '11.222.333/0001-81' }], address: SECRET }),
    );
    const stored = JSON.stringify(await everyRow());
    expect(stored).not.toContain('11222333000181');
    expect(stored).not.toContain(SECRET.address1);
  });

  test.each<[string, Partial<ClientInput>, object[]]>([
    ['an empty name', { name: ' ' }, [{ field: 'name', problem: 'missing' }]],
    ['a name that is too long', { name: 'x'.repeat(201) }, [{ field: 'name', problem: 'too-long' }]],
    ['a day that is not in the calendar', { yearEnd: '02-30' }, [{ field: 'yearEnd', problem: 'wrong' }]],
    [
      'a wrong check digit',
      { taxIds: [{ kind: 'cpf', number: '529.982.247-24' }] },
      [{ field: 'taxIds.0.number', problem: 'wrong' }],
    ],
    [
      'two tax ids of a kind',
      { taxIds: ['36-4471042', '36-4471043'].map((number) => ({ kind: 'ein', number })) },
      [{ field: 'taxIds', problem: 'wrong' }],
    ],
    [
      'a contact as responsible',
      { responsible: [ada.contactId] },
      [{ field: 'responsible', problem: 'wrong' }],
    ],
    ['staff of another firm', { responsible: [tom.contactId] }, [{ field: 'responsible', problem: 'wrong' }]],
  ])('%s is refused with the name of its field', async (_, changes, problems) => {
    expect(await refused(createClient(olga, bakery(changes)))).toEqual({ code: 'INVALID', problems });
  });

  test('a number is unique in its firm, without regard to case', async () => {
    await createClient(olga, bakery({ code: 'Straße-1' }));
    expect(await refused(createClient(olga, bakery({ code: 'STRASSE-1' })))).toBe('accepted');
    expect(await refused(createClient(olga, bakery({ code: 'sTRAßE-1' })))).toEqual({
      code: 'NAME_CONFLICT',
      field: 'code',
    });
    const results = await Promise.all(
      [1, 2, 3].map(() => refused(createClient(olga, bakery({ code: 'At once' })))),
    );
    expect(results.filter((result) => result === 'accepted')).toHaveLength(1);
  });

  test('staff with assigned clients keep the client that they created', async () => {
    const id = await createClient(mona, bakery({ responsible: [] }));
    expect(await clientRecord(mona, id)).toMatchObject({ id, responsible: [] });
    expect((await verifyRights()).faults).toEqual([]);
  });

  test('members, read-only staff and contacts cannot create or change clients', async () => {
    for (const actor of [sam, rita, ada]) {
      expect(await refused(createClient(actor, bakery()))).toEqual({ code: 'FORBIDDEN' });
      expect(await refused(updateClient(actor, clientA, { name: 'Mine' }))).toEqual({ code: 'FORBIDDEN' });
    }
    expect(await refused(clientRecord(ada, clientA))).toEqual({ code: 'FORBIDDEN' });
  });
});

describe('changing a client', () => {
  test('a change replaces the fields that it names, and the audit log lists them without values', async () => {
    const id = await createClient(olga, bakery());
    const { version } = await clientRecord(olga, id);
    const after = await updateClient(olga, id, {
      version,
      name: 'Juniper & Sons',
      tags: ['payroll', 'VIP'],
      taxIds: [],
      responsible: [olga.contactId],
    });
    expect(after).toMatchObject({
      name: 'Juniper & Sons',
      tags: ['payroll', 'VIP'],
      taxIds: [],
      responsible: [olga.contactId],
      doingBusinessAs: 'Juniper',
    });
    expect(after.version).toBeGreaterThan(version);
    const entry = await lastEntry(id);
    expect(entry).toMatchObject({ action: 'client.update' });
    expect(entry?.details).toContain('"fields":"name tags taxIds responsible"');
    expect(entry?.details).not.toContain('Juniper');
  });

  test('a change that changes nothing leaves no trace', async () => {
    const id = await createClient(olga, bakery());
    const before = await clientRecord(olga, id);
    expect(await updateClient(olga, id, bakery({ code: before.code, taxIds: before.taxIds }))).toEqual(
      before,
    );
    expect(await lastEntry(id)).toMatchObject({ action: 'client.create' });
  });

  test('of two people who edit the same version, the second is refused', async () => {
    const id = await createClient(olga, bakery());
    const { version } = await clientRecord(olga, id);
    await updateClient(olga, id, { version, name: 'First' });
    expect(await refused(updateClient(olga, id, { version, name: 'Second' }))).toEqual({
      code: 'EDIT_CONFLICT',
    });
    expect((await clientRecord(olga, id)).name).toBe('First');
  });

  test('staff who act for all clients lose the assignment with the responsibility, others keep the client', async () => {
    const id = await createClient(olga, bakery({ responsible: [sam.contactId, mona.contactId] }));
    await updateClient(olga, id, { responsible: [] });
    const rows = await db().selectFrom('staff_clients').selectAll().where('client_id', '=', id).execute();
    expect(rows).toMatchObject([{ contact_id: mona.contactId, is_responsible: 0 }]);
    expect(await clientRecord(mona, id)).toMatchObject({ responsible: [] });
    expect((await verifyRights()).faults).toEqual([]);
  });

  test('a client of another firm, or one that is not assigned, is not found', async () => {
    for (const [actor, id] of [
      [olga, clientTwo],
      [mona, clientA],
    ] as const) {
      expect(await refused(updateClient(actor, id, { name: 'Mine' }))).toEqual({ code: 'NOT_FOUND' });
      expect(await refused(clientRecord(actor, id))).toEqual({ code: 'NOT_FOUND' });
    }
  });

  test('staff who lose the right while the change is on its way are refused', async () => {
    const vera = await person(firmOne, 'Vera Was', 'vera@one.example', { role: 'manager' });
    await db()
      .updateTable('contacts')
      .set({ role: 'member' })
      .where('contact_id', '=', vera.contactId)
      .execute();
    expect(await refused(updateClient(vera, clientA, { name: 'Late' }))).toEqual({ code: 'FORBIDDEN' });
    expect(await refused(createClient(vera, bakery()))).toEqual({ code: 'FORBIDDEN' });
  });
});
