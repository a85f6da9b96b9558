import { describe, expect, test } from 'vitest';
import { containerTree, listContainers } from '#features/documents/folders/tree.server.ts';
import { createFolder, createProject, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { folderTitle } from '#features/documents/folders/titles.server.ts';
import { lastFolderOf, offeredFolders } from '#features/documents/uploads/publishing.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { finishUpload, startUpload, takePart } from '#features/documents/uploads/parts.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { client, fileOf, uploadAs, makeCast, pdf } from '../../support/cast.ts';

const { ada, ben, sam, firmOne, projectB } = await makeCast();

let counter = 0;
const freshClient = () => client(firmOne, `Publishing ${(counter += 1)}`, `PU-${counter}`, [ada]);
const post = (actor: Actor, clientId: string, form: FormData, query = '') =>
  apiAs(actor)('POST', `/api/storage/v1/clients/${clientId}/documents${query}`, { form });
const publish = async (actor: Actor, clientId: string, name: string): Promise<Document | undefined> => {
  const answer = (await (await post(actor, clientId, filesForm([name, pdf(name)]), '?into=firm')).json()) as {
    data?: Document[];
  };
  return answer.data?.[0];
};
const treeOf = (clientId: string) =>
  containerTree(sam, { clientId, includeOrphans: false, countDocuments: true, calculateLocks: false });

describe("the firm's folder", () => {
  test("the firm's folder is created with the first document that staff publish, named after the firm, and used from then on", async () => {
    const clientId = await freshClient();
    expect(await listContainers(sam, clientId)).toEqual([]);
    const [first, second] = [
      await publish(sam, clientId, 'One.pdf'),
      await publish(sam, clientId, 'Two.pdf'),
    ];
    expect(first?.parent).toMatchObject({ name: 'Maple & Hart', productType: 'FirmFolder' });
    expect(second?.parent.id).toBe(first?.parent.id);
  });

  test('concurrent publications create one folder of the firm', async () => {
    const clientId = await freshClient();
    await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        post(sam, clientId, filesForm([`${i}.pdf`, pdf(String(i))]), '?into=firm'),
      ),
    );
    expect(
      (await listContainers(sam, clientId)).map(({ productType, documentCount }) => [
        productType,
        documentCount,
      ]),
    ).toContainEqual(['FirmFolder', 5]);
  });

  test("a resumable upload can be published to the firm's folder, too", async () => {
    const clientId = await freshClient();
    const whole = pdf('parts');
    const { uploadId } = await startUpload(sam, whole.length, {
      filename: 'Large.pdf',
      containerType: 'Client',
      containerId: clientId,
      into: 'firm',
      onConflict: 'fail',
    });
    await takePart(sam, uploadId, { offset: 0, bytes: fileOf(whole) });
    expect((await finishUpload(sam, uploadId)).parent.productType).toBe('FirmFolder');
  });

  test("contacts cannot upload to the firm's folder by its name, and strangers learn nothing of it", async () => {
    const clientId = await freshClient();
    expect((await post(ada, clientId, filesForm(['Mine.pdf', pdf('mine')]), '?into=firm')).status).toBe(403);
    expect((await post(ben, clientId, filesForm(['Theirs.pdf', pdf('theirs')]), '?into=firm')).status).toBe(
      404,
    );
    expect(await listContainers(sam, clientId)).not.toContainEqual(
      expect.objectContaining({ productType: 'FirmFolder' }),
    );
  });
});

describe('a plain form for a client', () => {
  test('a plain form uploads to the folder named in its field', async () => {
    const clientId = await freshClient();
    const tax = await createProject(sam, { clientId, name: 'Tax' });
    const form = new FormData();
    form.append('into', tax.id);
    form.append('file[]', new File([Buffer.from(pdf('chosen'))], 'Chosen.pdf'));
    const { data } = (await (await post(sam, clientId, form)).json()) as { data: Document[] };
    expect(data[0]?.parent.id).toBe(tax.id);
  });

  test('a plain form is refused for a folder of another client', async () => {
    const clientId = await freshClient();
    expect(
      (await post(sam, clientId, filesForm(['Astray.pdf', pdf('astray')]), `?into=${projectB.id}`)).status,
    ).toBe(404);
  });
});

describe('where staff may publish', () => {
  test("staff may publish to every folder except the client's upload folder and its descendants", async () => {
    const clientId = await freshClient();
    const tax = await createProject(sam, { clientId, name: 'Tax' });
    const uploads = await defaultFolder(ada, clientId);
    await createFolder(ada, { name: 'Receipts', parentId: uploads.id, parentType: 'Project' });
    expect(offeredFolders(await treeOf(clientId)).map(({ id }) => id)).toEqual([tax.id]);
  });

  test('staff publish by default to the folder they last used for the client', async () => {
    const clientId = await freshClient();
    const [tax, payroll] = [
      await createProject(sam, { clientId, name: 'Tax' }),
      await createProject(sam, { clientId, name: 'Payroll' }),
    ];
    expect(await lastFolderOf(sam, clientId)).toBeUndefined();
    await uploadAs(sam, tax, 'One.pdf', '1');
    await uploadAs(sam, payroll, 'Two.pdf', '2');
    await uploadAs(ada, tax, 'Hers.pdf', '3');
    expect(await lastFolderOf(sam, clientId)).toBe(payroll.id);
  });
});

describe('folder names on pages', () => {
  test("the name of the upload folder is shown in the reader's language, whatever name is stored", () => {
    const old = { name: 'Entregues por você', productType: 'ClientContactFolder' };
    expect([
      folderTitle('en-us', false, old),
      folderTitle('fr', false, old),
      folderTitle('en-us', true, old),
    ]).toEqual(['Your uploads', 'Vos téléversements', 'Client uploads']);
    expect(folderTitle('pt', false, { name: 'Aurora', productType: 'FirmFolder' })).toBe('De Aurora');
    expect(folderTitle('pt', false, { name: 'Tax', productType: 'TaxReturn', processingYear: 2025 })).toBe(
      'Tax (2025)',
    );
  });

  test('the name of the upload folder is not stored in any language', async () => {
    expect((await defaultFolder(ada, await freshClient())).name).toBe('Uploads');
  });
});
