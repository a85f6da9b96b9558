import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { clientRecordsOf, clientsByCode } from '#features/clients/clients/bulk.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import {
  cancelImport,
  confirmImport,
  continueStopped,
  importCounts,
  importOf,
  listImports,
  listRows,
  problemRows,
  setMapping,
  undoImport,
} from '#features/office/imports/imports.server.ts';
import { rowQuery } from '#features/office/imports/imports.ts';
import { recordKind } from '#features/office/imports/kinds.server.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { recordFile } from '#features/office/imports/record-files.server.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { invite } from '#features/identity/invitations/invitations.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';

import '../../../src/app.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { sam, tom, firmOne } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
const mia = await person(firmOne, 'Mia Manager', 'mia@one.example', { role: 'manager' });

const upload = (file: string | Buffer, actor = hart): Promise<string> =>
  startImport(actor, { kind: 'clients', name: 'clients.csv', bytes: Readable.from([Buffer.from(file)]) });

/** Uploads a file and checks its rows, with the columns as they are proposed. */
async function checked(text: string | Buffer, actor = hart): Promise<string> {
  const id = await upload(text, actor);
  await setMapping(actor, id, await proposedMapping(actor, await importOf(actor, id)));
  await runDueJobs();
  return id;
}

async function imported(text: string, actor = hart): Promise<string> {
  const id = await checked(text, actor);
  await confirmImport(actor, id, false);
  await runDueJobs();
  return id;
}

const rowsOf = async (id: string, actor: Actor = hart) =>
  (await listRows(actor, id, rowQuery.parse({}))).rows
    .toSorted((a, b) => a.number - b.number)
    .map(({ line, action, state, problems, changes }) => ({
      line,
      action,
      state,
      problems: problems.map(({ code, field, line: other }) =>
        [code, field ?? other].filter(Boolean).join(' '),
      ),
      changes,
    }));

async function clientNamed(code: string) {
  const id = (await clientsByCode(hart, [code])).get(code.toLowerCase());
  const [record] = id === undefined ? [] : await clientRecordsOf(hart, [id]);
  return record;
}

const stateOf = async (id: string) => (await importOf(hart, id)).state;
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );

