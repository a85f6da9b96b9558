import { describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addEmployee, changeEmployee } from '#features/brazil/employees/changes.server.ts';
import { storeEmployees } from '#features/brazil/employees/bulk.server.ts';
import {
  closeSheet,
  reopenSheet,
  replyToSheet,
  returnSheet,
  submitSheet,
  takeBackSheet,
} from '#features/brazil/payroll-entries/acting.server.ts';
import { sheetPage } from '#features/brazil/payroll-entries/client-page.server.ts';
import { makeAllSheets } from '#features/brazil/payroll-entries/making-sheets.server.ts';
import { remindOfSheets } from '#features/brazil/payroll-entries/notices.server.ts';
import { applyPaste, copyLastMonth, previewPaste } from '#features/brazil/payroll-entries/pasting.server.ts';
import { listInput } from '#features/brazil/payroll-entries/payroll-entries.ts';
import {
  addList,
  changeList,
  payrollList,
  publishList,
} from '#features/brazil/payroll-entries/publishing.server.ts';
import { saveCells, undoStep } from '#features/brazil/payroll-entries/saving.server.ts';
import {
  listLateEntries,
  listSheets,
  openSheet,
  totalsOf,
} from '#features/brazil/payroll-entries/sheets.server.ts';
import { lateTable, programTable } from '#features/brazil/payroll-entries/tables.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { db } from '#platform/database/database.server.ts';
import { at } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { datesIn } from '../../support/workbook-dates.ts';
import '../../../src/app.server.ts';

const { firmOne, ada, ben, sam, clientA, clientB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const contact = await actorOf(ada.contactId);
const staff = await actorOf(sam.contactId);
standAt(Date.UTC(2026, 10, 27, 15));

const mariana = await addEmployee(sam, clientA, {
  name: 'Mariana Alves Ferreira',
  cpf: '094.482.246-05',
  registration: '0007',
  hiredOn: '2021-03-10',
});
const joao = await addEmployee(sam, clientA, {
  name: 'João Pedro Nunes',
  cpf: '34127023074',
  registration: '0002',
  hiredOn: '2024-02-01',
});

const LIST = listInput.parse({
  name: 'Variáveis',
  payroll: 'monthly',
  from: '2026-10',
  dueDay: 25,
  columns: [
    { key: 'overtime', label: 'Horas extras 50%', code: '150', type: 'hours' },
    { key: 'commission', label: 'Comissões', code: '200', type: 'decimal', max: 1_000_000 },
    {
      key: 'absences',
      label: 'Faltas',
      code: '300',
      type: 'quantity',
      unit: 'days',
      decimals: 1,
      isDeduction: true,
    },
  ],
});
const listId = await addList(olga, LIST);
await publishList(olga, listId);

const sheetOf = async (competence = '2026-11', by: Actor = contact, clientId = clientA): Promise<string> =>
  (await listSheets(by, clientId, competence)).find((sheet) => sheet.listId === listId)?.id ?? '';
const november = await sheetOf();
const october = await sheetOf('2026-10');
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => refusal(error)?.code ?? error,
  );
const change = (employeeId: string, column: string, value: number | null, base = 0) => ({
  employeeId,
  column,
  value,
  base,
});
const inbox = async () =>
  (await listInbox(staff, inboxQuery.parse({}))).items
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('payroll'));
const clear = async (sheetId: string): Promise<void> => {
  await db().deleteFrom('payroll_rows').where('sheet_id', '=', sheetId).execute();
  await db()
    .updateTable('payroll_sheets')
    .set({ status: 'draft', closed_at: null, returned: null, undo: null, rows_filled: 0, cells_filled: 0 })
    .where('sheet_id', '=', sheetId)
    .execute();
};

