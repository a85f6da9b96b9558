import { afterAll, expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { createFolder, defaultFolder } from '#features/documents/folders/folders.server.ts';
import { SqlAdapter } from '#features/identity/external-sign-in/oidc-adapter.server.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { audit, verifyAudit } from '#platform/security/audit.server.ts';
import { MINUTE, moveClock } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { fileOf, uploadAs, makeCast, startMailServer, pdf } from '../support/cast.ts';
import '../../src/app.server.ts';

/*
 * Reading and then writing is safe with concurrent requests; on PostgreSQL on as many connections.
 */
const { ada, ben, clientA, clientB, firmOne, projectA } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const times = <T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => work(number)));
const settle = <T>(count: number, work: (number: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, number) => work(number)));
const set = (name: string, value: string) => db().insertInto('settings').values({ name, value }).execute();
const get = async (name: string) =>
  (await db().selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow())
    .value;

test('of two people who may leave only while the other stays, one stays', async () => {
  for (let round = 0; round < 10; round += 1) {
    await set(`left ${round}`, 'here');
    await set(`right ${round}`, 'here');
    const leave = (mine: string, other: string) =>
      inTransaction(async () => {
        if ((await get(other)) === 'here')
          await db().updateTable('settings').set({ value: 'gone' }).where('name', '=', mine).execute();
      });
    await Promise.all([leave(`left ${round}`, `right ${round}`), leave(`right ${round}`, `left ${round}`)]);
    expect([await get(`left ${round}`), await get(`right ${round}`)].toSorted()).toEqual(['gone', 'here']);
  }
});

test('concurrent events of one firm form one hash chain', async () => {
  const before = await verifyAudit();
  await times(30, (number) =>
    audit({ companyId: firmOne, actor: ada.contactId, action: 'session.start', target: `at once ${number}` }),
  );
  const after = await verifyAudit();
  expect(after).toEqual({ entries: before.entries + 30, faults: [] });
});

test('documents of one name uploaded at the same moment get unique names', async () => {
  const folder = await createFolder(ada, {
    parentType: 'Project',
    parentId: projectA.id,
    name: 'Same names',
  });
  const documents = await times(16, (number) => uploadAs(ada, folder, 'Receipt.pdf', `receipt ${number}`));
  expect(new Set(documents.map(({ name }) => name)).size).toBe(16);
});

test('of concurrent uploads of one name without renaming, one succeeds and the others get an error', async () => {
  const folder = await createFolder(ada, { parentType: 'Project', parentId: projectA.id, name: 'One name' });
  const tried = await settle(8, (number) =>
    addDocument(ada, {
      containerType: 'Folder',
      containerId: folder.id,
      name: 'Receipt.pdf',
      bytes: fileOf(pdf(`${number}`)),
      onConflict: 'fail',
    }),
  );
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of tried)
    if (one.status === 'rejected') expect(refusal(one.reason)?.code).toBe('NAME_CONFLICT');
});

test("concurrent first uses of a client's own folder create one folder", async () => {
  const folders = await times(10, () => defaultFolder(ben, clientB, 'From you'));
  expect(new Set(folders.map(({ id }) => id)).size).toBe(1);
});

test('a client has one folder of its own even if somebody takes its name at the same moment', async () => {
  const [folder] = await Promise.all([
    defaultFolder(ada, clientA, 'Papers'),
    settle(4, () => createFolder(ada, { parentType: 'Client', parentId: clientA, name: 'Papers' })),
  ]);
  expect((await defaultFolder(ada, clientA, 'Papers')).id).toBe(folder.id);
});

test('a sign-in code works once, also when used twice at the same moment', async () => {
  const codes = new SqlAdapter('AuthorizationCode');
  await codes.upsert('a-code', { accountId: 'somebody' }, 60);
  const used = await settle(8, () => codes.consume('a-code'));
  expect(used.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of used)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ error: 'invalid_grant' });
});

test('concurrent wrong codes are all counted, and the sender is notified at the last one', async () => {
  const document = await uploadAs(ada, projectA, 'Guessed.pdf', 'guessed');
  const item = { containerType: 'Project' as const, containerId: projectA.id, documentId: document.id };
  await shareDocuments(
    ada,
    {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject: 'Papers', body: '' },
      recipients: [{ emailAddress: 'x@out.example' }],
      sharedItems: [item],
      authorizationCode: 'maple-7-secret',
    },
    'en-us',
  );
  const [mail] = await mailServer.deliver();
  const token = /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
  const guess = (count: number) =>
    settle(count, (number) => openShare(token, `wrong ${number}`, `192.0.2.${number}`));
  expect(
    (await guess(8)).filter((one) => one.status === 'rejected' && refusal(one.reason)?.code === 'CODE_WRONG'),
  ).toHaveLength(5);
  moveClock(16 * MINUTE);
  expect(
    (await guess(8)).filter((one) => one.status === 'rejected' && refusal(one.reason)?.code === 'CODE_WRONG'),
  ).toHaveLength(5);
  expect((await mailServer.deliver()).map(({ recipients }) => recipients)).toEqual([['ada@one.example']]);
});
