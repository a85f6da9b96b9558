import { beforeAll, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addEmployee } from '#features/brazil/employees/changes.server.ts';
import { addEstablishment } from '#features/brazil/establishments/establishments.server.ts';
import { listInput } from '#features/brazil/payroll-entries/payroll-entries.ts';
import { addList, publishList } from '#features/brazil/payroll-entries/publishing.server.ts';
import { saveCells } from '#features/brazil/payroll-entries/saving.server.ts';
import { listSheets } from '#features/brazil/payroll-entries/sheets.server.ts';
import {
  entriesReportPage,
  registrationsPage,
  reportState,
} from '#features/brazil/reports/report-page.server.ts';
import { performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { saveSection } from '#features/brazil/service-requests/saving.server.ts';
import { writeAnswer } from '#features/brazil/service-requests/stored-answers.server.ts';
import { readXlsx } from '#platform/tabular/xlsx-reader.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { localsOf } from '../../support/home.ts';
import '../../../src/app.server.ts';

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
for (const [flag, isOn] of [
  ['ServiceRequest.Denied', false],
  ['ServiceRequest.Employee', true],
  ['ServiceRequest.Intern', true],
  ['Reports', true],
] as const)
  await setFlag(olga, flag, isOn);
standAt(Date.UTC(2026, 10, 27, 15));
const [ada, ben, sam] = [
  await actorOf(cast.ada.contactId),
  await actorOf(cast.ben.contactId),
  await actorOf(cast.sam.contactId),
];

function pageOf(actor: Actor, query = '', id = clientA) {
  const url = new URL(`http://localhost/clientcenter/en-us/actions/br-reports/report${query}`);
  const client = Promise.resolve({ id, displayAs: 'Amber Bakery' });
  return {
    url,
    request: new Request(url),
    response: { status: 200 },
    locals: { ...localsOf(actor), client },
  };
}

async function reportOf(
  read: typeof entriesReportPage | typeof registrationsPage,
  ...of: Parameters<typeof pageOf>
) {
  const page = await read(pageOf(...of));
  if (page instanceof Response || !page.grid) throw new Error('no page');
  return {
    rows: page.grid.answer.rows.map(({ cells }) =>
      Object.fromEntries(Object.entries(cells).map(([key, cell]) => [key, cell?.text ?? ''])),
    ),
    sums: page.sums.map(({ label, text }) => `${label}: ${text}`),
  };
}

const LIST = listInput.parse({
  name: 'Variáveis',
  payroll: 'monthly',
  from: '2026-10',
  dueDay: 25,
  columns: [
    { key: 'overtime', label: 'Overtime', code: '150', type: 'hours' },
    { key: 'commission', label: 'Commission', code: '200', type: 'decimal' },
  ],
});

describe('the report on payroll entries', () => {
  let listId = '';
  beforeAll(async () => {
    const [mariana, joao] = [
      await addEmployee(sam, clientA, {
        name: 'Mariana Alves',
        cpf: '094.482.246-05',
        hiredOn: '2021-03-10',
        registration: '0007',
      }),
      await addEmployee(sam, clientA, {
        name: 'João Nunes',
        cpf: '34127023074',
        hiredOn: '2024-02-01',
        registration: '0002',
      }),
    ];
    await addEmployee(sam, clientB, { name: 'Other', cpf: '642.468.273-20', hiredOn: '2024-02-01' });
    listId = await addList(olga, LIST);
    await publishList(olga, listId);
    for (const [month, factor] of [
      ['2026-10', 1],
      ['2026-11', 2],
    ] as const) {
      const [sheet] = await listSheets(ada, clientA, month);
      await saveCells(ada, sheet?.id ?? '', [
        { employeeId: mariana.id, column: 'overtime', value: 59_999, base: 0 },
        { employeeId: mariana.id, column: 'commission', value: 12_345, base: 0 },
        { employeeId: joao.id, column: 'commission', value: 500 * factor, base: 0 },
      ]);
    }
  });

  test('lists what was entered by employee and month, and adds up each column over all that is found', async () => {
    const { rows, sums } = await reportOf(entriesReportPage, ada);
    expect(rows.map(({ employee, competence, entries }) => [employee, competence, entries])).toEqual(
      expect.arrayContaining([
        ['Mariana Alves', 'November 2026', 'Overtime: 999:59; Commission: 123.45'],
        ['João Nunes', 'October 2026', 'Commission: 5.00'],
      ]),
    );
    expect(rows).toHaveLength(4);
    // totals may be beyond what a cell can hold
    expect(sums).toEqual(['Commission: 261.90 (4 entries)', 'Overtime: 1999:58 (2 entries)']);
  });

  test('is filtered by month, employee and column, and the totals follow', async () => {
    expect((await reportOf(entriesReportPage, ada, '?from=2026-11')).sums[0]).toBe(
      'Commission: 133.45 (2 entries)',
    );
    expect((await reportOf(entriesReportPage, ada, '?searchTerm=jo%C3%A3o')).sums).toEqual([
      'Commission: 15.00 (2 entries)',
    ]);
    const byColumn = await reportOf(entriesReportPage, ada, `?column=${listId}:overtime`);
    expect(byColumn.rows.map(({ employee, entries }) => [employee, entries])).toEqual([
      ['Mariana Alves', '999:59'],
      ['Mariana Alves', '999:59'],
    ]);
    expect(byColumn.sums).toEqual(['Overtime: 1999:58 (2 entries)']);
    expect((await reportOf(entriesReportPage, ada, '?column=none:overtime')).rows).toEqual([]);
    expect((await reportOf(entriesReportPage, ada, '?state=closed')).rows).toEqual([]);
  });

  test('is exported as it is filtered, as CSV and as a workbook', async () => {
    const path = `/api/br-payroll/v1/grids/entries/export?client=${clientA}&column=${listId}:commission&lang=en-us`;
    const csv = await (await apiAs(ada)('GET', `${path}&format=csv`)).text();
    expect(csv).toContain('João Nunes');
    expect(csv.trim().split('\n')).toHaveLength(5);
    const xlsx = Buffer.from(await (await apiAs(ada)('GET', `${path}&format=xlsx`)).arrayBuffer());
    const read = await readXlsx(xlsx);
    expect('rows' in read && read.rows).toHaveLength(4);
  });

  test('is of nobody else, and closed without the reports or the service requests', async () => {
    await expect(entriesReportPage(pageOf(ben))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await setFlag(olga, 'ServiceRequest.Denied', true);
    const closed = await actorOf(cast.ada.contactId);
    expect(await reportState(pageOf(closed), 'payroll-entries')).toBe('closed');
    expect(await reportState(pageOf(closed), 'payroll-registrations')).toBe('closed');
    await expect(entriesReportPage(pageOf(closed))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await setFlag(olga, 'ServiceRequest.Denied', false);
    await setFlag(olga, 'Reports', false);
    const without = await actorOf(cast.ada.contactId);
    for (const grid of ['br-payroll/v1/grids/entries', 'br-reports/v1/grids/payroll-registrations'])
      expect((await apiAs(without)('GET', `/api/${grid}?client=${clientA}`)).status, grid).toBe(403);
    await setFlag(olga, 'Reports', true);
    expect(await reportState(pageOf(await actorOf(cast.ada.contactId)), 'payroll-entries')).toBe('open');
  });
});

describe('the report on registrations', () => {
  const at = (day: number, month = 10) => standAt(Date.UTC(2026, month, day, 15));
  const register = async (name: string, start: string): Promise<string> => {
    const id = await beginRequest(ada, { clientId: clientA, type: 'employeeRegistration' });
    const form = new FormData();
    for (const [key, value] of Object.entries({
      cpf: '111.444.777-35',
      name,
      birth: '14/03/1998',
      start,
      category: 'c101',
      nature: 'c1',
      position: 'Atendente',
      cbo: '513435',
      salary: '2.400,00',
      unit: 'c5',
      term: 'c1',
    }))
      form.append(`request.${key}`, value);
    const place = await establishment;
    await writeAnswer(ada, id, 'request.place', { key: place.id, text: place.name });
    await saveSection(ada, id, { section: 'request', form, lang: 'pt' });
    await performAction(ada, id, 'submit-minimum');
    return id;
  };
  const establishment = addEstablishment(sam, clientA, {
    name: 'Padaria',
    cnpj: '99.304.518/0001-86',
    city: '3550308',
  });

  test('tells which dates of eSocial were met, missed and are open', async () => {
    at(27);
    const [kept, missed, , declined] = [
      await register('Ana Kept', '07/12/2026'),
      await register('Bia Missed', '07/12/2026'),
      await register('Caio Open', '21/12/2026'),
      await register('Davi Declined', '21/12/2026'),
    ];
    await performAction(sam, kept ?? '', 'reply', { text: 'Feito.' });
    await performAction(sam, declined ?? '', 'decline', { text: 'Não.' });
    at(9, 11);
    await performAction(sam, missed ?? '', 'reply', { text: 'Feito, com atraso.' });
    const { rows, sums } = await reportOf(registrationsPage, ada);
    expect(Object.fromEntries(rows.map(({ about, deadline }) => [about, deadline]))).toEqual({
      'Ana Kept': 'On time',
      'Bia Missed': 'Late',
      'Caio Open': 'Still open',
      'Davi Declined': 'No date',
    });
    expect(sums).toEqual([
      'Still open: 1 registration',
      'On time: 1 registration',
      'Late: 1 registration',
      'No date: 1 registration',
    ]);
    for (const [deadline, name] of [
      ['kept', 'Ana Kept'],
      ['missed', 'Bia Missed'],
      ['open', 'Caio Open'],
      ['none', 'Davi Declined'],
    ])
      expect(
        (await reportOf(registrationsPage, ada, `?deadline=${deadline}`)).rows.map(({ about }) => about),
      ).toEqual([name]);
    at(23, 11);
    expect((await reportOf(registrationsPage, ada, '?deadline=missed')).rows).toHaveLength(2);
    expect((await reportOf(registrationsPage, ada, '?type=internRegistration')).rows).toEqual([]);
    expect((await reportOf(registrationsPage, ada, '?status=Replied')).rows).toHaveLength(3);
    await expect(registrationsPage(pageOf(ben))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('has no kinds that are closed to the reader', async () => {
    await setFlag(olga, 'ServiceRequest.Employee', false);
    expect((await reportOf(registrationsPage, await actorOf(cast.ada.contactId))).rows).toEqual([]);
    await setFlag(olga, 'ServiceRequest.Intern', false);
    await setFlag(olga, 'ServiceRequest.Partner', false);
    await expect(registrationsPage(pageOf(await actorOf(cast.ada.contactId)))).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