describe('a published list', () => {
  test('gives each client with employees a sheet for each month since its beginning', async () => {
    expect((await listSheets(contact, clientA)).map(({ competence, state }) => [competence, state])).toEqual([
      ['2026-11', 'empty'],
      ['2026-10', 'empty'],
    ]);
    expect(await listSheets(staff, clientB)).toEqual([]);
    await at(Date.UTC(2026, 11, 1, 15), () => makeAllSheets(new AbortController().signal));
    expect((await listSheets(contact, clientA))[0]?.competence).toBe('2026-12');
  });

  test('changes sheets that are empty when it is published again, and no others', async () => {
    const id = await addList(olga, { ...LIST, name: 'Outra' });
    await publishList(olga, id);
    const [first] = (await listSheets(contact, clientA, '2026-11')).filter((sheet) => sheet.listId === id);
    await saveCells(contact, first?.id ?? '', [change(mariana.id, 'overtime', 60)]);
    const [column] = LIST.columns;
    await changeList(olga, id, {
      ...LIST,
      name: 'Outra',
      columns: column ? [{ ...column, label: 'Extras' }] : [],
    });
    await publishList(olga, id);
    const labels = async (competence: string) => {
      const [sheet] = (await listSheets(contact, clientA, competence)).filter((each) => each.listId === id);
      return (await openSheet(contact, sheet?.id ?? '')).columns.map(({ label }) => label);
    };
    expect(await labels('2026-11')).toHaveLength(3);
    expect(await labels('2026-10')).toEqual(['Extras']);
    expect(await payrollList(staff, id)).toMatchObject({ state: 'published', version: 2 });
  });

  test('is changed by those who manage the firm only', async () => {
    const reader = await actorOf(rita.contactId);
    expect(await codeOf(addList(contact, LIST))).toBe('FORBIDDEN');
    expect(await codeOf(publishList(staff, listId))).toBe('FORBIDDEN');
    expect(await codeOf(payrollList(reader, listId))).toBe('FORBIDDEN');
    expect(await codeOf(payrollList(ben, listId))).toBe('FORBIDDEN');
  });
});

