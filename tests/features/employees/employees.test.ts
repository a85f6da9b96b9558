import { valuesOfEmployee } from '#features/brazil/payroll-simulations/employee-values.server.ts';
import { describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { addEmployee, changeEmployee } from '#features/brazil/employees/changes.server.ts';
import { employeeOf, listEmployees, tooltipsOf } from '#features/brazil/employees/employees.server.ts';
import { employeeQuery, type EmployeeInput } from '#features/brazil/employees/employees.ts';
import { changesOf, undoChange } from '#features/brazil/employees/undo.server.ts';
import {
  addEstablishment,
  listEstablishments,
} from '#features/brazil/establishments/establishments.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { at } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, ada, sam, clientA, clientB, clientTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const contact = await actorOf(ada.contactId);
standAt(Date.UTC(2026, 10, 27, 15));

const MARIANA = {
  name: 'Mariana Alves Ferreira',
  cpf: '094.482.246-05',
  registration: '0007',
  hiredOn: '2021-03-10',
  position: 'Padeira',
  salaryCents: 350_000,
} as const satisfies EmployeeInput;
const JOAO = { name: 'João Pedro Nunes', cpf: '34127023074', hiredOn: '2024-02-01' } as const;
const mariana = await addEmployee(sam, clientA, MARIANA);
const joao = await addEmployee(sam, clientA, JOAO);
const list = (query: object) => listEmployees(contact, clientA, employeeQuery.parse(query));
const namesOf = async (query: object) => (await list(query)).items.map(({ name }) => name);
const problemsOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => [],
    (error: { details?: { problems?: { field: string }[] } }) =>
      error.details?.problems?.map(({ field }) => field) ?? error,
  );

describe('the employees of a client', () => {
  test('are listed by name, without salary and day of birth', async () => {
    const { items, totalItems } = await list({});
    expect(totalItems).toBe(2);
    expect(items.map(({ name }) => name)).toEqual(['João Pedro Nunes', 'Mariana Alves Ferreira']);
    expect(items[1]).toMatchObject({ cpf: '09448224605', hiredOn: '2021-03-10', state: 'active' });
    expect(JSON.stringify(items)).not.toContain('350000');
    expect(await list({ startIndex: '1', itemsPerPage: '1' })).toMatchObject({
      items: [{ name: 'Mariana Alves Ferreira' }],
      totalItems: 2,
    });
  });

  test.each([
    ['part of a name, in any case', 'MARI', [MARIANA.name]],
    ['a name with its accents', 'joão', [JOAO.name]],
    ['a whole CPF with punctuation', '094.482.246-05', [MARIANA.name]],
    ['a registration', '0007', [MARIANA.name]],
    ['part of a CPF', '094.482', []],
    ['what stands for anything in SQL', '%', []],
  ])('are found by %s', async (_, searchTerm, names) => {
    expect(await namesOf({ searchTerm })).toEqual(names);
  });

  test('keep CPF, salary and reasons of leaves encrypted', async () => {
    const rows = JSON.stringify([
      await db().selectFrom('employees').selectAll().execute(),
      await db().selectFrom('employee_changes').selectAll().execute(),
    ]);
    for (const secret of ['09448224605', '350000']) expect(rows).not.toContain(secret);
  });

  test('are shown by tooltips with the mask of the CPF, those of others left out', async () => {
    expect(await tooltipsOf(contact, [mariana.id, 'employee_none'])).toEqual([
      {
        id: mariana.id,
        name: MARIANA.name,
        cpf: '094.482.246-05',
        hireDate: '2021-03-10',
        jobPosition: 'Padeira',
      },
    ]);
    expect(await tooltipsOf(await actorOf(sam.contactId), [joao.id])).toMatchObject([{ jobPosition: '' }]);
  });

  test('are on leave or on vacation while the dates say so, and former ones after their last day', async () => {
    const leaves = [
      { startsOn: '2026-11-10', endsOn: '', reason: '03' },
      { startsOn: '2026-01-05', endsOn: '2026-01-24', reason: '15' },
    ];
    const { id } = await addEmployee(sam, clientA, { ...JOAO, name: 'Rafael', registration: 'R', leaves });
    const stateAt = (day: string) =>
      at(Date.parse(`${day}T15:00:00Z`), async () => (await employeeOf(sam, id)).state);
    expect(await stateAt('2026-11-27')).toBe('onLeave');
    expect(await stateAt('2026-01-24')).toBe('onVacation');
    expect(await stateAt('2026-01-25')).toBe('active');
    await changeEmployee(sam, id, { leaves: [], endedOn: '2026-11-26', endReason: '02' });
    expect(await namesOf({ filter: 'ended' })).toEqual(['Rafael']);
    expect(await namesOf({ filter: 'current' })).not.toContain('Rafael');
  });
});

