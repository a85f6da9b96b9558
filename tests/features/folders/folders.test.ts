import { describe, expect, test } from 'vitest';
import { createFolder, createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { existing } from '#features/documents/documents/adding.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import { CANARY, client, everyRow, uploadAs, makeCast, person, unlink } from '../../support/cast.ts';

const cast = await makeCast();
const { ada, ben, cleo, sam, zoe, clientA, clientB, clientTwo, projectA, projectTwo, firmOne } = cast;
const notFound = { code: 'NOT_FOUND' };

describe('creating folders', () => {
  test('a contact creates a folder in their client, and everybody of the client sees it', async () => {
    const made = await createFolder(ada, { name: 'Receipts', parentId: projectA.id, parentType: 'Project' });
    expect(made).toMatchObject({
      name: 'Receipts',
      containerType: 'Folder',
      parentId: projectA.id,
      clientId: clientA,
      documentCount: 0,
    });
    for (const actor of [ada, cleo, sam])
      expect((await listContainers(actor, clientA)).map(({ id }) => id)).toContain(made.id);
  });

  test('staff can create folders whatever their contacts may do', async () => {
    const plain = { ...sam, access: { ...sam.access, controls: new Set<never>() } };
    expect(
      (await createFolder(plain, { name: 'By staff', parentId: projectA.id, parentType: 'Project' })).name,
    ).toBe('By staff');
  });

  test('a folder can be created in another folder and in the client itself', async () => {
    const outer = await createFolder(ada, { name: '2025', parentId: clientA, parentType: 'Client' });
    const inner = await createFolder(ada, { name: 'Q1', parentId: outer.id, parentType: 'Folder' });
    expect(inner.parentId).toBe(outer.id);
  });

  test('a folder in the upload folder is created together with it, only by those who may add folders', async () => {
    const dana = await person(firmOne, 'Dana Dill', 'dana@one.example');
    const clientNew = await client(firmOne, 'Dill Dairy', 'D-4', [dana]);
    const into = { parentId: clientNew, parentType: 'Client', into: 'uploads' } as const;
    const barred = {
      ...dana,
      access: {
        ...dana.access,
        controls: new Set([...dana.access.controls].filter((name) => name !== 'AddFolder')),
      },
    };
    await expect(createFolder(barred, { name: 'Scans', ...into })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect((await listContainers(dana, clientNew)).map(({ productType }) => productType)).not.toContain(
      'ClientContactFolder',
    );
    const made = await createFolder(dana, { name: 'Scans', ...into });
    expect(made.parentId).toBe((await defaultFolder(dana, clientNew)).id);
    await expect(createFolder(ada, { name: 'Scans', ...into })).rejects.toMatchObject(notFound);
  });

  test.each([['RECEIPTS OF ADA'], ['receipts of ada'], ['Receipts of Ada'], ['Ｒeceipts of Ada']])(
    'a folder name that differs only in case from an existing one is refused: %s',
    async (name) => {
      await createFolder(ada, {
        name: 'Receipts of Ada',
        parentId: projectA.id,
        parentType: 'Project',
      }).catch(() => undefined);
      await expect(
        createFolder(ada, { name, parentId: projectA.id, parentType: 'Project' }),
      ).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
    },
  );

  test('folders in different places may have the same name', async () => {
    const one = await createFolder(ada, { name: 'Same', parentId: projectA.id, parentType: 'Project' });
    const two = await createFolder(ada, { name: 'Same', parentId: one.id, parentType: 'Folder' });
    expect(two.name).toBe('Same');
  });

  test('two people who create the same folder at the same moment create it once', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        createFolder(ada, { name: 'Rush', parentId: projectA.id, parentType: 'Project' }),
      ),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'NAME_CONFLICT' });
  });

  test.each([
    ['..'],
    ['a/b'],
    ['a\\b'],
    ['CON'],
    ['tail.'],
    [' lead'],
    ['x\u202egnp'],
    ['a\u0000b'],
    ['what?'],
    ['é'.repeat(128)],
  ])('a folder name that a computer could not store is refused: %j', async (name) => {
    const before = await everyRow();
    await expect(
      createFolder(ada, { name, parentId: projectA.id, parentType: 'Project' }),
    ).rejects.toMatchObject({ code: 'BAD_NAME' });
    expect(await everyRow()).toEqual(before);
  });

  test('a folder cannot be created in another client, another firm or a container of another kind', async () => {
    const before = await everyRow();
    for (const parent of [
      { parentId: cast.projectB.id, parentType: 'Project' },
      { parentId: clientB, parentType: 'Client' },
      { parentId: projectTwo.id, parentType: 'Project' },
      { parentId: clientTwo, parentType: 'Client' },
      { parentId: projectA.id, parentType: 'Folder' },
      { parentId: newId('project'), parentType: 'Project' },
    ] as const) {
      await expect(createFolder(ada, { name: 'Mine', ...parent })).rejects.toMatchObject(notFound);
    }
    expect(await everyRow()).toEqual(before);
  });

  test('the folder call follows its contract and refuses unknown keys', async () => {
    const call = apiAs(ada);
    const made = await call('POST', '/api/storage/v1/folders', {
      json: { name: 'Over the API', parentId: projectA.id, parentType: 'Project' },
    });
    expect(made.status).toBe(200);
    const { data } = (await made.json()) as { data: Container };
    expect(data).toMatchObject({
      name: 'Over the API',
      parentId: projectA.id,
      permissions: { addContents: true, read: true, update: true, delete: true },
    });
    const again = await call('POST', '/api/storage/v1/folders', {
      json: { name: 'over the api', parentId: projectA.id, parentType: 'Project' },
    });
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      errors: [{ code: 'NAME_CONFLICT', reason: 'NAME_CONFLICT' }],
    });
    const smuggled = await call('POST', '/api/storage/v1/folders', {
      json: { name: 'X', parentId: projectA.id, parentType: 'Project', clientId: clientB },
    });
    expect(smuggled.status).toBe(422);
    expect(
      (
        await call('POST', '/api/storage/v1/folders', {
          json: { name: '', parentId: projectA.id, parentType: 'Project' },
        })
      ).status,
    ).toBe(422);
  });

  test.each([
    ['JSON that is cut off', 'application/json'],
    ['plain text', 'text/plain'],
    ['a form', 'multipart/form-data; boundary=x'],
  ])('a folder request with %s is refused as a client error, not a server error', async (_, type) => {
    const answer = await apiAs(ada)('POST', '/api/storage/v1/folders', {
      text: '{"name":',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });
});

