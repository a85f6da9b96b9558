import { beforeAll, describe, expect, test } from 'vitest';
import { containerTree, descendants } from '#features/documents/folders/tree.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { documentsUnder } from '#features/documents/documents/descendants.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import { shownBranches, treeOf, breadcrumbsTo } from '#features/documents/folders/tree.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { uploadAs, makeCast } from '../../support/cast.ts';

const { ada, clientA, clientB, projectA, projectB, firmOne, sam } = await makeCast();

/** Folders as they could be made before there was a limit, each in the one before; returns the innermost. */
async function insertFolders(
  clientId: string,
  parentId: string,
  count: number,
  isNested: boolean,
): Promise<string> {
  let last = parentId;
  await inTransaction(async () => {
    for (let i = 0; i < count; i += 1) {
      const id = newId('folder');
      const names = { name: `Level ${i}`, name_key: `level ${i}` };
      const place = { client_id: clientId, parent_id: isNested ? last : parentId, company_id: firmOne };
      const made = { created_by: sam.contactId, created_at: i, modified_at: i };
      const row = {
        container_id: id,
        container_type: 'folder' as const,
        product_type: null,
        processing_year: null,
      };
      await db()
        .insertInto('containers')
        .values({ ...row, ...names, ...place, ...made })
        .execute();
      last = id;
    }
  });
  return last;
}

const make = (parent: Pick<Container, 'id' | 'containerType'>, name: string) =>
  createFolder(sam, { name, parentId: parent.id, parentType: parent.containerType });

describe('folder limits', () => {
  test('folders can be nested twenty levels deep and no deeper', async () => {
    let folder: Container = projectA;
    for (let depth = 2; depth <= 20; depth += 1) folder = await make(folder, 'deeper');
    await expect(make(folder, 'too deep')).rejects.toMatchObject({ code: 'TOO_DEEP', details: { most: 20 } });
    const tree = await containerTree(sam, {
      clientId: clientA,
      includeOrphans: false,
      countDocuments: true,
      calculateLocks: false,
    });
    expect(Math.max(...tree.map(({ depth = 0 }) => depth))).toBe(20);
  });

  test('a client can have 5,000 folders, counting each', async () => {
    const there = await db()
      .selectFrom('containers')
      .select('container_id')
      .where('client_id', '=', clientB)
      .execute();
    await insertFolders(clientB, projectB.id, 4999 - there.length, false);
    const { id } = await make(projectB, 'the last one');
    expect(id).toMatch(/^folder/);
    const answer = await apiAs(sam)('POST', '/api/storage/v1/folders', {
      json: { name: 'one more', parentId: projectB.id, parentType: 'Project' },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { errors: [{ code: 'TOO_MANY_FOLDERS', most: 5000 }] },
    ]);
  });
});

describe('existing folders nested 1,500 levels deep, from before there was a limit', () => {
  let deepest = '';
  let document = { id: '' };
  beforeAll(async () => {
    deepest = await insertFolders(clientA, projectA.id, 1500, true);
    document = await uploadAs(sam, { id: deepest, containerType: 'Folder' }, 'deep.pdf', 'x');
  });
  const query = { clientId: clientA, includeOrphans: true, countDocuments: true, calculateLocks: true };

  test('folders beyond the depth limit are listed with their contents', async () => {
    expect((await containerTree(ada, query)).length).toBeGreaterThan(1500);
    expect((await descendants(ada, 'Project', projectA.id)).length).toBeGreaterThan(1500);
    const { documents } = await documentsUnder(ada, 'Project', projectA.id, 10);
    expect(documents.map(({ documentId, folder }) => [documentId, folder.length])).toEqual([
      [document.id, 1501],
    ]);
  });

  test('the breadcrumbs of a folder beyond the depth limit show its last twenty levels', async () => {
    const containers = await containerTree(ada, query);
    const way = breadcrumbsTo(containers, deepest);
    expect(way.map(({ id }) => id)).toEqual([projectA.id, ...way.slice(1).map(({ id }) => id)]);
    const [top] = shownBranches(treeOf(containers), way);
    expect([way.length, top?.folder.id]).toEqual([1501, way.at(-20)?.id]);
  });
});
