import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { createFolder, createProject } from '#features/documents/folders/folders.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listShares } from '#features/sharing/sharing/my-shares.server.ts';
import { openShare, sharedBytes, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { shareQuery } from '#features/sharing/sharing/my-shares.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import { client, everyRow, uploadAs, makeCast, startMailServer, person, unlink } from '../../support/cast.ts';

const { ada, ben, sam, zoe, firmOne, clientA, clientB, projectA, projectB, projectTwo } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

let counter = 0;
/** A project of client A with a document, and a folder in a folder in it. */
async function makeTree(): Promise<{ project: Container; inner: Container; document: { id: string } }> {
  const project = await createProject(sam, { clientId: clientA, name: `Year ${(counter += 1)}` });
  const outer = await createFolder(sam, { name: 'Bank', parentId: project.id, parentType: 'Project' });
  const inner = await createFolder(sam, { name: 'March', parentId: outer.id, parentType: 'Folder' });
  const document = await uploadAs(sam, project, 'Overview.pdf', 'overview');
  await uploadAs(sam, outer, 'Account.pdf', 'account');
  await uploadAs(sam, inner, 'Account.pdf', 'account of March');
  return { project, inner, document };
}
const whole = ({ id, containerType }: Pick<Container, 'id' | 'containerType'>) => ({
  containerType,
  containerId: id,
});
const request = (
  sharedItems: ShareRequest['sharedItems'],
  changed: Partial<ShareRequest> = {},
): ShareRequest => ({
  expirationPeriod: 'AfterOneDay',
  overrides: { subject: 'The year' },
  recipients: [{ emailAddress: 'x@out.example' }],
  sharedItems,
  ...changed,
});
async function share(
  sender: Actor,
  sharedItems: ShareRequest['sharedItems'],
  changed?: Partial<ShareRequest>,
) {
  await mailServer.discard();
  const { shareId } = await shareDocuments(sender, request(sharedItems, changed), 'en-us');
  const [mail] = await mailServer.deliver();
  const token = /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
  return { shareId, token, text: mail?.mail.text ?? '' };
}
const open = (token: string) => openShare(token, undefined, `198.51.100.${(counter += 1) % 250}`);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => (error as { code: string }).code,
  );
async function placesIn(token: string, visit?: string): Promise<string[]> {
  const view = await viewShare(token, visit);
  return view.kind === 'open' || view.kind === 'closed'
    ? (view.files ?? []).map(({ folder, name }) => [...folder, name].join('/'))
    : [view.kind];
}