describe('a sheet', () => {
  test('shows the employees of its month, and keeps what is typed encrypted', async () => {
    await clear(november);
    expect(await saveCells(contact, november, [change(mariana.id, 'commission', 77_777_77)])).toEqual([
      { kind: 'saved', version: 1 },
    ]);
    const { entries, sheet, isOpen } = await openSheet(contact, november);
    expect(entries.map(({ employee }) => employee.name)).toEqual([
      'João Pedro Nunes',
      'Mariana Alves Ferreira',
    ]);
    expect(sheet).toMatchObject({ state: 'draft', rowsFilled: 1, cellsFilled: 1 });
    expect(isOpen).toBe(true);
    const rows = JSON.stringify(await db().selectFrom('payroll_rows').selectAll().execute());
    expect(rows).not.toContain('7777777');
  });

  test('never overwrites what somebody else has changed meanwhile', async () => {
    await clear(november);
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    await saveCells(staff, november, [change(mariana.id, 'overtime', 120, 1)]);
    expect(await saveCells(contact, november, [change(mariana.id, 'overtime', 90, 1)])).toEqual([
      { kind: 'conflict', version: 2, value: 120 },
    ]);
    // the same value is no conflict, and knowing theirs it is replaced
    expect(await saveCells(contact, november, [change(mariana.id, 'overtime', 120, 1)])).toMatchObject([
      { kind: 'same' },
    ]);
    expect(await saveCells(contact, november, [change(mariana.id, 'overtime', 90, 2)])).toMatchObject([
      { kind: 'saved' },
    ]);
  });

  test('refuses cells that it does not have, and values that do not fit', async () => {
    expect(
      await saveCells(contact, november, [
        change('employee_none', 'overtime', 1),
        change(mariana.id, 'nothing', 1),
        change(mariana.id, 'overtime', 60_000),
        change(mariana.id, 'absences', 155),
      ]),
    ).toEqual(['unknown', 'unknown', 'value', 'value'].map((reason) => ({ kind: 'refused', reason })));
  });

  test('tells empty from zero, in totals and in the export', async () => {
    await clear(november);
    await saveCells(contact, november, [
      change(mariana.id, 'overtime', 0),
      change(joao.id, 'overtime', 90),
      change(joao.id, 'commission', 123_450),
    ]);
    expect(totalsOf(await openSheet(contact, november))).toEqual([
      { column: 'overtime', total: 90, count: 2 },
      { column: 'commission', total: 123_450, count: 1 },
      { column: 'absences', total: 0, count: 0 },
    ]);
    const { content } = await programTable(staff, listId, { competence: '2026-11', format: 'csv' });
    const lines = String(content).trim().split('\r\n');
    expect(lines[0]).toContain('empresa;matricula;cpf;rubrica;descricao;tipo;valor;competencia');
    expect(lines.slice(1).map((line) => line.split(';').slice(1))).toEqual([
      ['0002', '34127023074', '150', 'Horas extras 50%', 'horas', '001:30', '2026-11'],
      ['0002', '34127023074', '200', 'Comissões', 'valor', '1234.50', '2026-11'],
      ['0007', '09448224605', '150', 'Horas extras 50%', 'horas', '000:00', '2026-11'],
    ]);
  });

  test('is filled in from the month before, pasted into, and both undone as one step', async () => {
    await clear(november);
    await saveCells(contact, october, [
      change(mariana.id, 'overtime', 600),
      change(joao.id, 'commission', 5000),
    ]);
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    expect(await copyLastMonth(contact, november)).toBe(1);
    expect(await undoStep(contact, november)).toBe(1);
    const text = 'Matrícula\t150\t200\n0007\t2:00\t80\n0002\t3:00\t\n9999\t1:00\t';
    const { opened, pasted } = await previewPaste(contact, november, text);
    expect(pasted).toMatchObject({ filled: 2, replaced: 1, ignored: [{ line: 4 }] });
    expect(await applyPaste(contact, november, { text, version: opened.sheet.version })).toBe(3);
    // a cell that was changed since stays
    await saveCells(contact, november, [change(joao.id, 'overtime', 240, 1)]);
    expect(await undoStep(contact, november)).toBe(2);
    const { entries } = await openSheet(contact, november);
    const values = entries.map(({ cells }) => [cells['overtime']?.value, cells['commission']?.value ?? null]);
    expect(values).toEqual([
      [240, null],
      [60, null],
    ]);
    expect(await codeOf(applyPaste(contact, november, { text, version: 1 }))).toBe('CHANGED');
  });

  test('is sent with a receipt when nothing blocks it and warnings are confirmed', async () => {
    await clear(november);
    expect(await codeOf(submitSheet(contact, november, { isConfirmed: true }))).toBe('EMPTY');
    await saveCells(contact, november, [change(mariana.id, 'commission', 1_000_001)]);
    expect(await codeOf(submitSheet(contact, november, { isConfirmed: true }))).toBe('INCOMPLETE');
    await saveCells(contact, november, [
      change(mariana.id, 'commission', 5000, 1),
      change(mariana.id, 'overtime', 59_999),
    ]);
    expect(await codeOf(submitSheet(contact, november, { isConfirmed: false }))).toBe('INCOMPLETE');
    const { receipt } = await submitSheet(contact, november, { isConfirmed: true });
    expect(receipt).toBeGreaterThan(0);
    expect((await openSheet(contact, november)).sheet.state).toBe('submitted');
    expect(await codeOf(saveCells(contact, november, [change(joao.id, 'overtime', 1)]))).toBe('NOT_POSSIBLE');
    expect(await inbox()).toContain('payroll-sheet');
    await takeBackSheet(contact, november);
    expect(await inbox()).not.toContain('payroll-sheet');
  });

  test('is returned with a reason, and only the marked cells are open then', async () => {
    await clear(november);
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    await submitSheet(contact, november, { isConfirmed: true });
    await returnSheet(staff, november, {
      reason: 'Confirme as horas',
      cells: [{ employeeId: mariana.id, column: 'overtime' }],
    });
    const { returned, sheet } = await openSheet(contact, november);
    expect(sheet.state).toBe('returned');
    expect(returned?.reason).toBe('Confirme as horas');
    expect(
      await saveCells(contact, november, [
        change(mariana.id, 'overtime', 120, 1),
        change(joao.id, 'overtime', 60),
      ]),
    ).toEqual([
      { kind: 'saved', version: 2 },
      { kind: 'refused', reason: 'notOpen' },
    ]);
    await submitSheet(contact, november, { isConfirmed: true });
    expect((await openSheet(contact, november)).returned).toBeUndefined();
    const mails = await db().selectFrom('mails').select('kind').where('kind', '=', 'payroll-sheet').execute();
    expect(mails.length).toBeGreaterThan(1);
  });

  test('is replied to in words that the client reads, which closes it until it is reopened', async () => {
    await clear(november);
    expect(await codeOf(replyToSheet(staff, november, { text: 'Conferido.' }))).toBe('NOT_POSSIBLE');
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    await submitSheet(contact, november, { isConfirmed: true });
    expect(await codeOf(replyToSheet(contact, november, { text: 'Eu mesma.' }))).toBe('FORBIDDEN');
    expect(await codeOf(replyToSheet(rita, november, { text: 'Leitora.' }))).toBe('FORBIDDEN');
    expect(await inbox()).toContain('payroll-sheet');
    const path = `/api/br-payroll/v1/sheets/${november}/reply`;
    expect((await apiAs(staff)('POST', path, { json: { text: ' ' } })).status).toBe(422);
    expect((await apiAs(staff)('POST', path, { json: { text: 'Conferido.' } })).status).toBe(200);
    expect(await openSheet(contact, november)).toMatchObject({
      sheet: { state: 'closed' },
      reply: 'Conferido.',
      isOpen: false,
    });
    expect(await inbox()).not.toContain('payroll-sheet');
    const { reply } = await db()
      .selectFrom('payroll_sheets')
      .select('reply')
      .where('sheet_id', '=', november)
      .executeTakeFirstOrThrow();
    expect(reply).not.toContain('Conferido');
    const mails = await db()
      .selectFrom('mails')
      .select('mail_key')
      .where('mail_key', 'like', `payroll-sheet:${november}:replied:%`)
      .execute();
    expect(mails).not.toEqual([]);
    expect(await codeOf(replyToSheet(staff, november, { text: 'De novo.' }))).toBe('CLOSED');
    await reopenSheet(staff, november);
    expect((await openSheet(contact, november)).reply).toBe('');
  });

  test('keeps what is typed after it was closed, to be downloaded, and takes it again when it is reopened', async () => {
    await clear(november);
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    await closeSheet(staff, november);
    for (const value of [90, 120])
      expect(await codeOf(saveCells(contact, november, [change(mariana.id, 'overtime', value, 1)]))).toBe(
        'CLOSED',
      );
    expect(await codeOf(saveCells(contact, november, [change(joao.id, 'commission', 4200)]))).toBe('CLOSED');
    expect((await openSheet(contact, november)).entries[1]?.cells['overtime']?.value).toBe(60);
    const [late, ...others] = await listLateEntries(contact, november);
    expect(others).toEqual([]);
    expect(late?.changes).toHaveLength(2);
    const { content } = await lateTable(contact, november, 'pt');
    expect(String(content)).toContain('002:00');
    expect(String(content)).toContain('42,00');
    expect(await codeOf(submitSheet(contact, november, { isConfirmed: true }))).toBe('CLOSED');
    expect(await codeOf(closeSheet(contact, november))).toBe('FORBIDDEN');
    await reopenSheet(staff, november);
    expect(await saveCells(contact, november, [change(mariana.id, 'overtime', 120, 1)])).toMatchObject([
      { kind: 'saved' },
    ]);
  });

  test('does not take the entries of somebody whose contract has ended before', async () => {
    await clear(november);
    const former = await addEmployee(sam, clientA, {
      name: 'Wesley Barbosa',
      cpf: '46407044960',
      hiredOn: '2020-01-02',
    });
    await saveCells(contact, november, [change(former.id, 'overtime', 60)]);
    await changeEmployee(sam, former.id, { endedOn: '2026-10-15', endReason: '02' });
    expect((await openSheet(contact, november)).entries.map(({ isEmployed }) => isEmployed)).toEqual([
      true,
      true,
      false,
    ]);
    expect(await codeOf(submitSheet(contact, november, { isConfirmed: true }))).toBe('INCOMPLETE');
  });

  test('is reminded of before it is due, and waits for the firm when it is late', async () => {
    await clear(november);
    await db().updateTable('payroll_sheets').set({ next_notice_on: '' }).execute();
    await db()
      .updateTable('payroll_sheets')
      .set({ next_notice_on: '2026-11-24' })
      .where('sheet_id', '=', november)
      .execute();
    const titles = async () =>
      (await db().selectFrom('mails').select('mail_id').where('kind', '=', 'payroll-sheet').execute()).length;
    const remindOn = (day: number) =>
      at(Date.UTC(2026, 10, day, 15), () => remindOfSheets(new AbortController().signal));
    const before = await titles();
    await remindOn(23);
    expect(await titles()).toBe(before);
    await remindOn(24);
    const each = (await titles()) - before; // as many as the client has contacts
    expect(each).toBeGreaterThan(0);
    await remindOn(24);
    expect(await titles()).toBe(before + each);
    await remindOn(25);
    expect(await titles()).toBe(before + 2 * each);
    expect(await inbox()).not.toContain('payroll-sheet-late');
    await remindOn(26);
    expect(await inbox()).toContain('payroll-sheet-late');
    await saveCells(contact, november, [change(mariana.id, 'overtime', 60)]);
    await submitSheet(contact, november, { isConfirmed: true });
    expect(await inbox()).toEqual(['payroll-sheet']);
  });

  test('of five hundred employees with twenty columns is pasted whole', async () => {
    const client = await createClient(olga, { name: 'Many' });
    const people = Array.from({ length: 500 }, (_, index) => ({
      name: `Employee ${String(index).padStart(3, '0')}`,
      cpf: '34127023074',
      registration: `M${index}`,
      hiredOn: '2024-02-01',
    }));
    await storeEmployees(olga, client, people);
    const columns = Array.from({ length: 20 }, (_, index) => ({
      key: `c${index}`,
      label: `Column ${index}`,
      type: 'hours' as const,
    }));
    const many = await addList(olga, listInput.parse({ ...LIST, from: '2026-11', name: 'Large', columns }));
    await publishList(olga, many);
    const [sheet] = (await listSheets(olga, client)).filter((each) => each.listId === many);
    const id = sheet?.id ?? '';
    const header = ['Matrícula', ...columns.map(({ label }) => label)].join('\t');
    const lines = people.map(({ registration }) => [registration, ...columns.map(() => '1:30')].join('\t'));
    const text = [header, ...lines].join('\n');
    const { opened } = await previewPaste(olga, id, text);
    expect(await applyPaste(olga, id, { text, version: opened.sheet.version })).toBe(10_000);
    expect((await openSheet(olga, id)).sheet).toMatchObject({ rowsFilled: 500, cellsFilled: 10_000 });
  });
});

