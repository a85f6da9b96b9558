import { expect, describe, test } from 'vitest';
import { activityOf, auditGrid } from '#features/office/staff/audit-log.server.ts';
import { answerOf } from '#features/base/grids/answer.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import { csvOf } from '#platform/tabular/csv-writer.ts';
import { exportGrid } from '#features/base/grids/exports.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { audit, withCaller } from '#platform/security/audit.server.ts';
import { at, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { composition } from '#platform/runtime/feature.server.ts';
import { allAuditActions } from '#platform/security/audit-actions.server.ts';
import '../../../src/app.server.ts';
import { apiAs } from '../../support/api.ts';
import { BROWSER, CANARY, client, uploadAs, makeCast, person, unlink } from '../../support/cast.ts';

const { ada, ben, cleo, sam, zoe, tom, firmOne, clientA, projectA, projectB } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
const paper = await withCaller({ network: '198.51.100.9' }, () =>
  uploadAs(sam, projectA, 'Tax return.pdf', 'return'),
);
await uploadAs(sam, projectB, 'Boat papers.pdf', 'boats');
await openDocument(ada, { containerType: 'Project', containerId: projectA.id }, paper.id, true);
await createFolder(ada, { name: 'Receipts', parentId: projectA.id, parentType: 'Project' });
await audit({
  companyId: firmOne,
  actor: hart.contactId,
  action: 'view.start',
  target: ada.contactId,
  details: { subject: ada.contactId },
});

test('the activity leads to the confirmations of what the reader may see', async () => {
  const { entries } = await activityOf(ada, undefined);
  const download = entries.find(({ action }) => action === 'document.download');
  const { receipts } = await listReceipts(ada, clientA, { kind: '' });
  expect(download?.receipt).toBe(receipts.find(({ kind }) => kind === 'download')?.number);
  await db()
    .updateTable('documents')
    .set({ audience: 'nfe-manifest/none' })
    .where('document_id', '=', paper.id)
    .execute();
  const after = (await activityOf(ada, undefined)).entries.find(
    ({ action }) => action === 'document.download',
  );
  expect(after, 'a document that is for others').not.toHaveProperty('receipt');
  await db().updateTable('documents').set({ audience: null }).where('document_id', '=', paper.id).execute();
});

type Query = Record<string, string>;
const queryOf = (query: Query = {}) => gridQueryOf(auditGrid, auditGrid.parameters.parse(query));
const listAuditLog = async (actor: Actor, query: ReturnType<typeof queryOf>) => {
  const { rows: entries, next } = await readGrid(auditGrid, actor, query);
  return { entries, next };
};
async function exportAuditLog(actor: Actor, query: ReturnType<typeof queryOf>): Promise<string> {
  const context = {
    lang: 'en-us',
    t: translationsFor('en-us', 'staff'),
    pathTo: addressBuilder(() => 'en-us', undefined),
  } as const;
  const chunks: string[] = [];
  for await (const chunk of await exportGrid(auditGrid, actor, { query, format: 'csv', context }))
    chunks.push(String(chunk));
  return chunks.join('');
}
const lines = async (query?: Query) =>
  (await listAuditLog(hart, queryOf(query))).entries.map(({ who, action, what, client: name }) =>
    [who, action, what, name].join(' | '),
  );

describe('the contacts of a firm', () => {
  const page = (parameters: Record<string, string> = {}) =>
    readGrid(
      peopleGrid,
      sam,
      gridQueryOf(peopleGrid, peopleGrid.parameters.parse({ who: 'contacts', ...parameters })),
    );
  const names = async (searchTerm = '') => (await page({ searchTerm })).rows.map(({ fullName }) => fullName);

  test('the contacts of a firm are listed without its staff, by name', async () => {
    expect(await names()).toEqual(['Ada Amber', 'Ben Birch', 'Cleo Cedar']);
    expect(JSON.stringify(await page())).not.toContain(CANARY);
  });

  test('contacts are found by part of the name in any case, or by the whole email address', async () => {
    expect([
      await names('AMB'),
      await names('BEN@one.example'),
      await names('en@one.example'),
      await names(`zoe-${CANARY}@two.example`),
    ]).toEqual([['Ada Amber'], ['Ben Birch'], [], []]);
    const accented = await person(firmOne, 'Ágata Íris', 'agata@one.example');
    expect(await names('ÁGATA')).toEqual([accented.fullName]);
  });

  test('contacts are listed with their clients and last visit', async () => {
    const { rows } = await page({ searchTerm: 'ce' });
    expect(rows).toEqual([
      expect.objectContaining({
        fullName: 'Cleo Cedar',
        emailAddress: 'cleo@one.example',
        clients: { first: 'Amber Bakery', count: 2 },
        state: 'new',
        lastSeenAt: undefined,
      }),
    ]);
    await startSession(cleo, BROWSER);
    const [after] = (await page({ searchTerm: 'ce' })).rows;
    expect([after?.state, typeof after?.lastSeenAt]).toEqual(['active', 'number']);
  });

  test('contacts cannot see the list of contacts', async () => {
    await expect(
      readGrid(peopleGrid, ada, gridQueryOf(peopleGrid, peopleGrid.parameters.parse({}))),
    ).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

test('every audit action has a label of its own', () => {
  // an action that no feature declares with a label does not compile
  const labels = [...allAuditActions().values()].map(({ text }) => text);
  expect(new Set(labels).size).toBe(labels.length);
  expect(labels.length).toBeGreaterThan(50);
});

test('no two features declare the same audit action', () => {
  const names = composition().flatMap(({ auditActions = {} }) => Object.keys(auditActions));
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

describe('the audit log', () => {
  test('the audit log of a firm is shown to those who manage it, with its own entries only', async () => {
    expect(await lines({ action: 'document.upload' })).toEqual([
      'Sam Staff | document.upload | Boat papers.pdf | Birch Boats',
      'Sam Staff | document.upload | Tax return.pdf | Amber Bakery',
    ]);
    const granted = { ...ada, access: hart.access }; // a contact is not staff, whatever permissions they have
    for (const actor of [ada, sam, granted])
      await expect(listAuditLog(actor, queryOf())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const actor of [ada, sam, granted])
      await expect(exportAuditLog(actor, queryOf())).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('the audit log is filtered by person, client, action and day', async () => {
    expect(await lines({ person: 'amber', clientName: 'bakery' })).toEqual([
      'Ada Amber | folder.create | Receipts | Amber Bakery',
      'Ada Amber | document.download | Tax return.pdf | Amber Bakery',
    ]);
    expect(await lines({ person: 'amber', action: 'view.start' }), 'also who was looked as').toEqual([
      'Eleanor Hart | view.start | Ada Amber | ',
    ]);
    expect(await lines({ clientName: 'boats' })).toEqual([
      'Sam Staff | document.upload | Boat papers.pdf | Birch Boats',
    ]);
    expect([
      await lines({ person: 'zoe' }),
      await lines({ clientName: CANARY }),
      await lines({ to: '2020-01-01' }),
      await lines({ from: '2999-01-01' }),
      (await lines({ from: '2020-01-01' })).length > 3,
    ]).toEqual([[], [], [], [], true]);
  });

  test('the audit log shows the network of each entry', async () => {
    const [, upload] = (await listAuditLog(hart, queryOf({ action: 'document.upload' }))).entries;
    expect(upload?.network).toBe('198.51.100.9');
  });

  test('the next page of the audit log continues where the previous one ended', async () => {
    for (let number = 0; number < 30; number += 1)
      await audit({ companyId: firmOne, actor: ben.contactId, action: 'folder.create', target: '-' });
    const first = await listAuditLog(hart, queryOf({ person: 'ben' }));
    const second = await listAuditLog(hart, queryOf({ person: 'ben', after: first.next ?? '' }));
    expect([first.entries.length, second.entries.length, second.next]).toEqual([25, 5, undefined]);
    expect(first.entries.at(-1)?.seq).toBe((second.entries[0]?.seq ?? 0) + 1);
  });

  test('the audit log is exported as a table, and the export is audited', async () => {
    const table = await exportAuditLog(hart, queryOf({ clientName: 'bakery' }));
    expect(table.split('\r\n').slice(0, 2)).toEqual([
      '\uFEFFNumber,Date,Person,Action,Details,Client,IP address,Result,Reason',
      expect.stringMatching(
        /^\d+,20\d\d-[\dT:.-]+Z,Ada Amber,Created a folder,Receipts,Amber Bakery,,done,$/,
      ),
    ]);
    expect(table).not.toContain(CANARY);
    expect(await lines({ action: 'audit.export' })).toEqual(['Eleanor Hart | audit.export |  | ']);
  });

  test('the audit log tells what the firm published from what its clients uploaded, on the page and exported', async () => {
    await uploadAs(cleo, projectB, 'Harbour fees.pdf', 'fees');
    const query = queryOf({ action: 'document.upload', clientName: 'boats' });
    const context = {
      lang: 'fr',
      t: translationsFor('fr', 'staff'),
      pathTo: addressBuilder(() => 'fr', undefined),
    } as const;
    const { rows } = answerOf(auditGrid, await readGrid(auditGrid, hart, query), {
      actor: hart,
      context,
      query,
    });
    expect(rows.map(({ cells }) => cells.action)).toMatchObject([
      { text: 'A téléversé un document', note: 'Harbour fees.pdf' },
      { text: 'A publié un document', note: 'Boat papers.pdf' },
    ]);
    const table = await exportAuditLog(hart, query);
    expect(table).toMatch(/,Cleo [^,]*,Uploaded a document,Harbour fees.pdf,/);
    expect(table).toMatch(/,Sam Staff,Published a document,Boat papers.pdf,/);
  });

  test('the exported audit log starts no formula in a spreadsheet, and keeps commas and quotes in their cells', () => {
    expect(csvOf(['a'], [['＝1'], ['＋1'], ['－1'], ['＠x']])).toBe(
      `\uFEFFa\r\n'＝1\r\n'＋1\r\n'－1\r\n'＠x\r\n`,
    );
    expect(csvOf(['a'], [['=1+1'], ['@x'], ['-2'], ['a "b", c'], ['two\nlines'], [-2]])).toBe(
      `\uFEFFa\r\n'=1+1\r\n'@x\r\n'-2\r\n"a ""b"", c"\r\n"two\nlines"\r\n-2\r\n`,
    );
  });

  test.each([
    ['Pacific/Kiritimati', '2031-05-09T10:00:00.000Z', '2031-05-10T09:59:59.999Z'],
    ['Pacific/Pago_Pago', '2031-05-10T11:00:00.000Z', '2031-05-11T10:59:59.999Z'],
  ])(
    'the audit log is filtered by days in the time zone of the firm, here in %s',
    async (timeZone, first, last) => {
      await db()
        .updateTable('firms')
        .set({ time_zone: timeZone })
        .where('company_id', '=', firmOne)
        .execute();
      const [start, end] = [Date.parse(first), Date.parse(last)];
      for (const instant of [start - 1, start, end, end + 1])
        await at(instant, () =>
          audit({ companyId: firmOne, actor: ben.contactId, action: 'container.role', target: '-' }),
        );
      const times = async (days: Query) =>
        (await listAuditLog(hart, queryOf({ action: 'container.role', ...days }))).entries.map(
          (entry) => entry.at - start,
        );
      expect(await times({ from: '2031-05-10', to: '2031-05-10' })).toEqual([end - start, 0]);
      expect(
        await exportAuditLog(
          hart,
          queryOf({ action: 'container.role', from: '2031-05-10', to: '2031-05-10' }),
        ),
      ).toContain(first);
      await db().updateTable('firms').set({ time_zone: 'UTC' }).where('company_id', '=', firmOne).execute();
    },
  );
});

describe('the groups of the audit log', () => {
  const groupsBy = async (group: string, lang: Lang, sort = '') => {
    const query = queryOf({ group });
    const orderBy = sort === '' ? [] : [{ by: group, dir: 'desc' as const }];
    const context = {
      lang,
      t: translationsFor(lang, 'staff'),
      pathTo: addressBuilder(() => lang, undefined),
    };
    const page = await readGrid(auditGrid, hart, { ...query, orderBy });
    return answerOf(auditGrid, page, { actor: hart, context, query: { ...query, orderBy } }).groups;
  };

  test.each(['en-us', 'pt', 'fr'] as const)(
    'actions are sorted by their text in %s, not by their code',
    async (lang) => {
      const texts = (await groupsBy('action', lang)).map(({ text }) => text);
      expect(texts).toEqual(texts.toSorted(new Intl.Collator(LANGUAGES[lang]).compare));
      expect(texts.length).toBeGreaterThan(3);
      expect((await groupsBy('action', lang, '-')).map(({ text }) => text)).toEqual(texts.toReversed());
    },
  );

  test('what the firm published and what its clients uploaded is one group, named after both', async () => {
    const texts = new Map((await groupsBy('action', 'en-us')).map(({ key, text }) => [key, text]));
    expect(texts.get('document.upload')).toBe('Uploaded or published a document');
  });

  test('people and clients are sorted by name, and entries without one come first', async () => {
    for (const group of ['who', 'client']) {
      const [first, ...named] = await groupsBy(group, 'en-us');
      const texts = named.map(({ text }) => text);
      expect(texts).toEqual(texts.toSorted((a, b) => a.localeCompare(b, 'en-US')));
      expect(group === 'client' ? first?.key : '').toBe('');
      expect(texts).toContain(group === 'client' ? 'Amber Bakery' : 'Sam Staff');
    }
  });
});

describe('the activity that a contact sees', () => {
  const seen = async (actor: typeof ada) =>
    (await activityOf(actor, undefined)).entries.map(
      ({ who, action, what }) => `${who} | ${action} | ${what}`,
    );

  test('a contact sees the entries about documents of their clients and who viewed as them, but not internal ones', async () => {
    expect(await seen(ada)).toEqual([
      'Eleanor Hart | view.start | Ada Amber',
      'Ada Amber | folder.create | Receipts',
      'Ada Amber | document.download | Tax return.pdf',
      'Sam Staff | document.upload | Tax return.pdf',
    ]);
    const text = JSON.stringify((await activityOf(ada, undefined)).entries);
    expect([text.includes('198.51.100.9'), text.includes('Boat')]).toEqual([false, false]);
  });

  test('the activity tells what the firm published from what its clients uploaded', async () => {
    await uploadAs(ada, projectA, 'Receipt.pdf', 'receipt');
    const { entries } = await activityOf(ada, undefined);
    const uploads = entries.filter(({ action }) => action === 'document.upload');
    expect(uploads.map(({ what, byStaff }) => [what, byStaff])).toEqual([
      ['Receipt.pdf', false],
      ['Tax return.pdf', true],
    ]);
    expect(allAuditActions().get('document.upload')?.textByStaff).toBe('didPublishDocument');
  });

  test('a contact does not see entries of another contact, another firm or a client they lost', async () => {
    expect(
      (await seen(ben)).some((line) => line.includes('Tax return.pdf') || line.includes('view.start')),
    ).toBe(false);
    expect((await seen(zoe)).join()).not.toContain('Tax return.pdf');
    expect((await seen(tom)).join()).not.toContain('Tax return.pdf');
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
    const own = await client(firmOne, 'Guest House', 'G-1', [guest]);
    await createFolder(guest, { name: 'Mine', parentId: own, parentType: 'Client' });
    expect(await seen(guest)).toEqual(['Gus Guest | folder.create | Mine']);
    await unlink(own, guest);
    expect(await seen(guest)).toEqual([]);
  });

  test('the activity names no deleted document', async () => {
    const lou = await person(firmOne, 'Lou Lost', 'lou@one.example');
    const own = await client(firmOne, 'Lost Letters', 'L-1', [lou]);
    const { id } = await uploadAs(lou, { id: own, containerType: 'Client' }, 'Old secret.pdf', 'old');
    expect((await seen(lou))[0]).toBe('Lou Lost | document.upload | Old secret.pdf');
    await db().updateTable('documents').set({ deleted_at: now() }).where('document_id', '=', id).execute();
    expect((await seen(lou))[0]).toBe('Lou Lost | document.upload | ');
  });
});

test('a download is recorded once, not once for each range', async () => {
  const address = `/api/storage/v1/projects/${projectA.id}/documents/${paper.id}`;
  const downloads = async () => (await lines({ action: 'document.download', person: 'cleo' })).length;
  await apiAs(cleo)('GET', address);
  expect(await downloads()).toBe(1);
  await apiAs(cleo)('GET', address, { headers: { range: 'bytes=5-' } });
  await apiAs(cleo)('HEAD', address);
  expect(await downloads()).toBe(1);
  await apiAs(cleo)('GET', address, { headers: { range: 'bytes=0-4' } });
  expect(await downloads(), 'a part of the download of that day').toBe(1);
  await apiAs(cleo)('GET', address);
  expect(await downloads()).toBe(2);
});

test('the upload folder is created by the first upload, not by viewing', async () => {
  const own = await client(firmOne, 'Fresh Fields', 'F-1', [ada]);
  const { findDefaultFolder } = await import('#features/documents/folders/folders.server.ts');
  const { listContainers } = await import('#features/documents/folders/tree.server.ts');
  expect([await findDefaultFolder(ada, own), await listContainers(ada, own)]).toEqual([undefined, []]);
  for (const stranger of [ben, zoe])
    await expect(findDefaultFolder(stranger, own)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { filesForm } = await import('../../support/api.ts');
  const { pdf } = await import('../../support/cast.ts');
  const answer = await apiAs(ada)('POST', `/api/storage/v1/clients/${own}/documents?into=uploads`, {
    form: filesForm(['receipt.pdf', pdf('receipt')]),
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { data: [{ name: 'receipt.pdf', parent: { name: 'Uploads', containerType: 'Project' } }] },
  ]);
  expect((await findDefaultFolder(ada, own))?.documentCount).toBe(1);
  const theirs = await apiAs(ben)('POST', `/api/storage/v1/clients/${clientA}/documents?into=uploads`, {
    form: filesForm(['receipt.pdf', pdf('receipt')]),
  });
  expect(theirs.status).toBe(404);
});
