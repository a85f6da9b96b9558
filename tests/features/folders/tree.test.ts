import { describe, expect, test } from 'vitest';
import { containerTree, descendants, listProjects, roots } from '#features/documents/folders/tree.server.ts';
import { createFolder, createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { openDocument } from '#features/documents/downloads/fetching.server.ts';
import { setLocked } from '#features/documents/documents/rights.server.ts';
import { documentQuery, type DocumentPage } from '#features/documents/documents/documents.ts';
import { projectsQuery, rootsQuery, treeQuery, type Container } from '#features/documents/folders/folders.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { at, DAY } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import { CANARY, client, uploadAs, makeCast } from '../../support/cast.ts';

const cast = await makeCast();
const { ada, cleo, sam, clientB, clientTwo, projectB, projectTwo, firmOne } = cast;
const storage = '/api/storage/v1';

let clients = 0;
/**
 * A client of Ada and Cleo with the projects Books and Tax, the folder Bank in Tax, and the folder 2025 in
 * Bank.
 */
async function grove() {
  const clientId = await client(firmOne, `Grove ${(clients += 1)}`, `G-${clients}`, [ada, cleo]);
  const tax = await createProject(sam, { clientId, name: 'Tax', productType: 'TaxReturn' });
  const books = await createProject(sam, { clientId, name: 'Books' });
  const bank = await createFolder(sam, { name: 'Bank', parentId: tax.id, parentType: 'Project' });
  const year = await createFolder(sam, { name: '2025', parentId: bank.id, parentType: 'Folder' });
  return { clientId, tax, books, bank, year };
}
const tree = (actor: Actor, clientId: string, query: object = {}) =>
  containerTree(actor, treeQuery.parse({ clientId, ...query }));
const list = (actor: Actor, clientId: string, query: object = {}) =>
  listDocuments(actor, clientId, documentQuery.parse(query));
const names = ({ items }: DocumentPage) => items.map(({ name }) => name);
const dataOf = async <T>(answer: Response): Promise<T> => ((await answer.json()) as { data: T }).data;

describe('the tree of a client', () => {
  test('the tree lists parents before children, each with its depth, counts and contents', async () => {
    const { clientId, year } = await grove();
    await uploadAs(sam, year, 'a.pdf', 'x');
    expect(
      (await tree(ada, clientId)).map(({ name, depth, documentCount, hasFolders, hasFiles }) => [
        depth,
        name.split(' ')[0],
        documentCount,
        hasFolders,
        hasFiles,
      ]),
    ).toEqual([
      [0, 'Grove', 0, true, false],
      [1, 'Books', 0, false, false],
      [1, 'Tax', 0, true, false],
      [2, 'Bank', 0, true, false],
      [3, '2025', 1, false, true],
    ]);
  });

  test('the tree shows locks on request, also for descendants of a lock', async () => {
    const { clientId, bank } = await grove();
    await setLocked(sam, bank.id, true);
    const locks = async (query: object) =>
      (await tree(ada, clientId, query)).filter(({ isLocked }) => isLocked).map(({ name }) => name);
    expect(await locks({ calculateLocks: 'true' })).toEqual(['Bank', '2025']);
    expect(await locks({})).toEqual([]);
  });

  test.each(['firmTaxAndAccountingLibrary', 'myTaxAndAccountingLibraries'])(
    'the tree omits a library of type %s and its documents, and shows its children as orphans on request',
    async (productType) => {
      const { clientId, tax, bank } = await grove();
      await uploadAs(sam, tax, 'Of the library.pdf', 'x');
      await db()
        .updateTable('containers')
        .set({ product_type: productType })
        .where('container_id', '=', tax.id)
        .execute();
      expect((await tree(ada, clientId)).map(({ name }) => name).slice(1)).toEqual(['Books']);
      expect(
        (await tree(ada, clientId, { includeOrphans: 'true' }))
          .map(({ name, depth }) => [name, depth])
          .slice(1),
      ).toEqual([
        ['Books', 1],
        ['Bank', 1],
        ['2025', 2],
      ]);
      expect(names(await list(ada, clientId))).toEqual([]);
      expect((await list(ada, clientId)).total).toBe(0);
      expect((await roots(sam, rootsQuery.parse({ clientId }))).items.map(({ id }) => id)).not.toContain(
        tax.id,
      );
      await expect(descendants(sam, 'Project', tax.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(
        createFolder(sam, { name: 'In it', parentId: tax.id, parentType: 'Project' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await descendants(ada, 'Folder', bank.id)).map(({ name }) => name)).toEqual(['2025']);
    },
  );

  test('the tree of another client answers like that of an unknown client', async () => {
    const nobody = await seen(
      await apiAs(ada)('GET', `${storage}/containers/tree?clientId=${newId('client')}`),
    );
    expect(nobody.status).toBe(404);
    for (const id of [clientB, clientTwo])
      expect(await seen(await apiAs(ada)('GET', `${storage}/containers/tree?clientId=${id}`))).toEqual(
        nobody,
      );
  });
});

describe('lists of containers', () => {
  test("the root containers are those of the active client, with the client's name on request", async () => {
    const { clientId, tax, books } = await grove();
    const { items } = await roots(cleo, rootsQuery.parse({ clientId, includeAssociationFields: 'true' }));
    expect(items.map(({ id, association }) => [id, association])).toEqual(
      [clientId, ...[tax.id, books.id].toSorted()].map((id) => [id, { type: 'Client', id: clientId }]),
    );
    expect(
      (await roots(cleo, rootsQuery.parse({ clientId }))).items.every(
        (item) => item.association === undefined,
      ),
    ).toBe(true);
  });

  test("without an active client the root containers are those of all one's clients, in pages", async () => {
    const all: Container[] = [];
    for (let from = 0; ; from += 2) {
      const { items, hasMore } = await roots(ada, rootsQuery.parse({ from, pageSize: 2 }));
      all.push(...items);
      if (!hasMore) break;
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.map(({ id }) => id)).toContain(cast.projectA.id);
    expect(all.map(({ clientId }) => clientId)).not.toContain(clientB);
    expect(JSON.stringify(all)).not.toContain(CANARY);
  });

  test('descendants are listed in tree order, over the API by their type', async () => {
    const { clientId, tax, bank } = await grove();
    const ask = async (path: string) =>
      (await dataOf<Container[]>(await apiAs(ada)('GET', `${storage}/${path}/descendants`))).map(
        ({ name }) => name,
      );
    expect([
      await ask(`clients/${clientId}`),
      await ask(`projects/${tax.id}`),
      await ask(`folders/${bank.id}`),
    ]).toEqual([['Books', 'Tax', 'Bank', '2025'], ['Bank', '2025'], ['2025']]);
    for (const path of [
      `folders/${tax.id}`,
      `projects/${bank.id}`,
      `clients/${tax.id}`,
      `projects/${projectB.id}`,
      `projects/${projectTwo.id}`,
      `clients/${clientB}`,
    ])
      expect((await apiAs(ada)('GET', `${storage}/${path}/descendants`)).status, path).toBe(404);
  });

  test('a client without documents has no containers, and listing creates none', async () => {
    const clientId = await client(firmOne, 'Bare', 'BARE', [ada]);
    expect(await descendants(ada, 'Client', clientId)).toEqual([]);
    expect(
      (await dataOf<DocumentPage>(await apiAs(ada)('GET', `${storage}/clients/${clientId}/documents`))).items,
    ).toEqual([]);
    expect(
      await db().selectFrom('containers').select('container_id').where('client_id', '=', clientId).execute(),
    ).toEqual([]);
  });

  test('the projects of a client include the upload folder and can be filtered by type', async () => {
    const { clientId, tax } = await grove();
    const uploads = await defaultFolder(ada, clientId, 'From you');
    const ask = async (query: object) =>
      (await listProjects(ada, projectsQuery.parse({ primaryAssociationId: clientId, ...query }))).map(
        ({ id }) => id,
      );
    expect((await ask({})).length).toBe(3);
    expect([
      await ask({ productType: 'TaxReturn' }),
      await ask({ productType: 'ClientContactFolder' }),
      await ask({ productType: 'None' }),
    ]).toEqual([[tax.id], [uploads.id], []]);
    expect(
      (
        await apiAs(ada)(
          'GET',
          `${storage}/projects?primaryAssociationId=${clientId}&primaryAssociationType=Firm`,
        )
      ).status,
    ).toBe(422);
  });
});

describe('lists of documents', () => {
  test('the documents of a container are listed under its own address, not under that of another kind', async () => {
    const { tax, bank } = await grove();
    await uploadAs(ada, bank, 'in bank.pdf', 'x');
    await uploadAs(ada, tax, 'in tax.pdf', 'x');
    const ask = async (path: string) =>
      names(await dataOf<DocumentPage>(await apiAs(ada)('GET', `${storage}/${path}/documents`)));
    expect([await ask(`folders/${bank.id}`), await ask(`projects/${tax.id}`)]).toEqual([
      ['in bank.pdf'],
      ['in tax.pdf'],
    ]);
    for (const path of [
      `projects/${bank.id}`,
      `clients/${tax.id}`,
      `folders/${newId('folder')}`,
      `projects/${projectB.id}`,
    ])
      expect((await apiAs(ada)('GET', `${storage}/${path}/documents`)).status, path).toBe(404);
  });

  test('the client of a document list comes from the custom fields or from the named containers', async () => {
    const { clientId, bank, tax } = await grove();
    await uploadAs(ada, bank, 'in bank.pdf', 'x');
    const ask = (query: string) =>
      apiAs(ada)('GET', `${storage}/containers/documents?loadPermission=true&${query}`);
    for (const query of [`customFields=clientId:${clientId}`, `parentIds=${bank.id}`, `clientId=${clientId}`])
      expect(names(await dataOf(await ask(query))), query).toEqual(['in bank.pdf']);
    await uploadAs(ada, tax, 'in tax.pdf', 'x');
    expect(((await dataOf(await ask(`parentIds=${bank.id}`))) as DocumentPage).total).toBe(1);
    for (const query of [
      `customFields=clientId:${clientB}`,
      `parentIds=${projectB.id}`,
      `parentIds=${projectTwo.id}`,
      '',
    ])
      expect((await ask(query)).status, query).toBe(404);
    expect((await ask(`customFields=ownerId:${clientId}`)).status).toBe(404); // names no client
    for (const query of ['customFields=ownerId', `customFields=9:${clientId}`, 'customFields=clientId:'])
      expect((await ask(query)).status, query).toBe(422);
  });

  test('documents are found by the beginnings and parts of words, regardless of case and accents, in their client only', async () => {
    const { clientId, bank } = await grove();
    const other = await grove();
    for (const name of [
      'Bank statement 2025-09.pdf',
      'Relevé de compte.pdf',
      'bank_letter (2).pdf',
      'إيصال الصيانة.jpg',
      "Mary's 100% plan.pdf",
      'statements of banks.pdf',
    ])
      await uploadAs(ada, bank, name, 'x').catch(() =>
        uploadAs(ada, bank, name.replace('.jpg', '.pdf'), 'x'),
      );
    await uploadAs(ada, other.bank, 'Bank statement of the other.pdf', 'x');
    const find = async (name: string) =>
      names(await list(ada, clientId, { name, orderBy: 'name', orderDir: 'asc' }));
    expect(await find('bank')).toEqual([
      'Bank statement 2025-09.pdf',
      'bank_letter (2).pdf',
      'statements of banks.pdf',
    ]);
    expect(await find('  STATE  ban')).toEqual(['Bank statement 2025-09.pdf', 'statements of banks.pdf']);
    expect([
      await find('2025-09'),
      await find('letter'),
      await find('RELEVE\u0301'),
      await find('ｂａｎｋｓ'),
      await find('الصي'),
    ]).toEqual([
      ['Bank statement 2025-09.pdf'],
      ['bank_letter (2).pdf'],
      ['Relevé de compte.pdf'],
      ['statements of banks.pdf'],
      [expect.stringContaining('إيصال')],
    ]);
    expect(await find('tatement')).toEqual(['Bank statement 2025-09.pdf', 'statements of banks.pdf']);
    expect([
      await find('at'), // two letters are found at the beginning of a word only
      await find('%'),
      await find('"'),
      await find("' OR 1"),
      await find('bank NOT letter'),
    ]).toEqual([[], [], [], [], []]);
    expect(await find("Mary's 100%")).toEqual(["Mary's 100% plan.pdf"]);
  });

  test('a search no longer finds a deleted document or its old name, and finds its new name', async () => {
    const { clientId, bank } = await grove();
    const [gone, renamed] = [
      await uploadAs(ada, bank, 'Gone paper.pdf', 'x'),
      await uploadAs(ada, bank, 'Renamed paper.pdf', 'x'),
    ];
    await db().updateTable('documents').set({ deleted_at: 1 }).where('document_id', '=', gone.id).execute();
    await db()
      .updateTable('documents')
      .set({ name: 'Fresh sheet.pdf', name_key: 'fresh sheet.pdf' })
      .where('document_id', '=', renamed.id)
      .execute();
    expect([
      names(await list(ada, clientId, { name: 'paper' })),
      names(await list(ada, clientId, { name: 'fresh' })),
    ]).toEqual([[], ['Fresh sheet.pdf']]);
  });

  test('document lists can be filtered by whether a contact has read them, and by who has control', async () => {
    const { clientId, bank } = await grove();
    const [one] = [await uploadAs(sam, bank, 'one.pdf', 'x'), await uploadAs(sam, bank, 'two.pdf', 'x')];
    await openDocument(ada, { containerType: 'Folder', containerId: bank.id }, one.id, true);
    const read = async (actor: Actor, readByClientUser: string) =>
      names(await list(actor, clientId, { readByClientUser }));
    expect([
      await read(ada, 'true'),
      await read(ada, 'false'),
      await read(cleo, 'true'),
      await read(sam, 'true'),
    ]).toEqual([['one.pdf'], ['two.pdf'], [], ['one.pdf']]);
    expect((await list(ada, clientId, { readByClientUser: 'false' })).total).toBe(1);
    const without = {
      ...ada,
      access: accessFrom(undefined, [{ kind: 'control', name: 'ShowClientDocsReadToggle', granted: false }]),
    };
    await expect(read(without, 'true')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(names(await list(without, clientId)).length).toBe(2);
  });

  test.each(
    ['createdDate', 'name', 'originalItemSize'].flatMap((orderBy) =>
      ['asc', 'desc'].map((orderDir) => [orderBy, orderDir]),
    ),
  )(
    'paging by %s %s continues after the last row, even when documents were added meanwhile',
    async (orderBy, orderDir) => {
      const { clientId, bank, year } = await grove();
      for (let i = 0; i < 7; i += 1)
        await at(Date.UTC(2026, 0, 1 + (i >> 1)), () =>
          uploadAs(sam, i % 3 === 0 ? year : bank, `${i} file.pdf`, 'x'.repeat(5 + (i >> 1))),
        );
      const whole = names(await list(ada, clientId, { orderBy, orderDir }));
      const turned: string[] = [];
      let after: string | null | undefined;
      do {
        const page: DocumentPage = await list(ada, clientId, {
          orderBy,
          orderDir,
          pageSize: 2,
          ...(after && { after }),
        });
        turned.push(...names(page));
        after = page.next;
        if (turned.length === 2)
          await at(Date.UTC(2026, 0, 1) + (orderDir === 'asc' ? -1 : 40) * DAY, () =>
            uploadAs(
              sam,
              bank,
              orderDir === 'asc' ? '!.pdf' : 'zz.pdf',
              orderDir === 'asc' ? '' : 'x'.repeat(99),
            ),
          );
      } while (after);
      expect(turned).toEqual(whole);
      expect(
        names(await list(ada, clientId, { orderBy, orderDir, pageSize: 2, after: 'bm9uc2Vuc2U' })),
      ).toHaveLength(2);
    },
  );
});