describe('the form of a sheet', () => {
  const post = (sheetId: string, fields: Record<string, string>) => {
    const url = new URL(`http://127.0.0.1/clientcenter/pt/actions/service-request/payroll-sheets/${sheetId}`);
    return {
      url,
      request: new Request(url, { method: 'POST', body: new URLSearchParams({ save: 'here', ...fields }) }),
      response: {} as { status?: number },
      locals: {
        lang: 'pt' as const,
        session: sessionAs(contact),
        pathTo: (path = '') => `/clientcenter/pt/${path}`,
        client: Promise.resolve({ id: clientA, name: 'Client' }),
      },
    };
  };
  /** What the form contains of Mariana: what it was made with, and what is typed. */
  const typed = (base: object, hours: string) => ({
    [`b.${mariana.id}`]: JSON.stringify(base),
    [`c.${mariana.id}.overtime`]: hours,
  });
  const cellIn = (page: {
    rows: { cells: { name: string; value: string; problem: string | undefined }[] }[];
  }) => page.rows.flatMap(({ cells }) => cells).find(({ name }) => name === `c.${mariana.id}.overtime`);

  test('keeps what is typed beside what somebody else has saved, and replaces that only when it is saved again', async () => {
    await clear(november);
    expect(await sheetPage(post(november, typed({}, '1:00')), november)).toBeInstanceOf(Response);
    const second = post(november, typed({}, '2:00'));
    const page = await sheetPage(second, november);
    if (page instanceof Response) throw new Error('nothing was refused');
    expect(second.response.status).toBe(409);
    expect(cellIn(page)).toMatchObject({
      value: '2:00',
      problem: expect.stringContaining('001:00') as string,
    });
    const base = JSON.parse(
      page.rows.find(({ employeeId }) => employeeId === mariana.id)?.base ?? '{}',
    ) as object;
    expect(await sheetPage(post(november, typed(base, '2:00')), november)).toBeInstanceOf(Response);
    const { entries } = await openSheet(contact, november);
    expect(entries.find(({ employee }) => employee.id === mariana.id)?.cells['overtime']?.value).toBe(120);
  });

  test('keeps what cannot be read, and says what is wrong with it', async () => {
    const wrong = post(november, typed({}, '7:75'));
    const page = await sheetPage(wrong, november);
    if (page instanceof Response) throw new Error('nothing was refused');
    expect(wrong.response.status).toBe(422);
    expect(cellIn(page)?.value).toBe('7:75');
    expect(page.problems).toHaveLength(1);
  });

  test('shows what was typed after the sheet was closed', async () => {
    await clear(november);
    await closeSheet(staff, november);
    const late = post(november, typed({}, '3:00'));
    const page = await sheetPage(late, november);
    if (page instanceof Response) throw new Error('nothing was refused');
    expect(late.response.status).toBe(409);
    expect(page.late[0]?.changes.at(-1)?.value).toBe(180);
    expect(cellIn(page)?.value).toBe('3:00');
    await reopenSheet(staff, november);
  });
});