describe('the containers of a client', () => {
  test('the containers of a client are listed parents first, by name, each with its number of documents', async () => {
    const clientId = await client(firmOne, 'Count Company', 'CC', [ada]);
    const b = await createProject(sam, { clientId, name: 'beta' });
    const a = await createProject(sam, { clientId, name: 'Alpha' });
    const inner = await createFolder(ada, { name: 'Inner', parentId: a.id, parentType: 'Project' });
    await uploadAs(ada, inner, 'one.pdf', '1');
    await uploadAs(ada, inner, 'two.pdf', '2');
    await uploadAs(sam, b, 'three.pdf', '3');
    const listed = await listContainers(ada, clientId);
    expect(listed.map(({ name, documentCount }) => [name, documentCount])).toEqual([
      ['Count Company', 0],
      ['Alpha', 0],
      ['Inner', 2],
      ['beta', 1],
    ]);
  });

  test('a contact may change every container and delete their own, staff may do everything', async () => {
    const made = await createFolder(ada, {
      name: 'Ada made this',
      parentId: projectA.id,
      parentType: 'Project',
    });
    const may = async (actor: typeof ada) =>
      (await listContainers(actor, clientA)).find(({ id }) => id === made.id)?.permissions;
    expect(await may(ada)).toEqual({ addContents: true, read: true, update: true, delete: true });
    expect(await may(cleo)).toEqual({ addContents: true, read: true, update: true, delete: false });
    expect(await may(sam)).toEqual({ addContents: true, read: true, update: true, delete: true });
  });

  test('the containers of another client answer like those of an unknown client', async () => {
    const nobody = await listContainers(ada, newId('client')).catch((error: unknown) => error);
    for (const clientId of [clientB, clientTwo])
      expect(await listContainers(ada, clientId).catch((error: unknown) => error)).toEqual(nobody);
    expect(JSON.stringify(await listContainers(sam, clientA))).not.toContain(CANARY);
  });

  test('the year 1900 in old data is shown as no year', async () => {
    expect(
      (await createProject(sam, { clientId: clientA, name: 'Old data', processingYear: 1900 }))
        .processingYear,
    ).toBeNull();
    expect(
      (await createProject(sam, { clientId: clientA, name: 'This year', processingYear: 2026 }))
        .processingYear,
    ).toBe(2026);
  });

  test('a project name that is already taken is refused with an error that says so', async () => {
    await createProject(sam, { clientId: clientA, name: 'Twice' });
    await expect(createProject(sam, { clientId: clientA, name: 'twice' })).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
    });
  });

  test("containers can be created for one's own clients only", async () => {
    for (const clientId of [clientB, clientTwo, newId('client')])
      await expect(createProject(ada, { clientId, name: 'Mine' })).rejects.toMatchObject(notFound);
    await expect(createProject(sam, { clientId: clientTwo, name: 'Mine' })).rejects.toMatchObject(notFound);
  });
});