describe('sharing a folder', () => {
  test('a shared folder gives access to its documents and those of its descendants, with their paths', async () => {
    const { project } = await makeTree();
    const { token, text } = await share(ada, [whole(project)]);
    expect(await placesIn(token)).toEqual([
      `${project.name}/Overview.pdf`,
      `${project.name}/Bank/Account.pdf`,
      `${project.name}/Bank/March/Account.pdf`,
    ]);
    expect(text).toContain(`${project.name} (folder with 3 documents)`);
    expect(text).not.toContain('Account.pdf');
  });

  test('a shared folder gives access to its contents when opened, not when sent', async () => {
    const { project, inner, document } = await makeTree();
    const { token } = await share(ada, [whole(project)]);
    const visit = await open(token);
    await uploadAs(ben, projectB, 'Of Ben.pdf', 'ben');
    const late = await uploadAs(sam, inner, 'Late.pdf', 'late');
    await db()
      .updateTable('documents')
      .set({ deleted_at: now() })
      .where('document_id', '=', document.id)
      .execute();
    expect(await placesIn(token, visit)).toEqual([
      `${project.name}/Bank/Account.pdf`,
      `${project.name}/Bank/March/Account.pdf`,
      `${project.name}/Bank/March/Late.pdf`,
    ]);
    expect(await sharedBytes(token, visit, late.id)).toHaveLength(1);
    expect(await codeOf(sharedBytes(token, visit, document.id))).toBe('NOT_FOUND');
  });

  test('a shared folder is downloaded as one archive with its subfolders, together with single documents', async () => {
    const { project } = await makeTree();
    const single = await uploadAs(sam, projectA, `${project.name}.pdf`, 'single');
    const { token } = await share(ada, [
      whole(project),
      { containerType: 'Project', containerId: projectA.id, documentId: single.id },
    ]);
    const answer = await apiAs(undefined)('GET', `/api/storage/v2/sharing/links/${token}/documents.zip`, {
      headers: { cookie: `visit=${await open(token)}` },
    });
    expect(answer.status).toBe(200);
    const folder = await mkdtemp(path.join(tmpdir(), 'share-folder-'));
    await writeFile(path.join(folder, 'all.zip'), Buffer.from(await answer.arrayBuffer()));
    const python =
      'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n: z.read(n).decode("latin1") for n in z.namelist()}))';
    const { stdout } = await promisify(execFile)('python3', ['-c', python, path.join(folder, 'all.zip')]);
    const files = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(files).toSorted()).toEqual(
      [
        `${project.name}.pdf`,
        `${project.name}/Bank/Account.pdf`,
        `${project.name}/Bank/March/Account.pdf`,
        `${project.name}/Overview.pdf`,
      ].toSorted(),
    );
    expect(files[`${project.name}/Bank/March/Account.pdf`]).toContain('account of March');
  });

  test('a document shared both directly and in a folder is delivered once', async () => {
    const { project, document } = await makeTree();
    const { token } = await share(ada, [
      whole(project),
      { containerType: 'Project', containerId: project.id, documentId: document.id },
    ]);
    expect(await placesIn(token)).toEqual([
      'Overview.pdf',
      `${project.name}/Bank/Account.pdf`,
      `${project.name}/Bank/March/Account.pdf`,
    ]);
  });

  test('a shared folder gives no access to its siblings or ancestors', async () => {
    const { inner, document } = await makeTree();
    const { token } = await share(ada, [whole(inner)]);
    expect(await placesIn(token)).toEqual(['March/Account.pdf']);
    expect(await codeOf(sharedBytes(token, await open(token), document.id))).toBe('NOT_FOUND');
  });

  test("somebody else's folder cannot be shared, and nothing is stored or sent", async () => {
    const { project } = await makeTree();
    const before = await everyRow();
    for (const [actor, place] of [
      [ada, projectB],
      [ada, projectTwo],
      [sam, projectTwo],
      [zoe, project],
      [ada, { id: newId('project'), containerType: 'Project' }],
      [ada, { id: project.id, containerType: 'Folder' }],
    ] as const) {
      expect(await codeOf(shareDocuments(actor, request([whole(place)]), 'en-us'))).toBe('NOT_FOUND');
      expect(await codeOf(shareDocuments(actor, request([whole(project), whole(place)]), 'en-us'))).toBe(
        'NOT_FOUND',
      );
    }
    expect(await everyRow()).toEqual(before);
  });

  test('an empty folder and a whole client cannot be shared', async () => {
    const empty = await createFolder(sam, {
      name: `Empty ${(counter += 1)}`,
      parentId: projectA.id,
      parentType: 'Project',
    });
    expect(await codeOf(shareDocuments(ada, request([whole(empty)]), 'en-us'))).toBe('EMPTY');
    const call = apiAs(ada);
    expect(
      (await call('POST', '/api/storage/v2/sharing/share', { json: request([whole(empty)]) })).status,
    ).toBe(422);
    expect(
      (
        await call('POST', '/api/storage/v2/sharing/share', {
          json: request([whole({ id: clientA, containerType: 'Client' })]),
        })
      ).status,
    ).toBe(422);
  });

  test('a shared folder can contain two thousand documents and no more', async () => {
    const { project, document } = await makeTree();
    const row = await db()
      .selectFrom('documents')
      .selectAll()
      .where('document_id', '=', document.id)
      .executeTakeFirstOrThrow();
    const { seq: _seq, ...plain } = row;
    const more = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...plain,
        document_id: newId('doc'),
        blob_key: newId('blob'),
        name: `${counter}-${i}.pdf`,
        name_key: `${counter}-${i}.pdf`,
      }));
    for (let left = 1997; left > 0; left -= 400) {
      counter += 1;
      await db()
        .insertInto('documents')
        .values(more(Math.min(400, left)))
        .execute();
    }
    const { token } = await share(ada, [whole(project)]);
    counter += 1;
    await db().insertInto('documents').values(more(1)).execute();
    expect(await codeOf(shareDocuments(ada, request([whole(project)]), 'en-us'))).toBe('TOO_LARGE');
    const view = await viewShare(token, undefined);
    expect(view.kind === 'closed' && [view.fileCount, view.isCut]).toEqual([2000, true]);
  });

  test("a shared folder is named in the list of its sender's shares", async () => {
    const { project } = await makeTree();
    const { shareId } = await share(ada, [whole(project)]);
    const { shares } = await listShares(ada, shareQuery.parse({ clientId: clientA }));
    expect(shares.find((one) => one.shareId === shareId)).toMatchObject({
      folders: [{ containerId: project.id, containerType: 'Project', name: project.name }],
      documents: [],
      missing: 0,
    });
  });
});