describe('the calls', () => {
  const path = '/api/br-payroll/v1';

  test('fill in cells, store rows by registration and send', async () => {
    await clear(november);
    const api = apiAs(contact);
    const saved = await api('PATCH', `${path}/sheets/${november}/cells`, {
      json: { changes: [change(mariana.id, 'overtime', 60)] },
    });
    expect(await saved.json()).toEqual({ items: [{ kind: 'saved', version: 1 }] });
    const stored = await api('PUT', `${path}/sheets/${november}/rows`, {
      json: {
        rows: [
          { registration: '0002', cells: [{ column: '150', value: 90 }] },
          { registration: '0404', cells: [{ column: '150', value: 90 }] },
        ],
      },
    });
    expect(await stored.json()).toMatchObject({ items: [{ status: 'stored' }, { status: 'refused' }] });
    const totals = await api('GET', `${path}/sheets/${november}/totals`);
    expect(await totals.json()).toMatchObject({ items: [{ column: 'overtime', total: 150 }, {}, {}] });
    const table = await api('GET', `${path}/sheets/${november}/table`);
    expect(await table.text()).toContain('Mariana Alves Ferreira');
  });

  test('find no sheet of another client, and export nothing to contacts', async () => {
    const other = await actorOf(ben.contactId);
    expect((await apiAs(other)('GET', `${path}/sheets/${november}`)).status).toBe(404);
    const exported = await apiAs(contact)('GET', `${path}/exports/${listId}?competence=2026-11`);
    expect(exported.status).toBe(403);
    const file = await apiAs(staff)('GET', `${path}/exports/${listId}?competence=2026-11&format=xlsx`);
    expect(
      Buffer.from(await file.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });
});

test('the list of sheets has the due dates as dates in a spreadsheet', async () => {
  const dates = await datesIn(
    await apiAs(staff)('GET', '/api/br-payroll/v1/grids/sheets/export?format=xlsx'),
  );
  expect(dates).toContain('2026-11-25');
});

test('the sheets of a merged client are united with those of the other one', async () => {
  const twin = await createClient(olga, { name: 'From' });
  const into = await createClient(olga, { name: 'Into' });
  const other = await addEmployee(olga, into, { name: 'Bruna', cpf: '64246827320', hiredOn: '2020-01-02' });
  const employee = await addEmployee(olga, twin, {
    name: 'Edson',
    cpf: '06125295257',
    hiredOn: '2020-01-02',
  });
  await makeAllSheets(new AbortController().signal);
  const own = await sheetOf('2026-11', olga, twin);
  await saveCells(olga, own, [change(employee.id, 'overtime', 30)]);
  const united = await sheetOf('2026-11', olga, into);
  await saveCells(olga, united, [change(other.id, 'overtime', 90)]);
  await mergeClients(sessionAs(olga), twin, into);
  const { entries, sheet } = await openSheet(olga, united);
  expect(entries.map(({ employee: { name }, cells }) => [name, cells['overtime']?.value])).toEqual([
    ['Bruna', 90],
    ['Edson', 30],
  ]);
  expect(sheet.rowsFilled).toBe(2);
  expect(await codeOf(openSheet(olga, own))).toBe('NOT_FOUND');
});