describe('the upload folder', () => {
  test('the upload folder is created on first use, once for any number of concurrent requests', async () => {
    const clientId = await client(firmOne, 'Ten at once', 'T10', [ada]);
    const folders = await Promise.all(
      Array.from({ length: 10 }, () => defaultFolder(ada, clientId, 'From you')),
    );
    expect(new Set(folders.map(({ id }) => id)).size).toBe(1);
    expect(
      (await listContainers(ada, clientId)).filter(
        ({ productType }) => productType === 'ClientContactFolder',
      ),
    ).toHaveLength(1);
    expect((await defaultFolder(cleo, clientA, 'From you')).id).toBe(
      (await defaultFolder(ada, clientA, 'De você')).id,
    );
  });

  test('two contacts with different languages who open a client first at the same moment create one upload folder', async () => {
    const clientId = await client(firmOne, 'Two languages', 'T2L', [ada, cleo]);
    await createProject(sam, { clientId, name: 'Payroll' });
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        defaultFolder(i % 2 ? ada : cleo, clientId, i % 2 ? 'From you' : 'De você'),
      ),
    );
    expect(
      (await listContainers(ada, clientId)).filter(
        ({ productType }) => productType === 'ClientContactFolder',
      ),
    ).toHaveLength(1);
  });

  test('the upload folder is found when the firm has a project of the same name', async () => {
    const clientId = await client(firmOne, 'Name taken', 'NT', [ada]);
    await createProject(sam, { clientId, name: 'From you' });
    const folder = await defaultFolder(ada, clientId, 'From you');
    expect(folder.productType).toBe('ClientContactFolder');
    expect(folder.name).not.toBe('From you');
    const free = await client(firmOne, 'Name free', 'NF', [ada]);
    expect((await defaultFolder(ada, free, 'From you')).name, 'other clients have one of that name too').toBe(
      'From you',
    );
  });

  test('the upload folder of another client is neither found nor created', async () => {
    const before = await everyRow();
    for (const [actor, clientId] of [
      [ada, clientB],
      [ben, clientA],
      [ada, clientTwo],
      [zoe, clientA],
      [sam, clientTwo],
      [ada, newId('client')],
    ] as const) {
      await expect(defaultFolder(actor, clientId, 'From you')).rejects.toMatchObject(notFound);
    }
    expect(await everyRow()).toEqual(before);
  });
});

describe('checking which names are taken', () => {
  test('taken names are reported in their usual order, without regard to case or accent encoding', async () => {
    const folder = await createFolder(ada, { name: 'Names', parentId: projectA.id, parentType: 'Project' });
    await uploadAs(ada, folder, 'Relevé.pdf', 'x');
    expect(
      await existing(ada, 'Folder', folder.id, [
        'nothing.pdf',
        'Relevé.pdf',
        'RELEVE\u0301.PDF',
        'Releve.pdf',
      ]),
    ).toEqual([false, true, true, false]);
    const answer = await apiAs(cleo)('POST', `/api/storage/v1/folders/${folder.id}/documents/exists`, {
      json: ['relevé.pdf', 'b.pdf'],
    });
    expect(await answer.json()).toEqual({ data: [{ exists: true }, { exists: false }] });
  });

  test('an empty list of names returns an empty answer', async () => {
    const answer = await apiAs(ada)('POST', `/api/storage/v1/projects/${projectA.id}/documents/exists`, {
      json: [],
    });
    expect([answer.status, await answer.json()]).toEqual([200, { data: [] }]);
  });

  test.each(['clients', 'projects', 'folders'])(
    "checking names in somebody else's %s answers like an unknown id, byte for byte",
    async (type) => {
      const unknown = await seen(
        await apiAs(ada)('POST', `/api/storage/v1/${type}/${newId('x')}/documents/exists`, {
          json: ['a.pdf'],
        }),
      );
      expect(unknown.status).toBe(404);
      for (const id of [clientB, clientTwo, projectTwo.id, cast.projectB.id]) {
        expect(
          await seen(
            await apiAs(ada)('POST', `/api/storage/v1/${type}/${id}/documents/exists`, {
              json: [`${CANARY} accounts.pdf`],
            }),
          ),
        ).toEqual(unknown);
      }
    },
  );
});

test('whoever loses access to a client finds nothing of it with the next request', async () => {
  const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
  const clientId = await client(firmOne, 'Short visit', 'SV', [guest]);
  const folder = await defaultFolder(guest, clientId, 'From you');
  await unlink(clientId, guest);
  await expect(
    createFolder(guest, { name: 'Late', parentId: folder.id, parentType: 'Project' }),
  ).rejects.toMatchObject(notFound);
  await expect(existing(guest, 'Project', folder.id, ['a.pdf'])).rejects.toMatchObject(notFound);
  await expect(uploadAs(guest, folder, 'late.pdf', 'late')).rejects.toMatchObject(notFound);
});