describe('an employee', () => {
  test.each([
    ['hiredOn', { hiredOn: '2027-01-27' }],
    ['bornOn', { bornOn: '2024-02-01' }],
    ['endedOn', { endedOn: '2024-01-31' }],
    ['endReason', { endReason: '02' }],
    ['trialEndsOn', { trialEndsOn: '2024-01-31' }],
    ['vacationPeriods', { vacationPeriods: [{ startsOn: '2024-02-01' }, { startsOn: '2024-02-01' }] }],
    ['vacationPeriods', { vacationPeriods: [{ startsOn: '2023-02-01' }] }],
    ['leaves', { leaves: [{ startsOn: '2024-03-10', endsOn: '2024-03-09', reason: '03' }] }],
    [
      'leaves',
      {
        leaves: [
          { startsOn: '2024-03-10', endsOn: '', reason: '03' },
          { startsOn: '2024-04-10', endsOn: '', reason: '15' },
        ],
      },
    ],
    ['establishmentId', { establishmentId: 'establishment_none' }],
    ['cpf', {}],
  ])('is refused for %s that disagree', async (field, change) => {
    expect(await problemsOf(addEmployee(sam, clientA, { ...JOAO, ...change }))).toContain(field);
  });

  test('may be hired 60 days ahead, and have a second contract with another registration', async () => {
    const { id } = await addEmployee(sam, clientA, { ...JOAO, registration: '2', hiredOn: '2027-01-26' });
    const [change] = await changesOf(sam, id);
    await undoChange(sam, change?.id ?? '');
    await expect(employeeOf(sam, id)).rejects.toThrow('NOT_FOUND');
  });

  test('is changed by whoever saw the current one, and each change can be undone until the next', async () => {
    const { version } = await employeeOf(sam, joao.id);
    const changed = await changeEmployee(sam, joao.id, { version, position: 'Atendente' });
    await expect(changeEmployee(sam, joao.id, { version, position: 'Late' })).rejects.toThrow(
      'EDIT_CONFLICT',
    );
    expect((await changeEmployee(sam, joao.id, { position: 'Atendente' })).version).toBe(changed.version);
    await changeEmployee(sam, joao.id, { salaryCents: 210_000 }, { source: 'api' });
    const [last, before] = await changesOf(sam, joao.id);
    expect([last, before]).toMatchObject([
      { fields: ['salaryCents'], source: 'api', canUndo: true },
      { fields: ['position'], source: 'staff', canUndo: false, by: 'Sam Staff' },
    ]);
    await expect(undoChange(sam, before?.id ?? '')).rejects.toThrow('CHANGED');
    await undoChange(sam, last?.id ?? '');
    expect(await employeeOf(sam, joao.id)).toMatchObject({ salaryCents: null, position: 'Atendente' });
    // the undo is a change, too; the one before it can be undone again
    expect((await changesOf(sam, joao.id)).map(({ canUndo }) => canUndo)).toEqual([true, false, true, false]);
  });

  test('stands in the audit log with the names of what changed, not with the values', async () => {
    const rows = await db().selectFrom('audit').selectAll().where('target', '=', joao.id).execute();
    expect(rows.map(({ action }) => action)).toContain('employee.change');
    expect(JSON.stringify(rows)).not.toContain('210000');
    expect(JSON.stringify(rows)).toContain('salaryCents');
  });

  test('has what is left of each year of vacation', async () => {
    await changeEmployee(sam, mariana.id, {
      vacationPeriods: [{ startsOn: '2025-03-10', absences: 7, takenDays: 10, soldDays: 8 }],
    });
    const answer = await apiAs(sam)('GET', `/api/br-payroll/v1/employees/${mariana.id}/vacation-periods`);
    expect(await answer.json()).toEqual({
      items: [
        {
          startsOn: '2025-03-10',
          endsOn: '2026-03-09',
          useBy: '2027-03-09',
          absences: 7,
          takenDays: 10,
          soldDays: 8,
          entitledDays: 24,
          leftDays: 6,
        },
      ],
    });
  });
});