describe('checking', () => {
  test('the columns of a Spanish file are recognized by their usual names', async () => {
    const text = 'Número;Razón social;Nombre comercial;Domicilio\nE-1;Panadería Sur SA;Pan Sur;Av. Mitre 1\n';
    const file = await startImport(hart, {
      kind: 'clients',
      name: 'a.csv',
      bytes: Readable.from([Buffer.from(text)]),
    });
    expect(await proposedMapping(hart, await importOf(hart, file))).toEqual([
      'code',
      'name',
      'doingBusinessAs',
      'address1',
    ]);
  });

  test('every row says what it will do, and nothing is written', async () => {
    const id = await checked(
      [
        'Código;Razão social;Tipo;CNPJ;EIN;Country;Tags;Year end;Responsible;Language',
        'N-1;Padaria Âmbar;empresa;11.222.333/0001-81;;Brasil;vip, mensal;31/12;HART@one.example;português',
        'A-1;Amber Bakery;;;;;;;;',
        'a-1;Amber Bakery Inc;;;12-3456789;;;;;',
        'N-2;;;;;;;;;',
        'N-3;Wrong;robot;11.222.333/0001-82;;Atlantis;;31/31;nobody@one.example;klingon',
        ';No number;;;;;;;;',
        'N-4;"a" b;',
        'N-5;x;;;;;;;;;;;;;;y',
      ].join('\r\n'),
    );
    expect(await stateOf(id)).toBe('ready');
    expect(await rowsOf(id)).toEqual([
      { line: 2, action: 'create', state: 'waiting', problems: [], changes: [] },
      { line: 3, action: 'none', state: 'waiting', problems: [], changes: [] },
      { line: 4, action: 'problem', state: 'waiting', problems: ['SAME_AS_LINE 3'], changes: [] },
      { line: 5, action: 'problem', state: 'waiting', problems: ['MISSING name'], changes: [] },
      {
        line: 6,
        action: 'problem',
        state: 'waiting',
        problems: [
          'KIND kind',
          'LANGUAGE language',
          'DAY yearEnd',
          'TAX_ID cnpj',
          'COUNTRY country',
          'STAFF_UNKNOWN responsible',
        ],
        changes: [],
      },
      { line: 7, action: 'problem', state: 'waiting', problems: ['MISSING code'], changes: [] },
      { line: 8, action: 'problem', state: 'waiting', problems: ['QUOTES'], changes: [] },
      { line: 9, action: 'problem', state: 'waiting', problems: ['COLUMNS'], changes: [] },
    ]);
    expect(await clientNamed('N-1')).toBeUndefined();
    const { rows } = await problemRows(hart, id);
    expect(rows.map(({ line }) => line)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  test('a file that cannot be read is refused with the reason and the line', async () => {
    await expect(upload(`a,b\n${',\n'.repeat(3)}${'1,2\n'.repeat(10_001)}`)).rejects.toMatchObject({
      code: 'INVALID',
      details: { file: 'TOO_MANY_ROWS', line: 10_005 },
    });
    await expect(upload('a,b\n')).rejects.toMatchObject({ details: { file: 'EMPTY' } });
  });

  test('columns are assigned once, and the number must be among them', async () => {
    const id = await upload('No.,Name,Other\n1,A,x\n');
    expect(await proposedMapping(hart, await importOf(hart, id))).toEqual(['code', 'name', '']);
    await expect(setMapping(hart, id, ['', 'name', ''])).rejects.toMatchObject({
      details: { fields: ['code'] },
    });
    await expect(setMapping(hart, id, ['code', 'name', 'name'])).rejects.toMatchObject({
      details: { twice: 'name' },
    });
    expect(await codeOf(setMapping(hart, id, ['code', 'name', 'company_id']))).toBe('INVALID');
  });

  test('the columns of the last file are proposed again', async () => {
    const id = await upload('Kd-Nr,Firma\nK-1,Keller\n');
    await setMapping(hart, id, ['code', 'name']);
    const next = await upload('Firma,Kd-Nr\nKeller,K-1\n');
    expect(await proposedMapping(hart, await importOf(hart, next))).toEqual(['name', 'code']);
    await runDueJobs();
  });
});

test.each(['12-31', '31 Dec', 'Dec 31', 'December 31st', '31 déc.', '31 de dezembro', '31/12'])(
  'the end of a tax year can be written as %s',
  async (day) => {
    const id = await imported(`code,name,yearEnd\nY-${day.length}${day.slice(0, 2)},Year ${day},"${day}"`);
    expect(await stateOf(id)).toBe('done');
    expect((await clientNamed(`y-${day.length}${day.slice(0, 2)}`.toLowerCase()))?.yearEnd).toBe('12-31');
  },
);

describe('importing', () => {
  const text = [
    'code,name,kind,doingBusinessAs,cnpj,address1,city,country,tags,language,yearEnd,responsible',
    'I-1,Ida Ltd,business,Ida,11222333000181,"Rua A, 1",São Paulo,BR,vip; new,pt,06-30,hart@one.example',
    'I-2,Ines,individual,,,,,,,,,',
  ].join('\n');

  test('clients are created with all their data, and the same file again changes nothing', async () => {
    const id = await imported(text);
    expect(await stateOf(id)).toBe('done');
    expect(await clientNamed('i-1')).toMatchObject({
      name: 'Ida Ltd',
      kind: 'business',
      doingBusinessAs: 'Ida',
      taxIds: [{ kind: 'cnpj', number: '11222333000181' }],
      address: { address1: 'Rua A, 1', city: 'São Paulo', country: 'BR' },
      tags: ['new', 'vip'],
      language: 'pt',
      yearEnd: '06-30',
      responsible: [hart.contactId],
    });
    expect((await importCounts(hart, await checked(text))).actions).toEqual({
      create: 0,
      update: 0,
      none: 2,
      problem: 0,
      duplicate: 0,
    });
  });

  test('people who were invited to the team a minute ago are responsible for imported clients', async () => {
    const { invitationId } = await invite(hart, {
      emailAddress: 'bea@new.example',
      firstName: 'Bea',
      lastName: 'Ruiz',
      language: 'en-us',
      clientIds: [],
      role: 'member',
    });
    const file = 'code,name,responsible\nR-1,Rosa Ltd,"Bea@new.example; hart@one.example"\n';
    expect(await stateOf(await imported(file))).toBe('done');
    const client = await clientNamed('R-1');
    expect(new Set(client?.responsible)).toEqual(new Set([hart.contactId, invitationId]));
    expect((await importCounts(hart, await checked(file))).actions, 'the same file').toMatchObject({
      none: 1,
    });
  });

  test('clients are changed by number; an empty cell changes nothing', async () => {
    const id = await imported('code,name,doingBusinessAs,city,tags\nI-1,Ida & Co,,Santos,gold\n');
    expect((await rowsOf(id))[0]).toMatchObject({
      action: 'update',
      state: 'done',
      changes: ['name', 'city', 'tags'],
    });
    expect(await clientNamed('I-1')).toMatchObject({
      name: 'Ida & Co',
      doingBusinessAs: 'Ida',
      address: { address1: 'Rua A, 1', city: 'Santos' },
      tags: ['gold'],
    });
    await undoImport(hart, id);
    await runDueJobs();
    expect(await stateOf(id)).toBe('undone');
    expect(await clientNamed('I-1')).toMatchObject({
      name: 'Ida Ltd',
      address: { city: 'São Paulo' },
      tags: ['new', 'vip'],
    });
  });

  test('an export can be imported again, and changes nothing', async () => {
    await imported('code,name,tags\nF-1,=SUM(A1),"@x; -y"\nF-2,"\'quoted, ""name""",\nF-3,+1,\n');
    expect(await clientNamed('f-1')).toMatchObject({ name: '=SUM(A1)', tags: ['-y', '@x'] });
    for (const [lang, name] of [
      ['en-us', 'clients.csv'],
      ['pt', 'clients.csv'],
      ['es', 'clients.xlsx'],
    ] as const) {
      const file = await (await recordFile(hart, lang, name)).arrayBuffer();
      const id = await checked(Buffer.from(file));
      const { actions } = await importCounts(hart, id);
      expect(actions, lang).toMatchObject({ create: 0, update: 0, problem: 0 });
      expect(actions.none).toBeGreaterThan(5);
    }
  });

  test('an undo removes what it created, and keeps what is in use or was changed since', async () => {
    const id = await imported('code,name\nU-1,Unused\nU-2,Used\nI-2,Ines Maria\n');
    const used = await clientNamed('U-2');
    await db()
      .insertInto('client_contacts')
      .values({ client_id: used?.id ?? '', contact_id: sam.contactId })
      .execute();
    const changed = await clientNamed('I-2');
    await updateClient(hart, changed?.id ?? '', { name: 'Ines Sofia' });
    await undoImport(hart, id);
    await runDueJobs();
    expect((await rowsOf(id)).map(({ state, problems }) => [state, ...problems])).toEqual([
      ['undone'],
      ['kept', 'IN_USE'],
      ['kept', 'CHANGED_SINCE'],
    ]);
    expect(await clientNamed('U-1')).toBeUndefined();
    expect(await clientNamed('U-2')).toMatchObject({ name: 'Used' });
    expect(await clientNamed('I-2')).toMatchObject({ name: 'Ines Sofia' });
  });

  test('a row whose number was taken after the check fails alone', async () => {
    const id = await checked('code,name\nT-1,One\nT-2,Two\nT-3,Three\n');
    await imported('code,name\nT-2,Someone else\n');
    await confirmImport(hart, id, false);
    await runDueJobs();
    expect((await rowsOf(id)).map(({ state, problems }) => [state, ...problems])).toEqual([
      ['done'],
      ['failed', 'CHANGED'],
      ['done'],
    ]);
    expect(await stateOf(id)).toBe('done');
  });

  test('a cancelled import keeps what it did, and can go on', async () => {
    const id = await checked(
      `code,name\n${Array.from({ length: 120 }, (_, i) => `C-${i},Client ${i}`).join('\n')}`,
    );
    await confirmImport(hart, id, false);
    await cancelImport(hart, id);
    await runDueJobs();
    expect(await importCounts(hart, id)).toMatchObject({ states: { done: 0, waiting: 120 } });
    await continueStopped(hart, id);
    await runDueJobs();
    expect(await importCounts(hart, id)).toMatchObject({ states: { done: 120, waiting: 0 } });
  });
});

describe('rights', () => {
  test('only staff who manage all clients import, export and see imports', async () => {
    const id = await upload('code,name\nR-1,Right\n');
    const assigned: Actor = { ...hart, hasAllClients: false };
    for (const actor of [sam, assigned]) {
      expect(await codeOf(upload('code,name\n1,2\n', actor))).toBe('FORBIDDEN');
      // those of employees are open to them, those of clients and contacts are not
      expect(await listImports(actor)).toEqual([]);
      expect(await codeOf(importOf(actor, id))).toBe('FORBIDDEN');
    }
    expect(await codeOf(recordFile(sam, 'en-us', 'clients.csv'))).toBe('FORBIDDEN');
    expect(await codeOf(recordFile(hart, 'en-us', 'secrets.csv'))).toBe('NOT_FOUND');
  });

  test('employees are offered to firms that have clients with a CNPJ', async () => {
    const { isOffered } = recordKind('employees');
    const taxIds = [{ kind: 'cnpj', number: '99304518000186' }] as const;
    await createClient(hart, { name: 'Padaria', code: 'BR-1', taxIds: [...taxIds] });
    expect(await isOffered?.(hart)).toBe(true);
    expect(await isOffered?.(tom)).toBe(false);
  });

  test('imports of another firm are not found', async () => {
    const id = await checked('code,name\nR-2,Right\n');
    for (const work of [
      () => importOf(tom, id),
      () => listRows(tom, id, rowQuery.parse({})),
      () => problemRows(tom, id),
      () => setMapping(tom, id, ['code', 'name']),
      () => confirmImport(tom, id, false),
      () => continueStopped(tom, id),
      () => cancelImport(tom, id),
      () => undoImport(tom, id),
    ])
      expect(await codeOf(work())).toBe('NOT_FOUND');
  });

  test('whoever loses the right in the middle stops the import, and someone else can continue it', async () => {
    const count = 2000;
    const codes = Array.from({ length: count }, (_, i) => `L-${i}`);
    const id = await checked(['code,name', ...codes.map((code) => `${code},Lost ${code}`)].join('\n'), mia);
    const created = async (): Promise<number> =>
      (await db().selectFrom('clients').select('client_id').where('code', 'in', codes).execute()).length;
    await confirmImport(mia, id, false);
    let isOver = false;
    const working = runDueJobs().finally(() => (isOver = true));
    // not a poll: on SQLite a timer gets no turn while the job works
    while (!isOver && (await created()) === 0) continue;
    await db()
      .insertInto('access_settings')
      .values({
        company_id: firmOne,
        contact_id: mia.contactId,
        kind: 'permission',
        name: 'ManageClients',
        granted: 0,
      } as never)
      .execute();
    await working;
    expect(await stateOf(id)).toBe('stopped');
    expect(await created()).toBe((await importOf(hart, id)).position);
    expect(await created(), 'the right ended in the middle').toBeLessThan(count);
    await continueStopped(hart, id);
    await runDueJobs();
    expect(await stateOf(id)).toBe('done');
    expect(await created()).toBe(count);
  });

  test('the audit log has the import, its end with the counts, and every client', async () => {
    const id = await imported('code,name\nZ-1,Audited\n');
    const entries = await db()
      .selectFrom('audit')
      .select(['action', 'details'])
      .where('target', '=', id)
      .orderBy('seq')
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(['import.start', 'import.finish']);
    expect(entries[1]?.details).toContain('"done":1');
    const created = await db()
      .selectFrom('audit')
      .select('action')
      .where('target', '=', (await clientNamed('Z-1'))?.id ?? '')
      .execute();
    expect(created.map(({ action }) => action)).toContain('client.create');
  });
});