describe('the end of a shared folder', () => {
  const overOf = async (token: string, visit: string) => [
    (await viewShare(token, visit)).kind,
    await codeOf(sharedBytes(token, visit)),
    (
      await apiAs(undefined)('GET', `/api/storage/v2/sharing/links/${token}/documents.zip`, {
        headers: { cookie: `visit=${visit}` },
      })
    ).status,
  ];

  test('the link of a folder ends when its sender loses the client', async () => {
    const guest = await person(firmOne, 'Gil Guest', 'gil@one.example');
    const clientId = await client(firmOne, 'Short visit', 'SV', [guest]);
    const project = await createProject(guest, { clientId, name: 'Visit' });
    await uploadAs(guest, project, 'a.pdf', 'a');
    const { token } = await share(guest, [whole(project)]);
    const visit = await open(token);
    expect((await viewShare(token, visit)).kind).toBe('open');
    await unlink(clientId, guest);
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });

  test('the link of a folder ends when the folder is moved to a client for which its sender does not act', async () => {
    const { project } = await makeTree();
    const { token } = await share(ada, [whole(project)]);
    const visit = await open(token);
    await db()
      .updateTable('containers')
      .set({ client_id: clientB })
      .where('container_id', '=', project.id)
      .execute();
    expect(await overOf(token, visit)).toEqual(['over', 'GONE', 410]);
  });
});

test("a path in the archive cannot leave the archive's folder, whatever the folders and files are called", async () => {
  const { archivePaths } = await import('#platform/storage/archive-paths.ts');
  const paths = archivePaths([
    { folder: ['..', '../../etc'], name: '../passwd' },
    { folder: ['a/b'], name: 'x.pdf' },
    { folder: ['A:B'], name: 'x.pdf' },
    { folder: [], name: 'a_b' },
    { folder: ['CON'], name: 'aux.pdf' },
    { folder: ['Bank'], name: 'x.pdf' },
    { folder: [], name: 'bank' },
  ]);
  expect(new Set(paths.map((one) => one.toLowerCase())).size).toBe(paths.length);
  for (const one of paths)
    expect(
      one
        .split('/')
        .every((part) => part !== '' && part !== '..' && part !== '.' && !/^(con|aux)(\.|$)/i.test(part)),
    ).toBe(true);
  expect(paths.map((one) => one.split('/').length)).toEqual([3, 2, 2, 1, 2, 2, 1]);
  expect(
    new Set(paths.map((one) => one.split('/')[0]?.toLowerCase())).size,
    'no folder is called like a file beside it',
  ).toBe(paths.length);
});

test('the link of a folder that is not shared reveals as little as an unknown link', async () => {
  const { document } = await makeTree();
  const other = await share(ada, [whole((await makeTree()).project)]);
  const visit = await open(other.token);
  const get = async (id: string) =>
    seen(
      await apiAs(undefined)('GET', `/api/storage/v2/sharing/links/${other.token}/documents/${id}`, {
        headers: { cookie: `visit=${visit}` },
      }),
    );
  expect(await get(document.id)).toEqual(await get(newId('doc')));
});