describe('a payroll program', () => {
  const store = async (items: object[]) => {
    const path = `/api/br-payroll/v1/clients/${clientB}/employees`;
    return (await apiAs(sam)('PUT', path, { json: { items } })).json() as Promise<{ items: object[] }>;
  };
  const items = [
    { ...MARIANA, salaryCents: 100_000 },
    { ...JOAO, registration: '9' },
    { ...JOAO, registration: '10', cpf: '34127023075' },
    { registration: '11', name: 'Without a CPF' },
    { ...JOAO, registration: '9' },
    { ...JOAO, registration: '' },
  ];

  test('stores employees by their registrations, each with an answer of its own', async () => {
    expect(await store(items)).toMatchObject({
      items: [
        { registration: '0007', status: 'created' },
        { registration: '9', status: 'created' },
        { status: 'refused', problems: [{ field: 'cpf', problem: 'wrong' }] },
        { status: 'refused', problems: [{ field: 'cpf', problem: 'missing' }, { field: 'hiredOn' }] },
        { status: 'refused', problems: [{ field: 'registration', problem: 'taken' }] },
        { status: 'refused', problems: [{ field: 'registration', problem: 'missing' }] },
      ],
    });
  });

  test('may send the same again, and only what has changed is changed', async () => {
    expect(await store(items.slice(0, 2))).toMatchObject({
      items: [{ status: 'unchanged' }, { status: 'unchanged' }],
    });
    expect(await store([{ registration: '0007', position: 'Chef' }])).toMatchObject({
      items: [{ status: 'updated', problems: [] }],
    });
    const { items: stored } = await listEmployees(sam, clientB, employeeQuery.parse({}));
    expect(stored.map(({ position }) => position)).toEqual(['', 'Chef']);
  });
});

test('employees of merged clients are united, with their establishments', async () => {
  const cnpj = (number: string) => ({ taxIds: [{ kind: 'cnpj' as const, number }] });
  const from = await createClient(olga, { name: 'From', ...cnpj('20664179000199') });
  const into = await createClient(olga, { name: 'Into', ...cnpj('31550824000169') });
  const shared = { cnpj: '44812095000113', name: 'Shared' };
  const { id: gone } = await addEstablishment(sam, from, shared);
  const { id: kept } = await addEstablishment(sam, into, shared);
  const moved = await addEmployee(sam, from, { ...JOAO, establishmentId: gone });
  await addEmployee(sam, from, MARIANA);
  await addEmployee(sam, into, MARIANA);
  await mergeClients(sessionAs(olga), from, into);
  const { items } = await listEmployees(sam, into, employeeQuery.parse({}));
  expect(items.map(({ name }) => name)).toEqual([JOAO.name, MARIANA.name]);
  expect(await employeeOf(sam, moved.id)).toMatchObject({ clientId: into, establishmentId: kept });
  expect(await listEstablishments(sam, into)).toHaveLength(3);
});

describe('who may', () => {
  test('contacts see the employees of their companies with the service requests, and change none', async () => {
    expect((await employeeOf(contact, mariana.id)).salaryCents).toBe(350_000);
    await expect(addEmployee(contact, clientA, JOAO)).rejects.toThrow('FORBIDDEN');
    await expect(changeEmployee(contact, joao.id, { position: 'Boss' })).rejects.toThrow('FORBIDDEN');
    await expect(listEmployees(contact, clientB, employeeQuery.parse({}))).rejects.toThrow('NOT_FOUND');
    await setFlag(olga, 'ServiceRequest.Denied', true);
    const without = await actorOf(ada.contactId);
    await expect(employeeOf(without, mariana.id)).rejects.toThrow('FORBIDDEN');
    await expect(tooltipsOf(without, [mariana.id])).rejects.toThrow('FORBIDDEN');
    await setFlag(olga, 'ServiceRequest.Denied', false);
  });

  test('staff keep those of their clients, unless they only read', async () => {
    await expect(addEmployee(sam, clientTwo, JOAO)).rejects.toThrow('NOT_FOUND');
    await expect(addEmployee(reader, clientA, JOAO)).rejects.toThrow('FORBIDDEN');
    expect(await employeeOf(reader, mariana.id)).toMatchObject({ name: MARIANA.name });
  });

  test('what staff read while they view as a contact is in the audit log', async () => {
    const { actor } = impersonating(contact, olga);
    await employeeOf(actor, mariana.id);
    const rows = await db().selectFrom('audit').selectAll().where('action', '=', 'employee.read').execute();
    expect(rows).toMatchObject([{ actor: olga.contactId, target: mariana.id, client_id: clientA }]);
  });
});

test('an estimate begins with what is known of an employee of the list', async () => {
  const of = (id: string) => valuesOfEmployee(contact, new URL(`https://x.example/?employee=${id}`));
  expect(await of(mariana.id)).toEqual({
    employee: MARIANA.name,
    admission: '2021-03-10',
    salary: '3500.00',
    periodStart: '2025-03-10',
    absences: '7',
  });
  await expect(of('employee_none')).rejects.toThrow('NOT_FOUND');
  expect(await valuesOfEmployee(contact, new URL('https://x.example/'))).toEqual({});
});
