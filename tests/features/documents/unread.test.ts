import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { linkContact, listClients, switcherQuery } from '#features/clients/clients/clients.server.ts';
import { unreadElsewhere } from '#features/documents/documents/newest.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { purgeDocuments, restoreDocuments, trashDocuments } from '#features/documents/trash/trash.server.ts';
import { setReading } from '#features/documents/documents/reading.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { client, uploadAs, makeCast, standAt, unlink } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, ben, cleo, sam, firmOne, clientA, clientB, projectA, projectB } = await makeCast();

/** The unread documents that somebody finds in a client, and their count in the switcher. */
async function unread(
  actor: Actor,
  clientId = clientA,
): Promise<{ names: string[]; total: number; waiting: number | undefined }> {
  const page = await listDocuments(
    actor,
    clientId,
    documentQuery.parse({ readByClientUser: 'false', orderBy: 'name', orderDir: 'asc' }),
  );
  const { clients } = await listClients(actor, switcherQuery());
  return {
    names: page.items.map(({ name }) => name),
    total: page.total,
    waiting: clients.find(({ id }) => id === clientId)?.pending,
  };
}
const only = (...names: string[]) => ({ names, total: names.length, waiting: names.length });
const toTrash = (actor: Actor, ...documents: Document[]) =>
  trashDocuments(actor, {
    docs: documents.map(({ id, parent }) => ({
      Id: id,
      ContainerId: parent.id,
      ContainerType: parent.containerType,
    })),
    staffUploads: [],
  });

afterEach(async () => {
  const { faults } = await verify(false);
  expect(
    faults.filter((fault) => fault.includes('who has read')),
    'what is kept is what was noted',
  ).toEqual([]);
});

test('a staff upload is unread for each contact of the client until they read it, and for staff until any contact has', async () => {
  const [one, two] = [
    await uploadAs(sam, projectA, 'One.pdf', '1'),
    await uploadAs(sam, projectA, 'Two.pdf', '2'),
  ];
  await uploadAs(sam, projectB, 'Other client.pdf', '3');
  expect(await unread(ada)).toEqual(only('One.pdf', 'Two.pdf'));
  await setReading(ada, { documentIds: [one.id], isRead: true });
  expect(await unread(ada)).toEqual(only('Two.pdf'));
  expect(await unread(cleo)).toEqual(only('One.pdf', 'Two.pdf'));
  expect(await unread(sam)).toMatchObject({ names: ['Two.pdf'], waiting: 0 });
  await setReading(cleo, { documentIds: [one.id, two.id], isRead: true });
  await setReading(ada, { documentIds: [one.id], isRead: false });
  expect([await unread(ada), await unread(cleo)]).toEqual([only('One.pdf', 'Two.pdf'), only()]);
  expect((await unread(sam)).names, 'one contact has read each').toEqual([]);
  await setReading(cleo, { documentIds: [one.id], isRead: false });
  expect((await unread(sam)).names).toEqual(['One.pdf']);
  await setReading(ada, { documentIds: [one.id, two.id], isRead: true });
  await setReading(cleo, { documentIds: [one.id], isRead: true });
});

test("a contact's upload is read for them and unread for the others", async () => {
  const own = await uploadAs(ada, projectA, 'Mine.pdf', 'mine');
  expect([await unread(ada), await unread(cleo)]).toEqual([only(), only('Mine.pdf')]);
  await setReading(cleo, { documentIds: [own.id], isRead: true });
});

test('a deleted document is unread for nobody, and when restored is unread again for those who had not read it', async () => {
  const document = await uploadAs(ada, projectA, 'Deleted.pdf', 'x');
  await toTrash(ada, document);
  expect([await unread(ada), await unread(cleo)]).toEqual([only(), only()]);
  expect(await restoreDocuments(ada, [document.id])).toMatchObject([{ result: 'RESTORED' }]);
  expect([await unread(ada), await unread(cleo)]).toEqual([only(), only('Deleted.pdf')]);
  await toTrash(ada, document);
  await purgeDocuments(ada, [document.id]);
  expect([await unread(ada), await unread(cleo)]).toEqual([only(), only()]);
});

test('a new contact of a client has nothing unread of earlier documents, and keeps what they read before', async () => {
  await uploadAs(ben, projectB, 'Birch.pdf', 'y');
  const names = (await unread(cleo, clientB)).names;
  await setReading(cleo, {
    documentIds: (await listDocuments(cleo, clientB, documentQuery.parse({}))).items
      .slice(0, 1)
      .map(({ id }) => id),
    isRead: true,
  });
  const left = await unread(cleo, clientB);
  expect(left.total).toBe(names.length - 1);
  await unlink(clientB, cleo);
  await uploadAs(ben, projectB, 'Meanwhile.pdf', 'z');
  await linkContact(clientB, cleo.contactId);
  expect((await unread(cleo, clientB)).names).toEqual([...left.names, 'Meanwhile.pdf'].toSorted());
  await linkContact(clientB, ada.contactId);
  expect((await unread(ada, clientB)).total).toBe(names.length + 1);
  await unlink(clientB, ada);
});

test('a document moved to another client is unread there', async () => {
  const document = await uploadAs(sam, projectA, 'Moved.pdf', 'm');
  const before = (await unread(ben, clientB)).total;
  await db()
    .updateTable('documents')
    .set({ client_id: clientB, container_id: projectB.id })
    .where('document_id', '=', document.id)
    .execute();
  expect(await unread(ada)).toEqual(only());
  expect((await unread(ben, clientB)).total).toBe(before + 1);
  await db().deleteFrom('documents').where('document_id', '=', document.id).execute();
  expect((await unread(ben, clientB)).total).toBe(before);
});

test('the list of unread documents has pages and folder filters', async () => {
  for (const name of ['P1.pdf', 'P2.pdf', 'P3.pdf']) await uploadAs(sam, projectA, name, name);
  const page = (more: Record<string, string>) =>
    listDocuments(
      ada,
      clientA,
      documentQuery.parse({
        readByClientUser: 'false',
        orderBy: 'name',
        orderDir: 'desc',
        pageSize: 2,
        ...more,
      }),
    );
  const first = await page({});
  expect([first.items.map(({ name }) => name), first.total]).toEqual([['P3.pdf', 'P2.pdf'], 3]);
  expect((await page({ after: first.next ?? '' })).items.map(({ name }) => name)).toEqual(['P1.pdf']);
  expect((await page({ parentIds: clientA })).total).toBe(0);
  expect((await page({ parentIds: projectA.id })).total).toBe(3);
});

test('with more than a thousand unread documents the list stays in order, and the count is capped', async () => {
  const many = await client(firmOne, 'Many Mills', 'M-1', [ada]);
  const instant = now() - DAY;
  const rows = Array.from({ length: 1010 }, (_, i) => ({
    document_id: `doc_many_${i}`,
    company_id: firmOne,
    client_id: many,
    container_id: projectA.id,
    name: `Many ${i}.pdf`,
    name_key: `many ${i}.pdf`,
    mime_type: 'application/pdf',
    size: 1,
    sha256: '',
    crc32: 0,
    blob_key: `many-${i}`,
    created_by: sam.contactId,
    uploaded_by_staff: 1 as const,
    created_at: instant + i,
    modified_at: instant,
    deleted_at: null,
  }));
  for (const row of rows) await db().insertInto('documents').values(row).execute();
  const page = await listDocuments(
    ada,
    many,
    documentQuery.parse({ readByClientUser: 'false', pageSize: 2 }),
  );
  expect([page.items.map(({ name }) => name), page.total]).toEqual([
    ['Many 1009.pdf', 'Many 1008.pdf'],
    1000,
  ]);
  expect((await unread(ada, many)).waiting).toBe(1000);
  await db().deleteFrom('documents').where('client_id', '=', many).execute();
});

test('the verifier reports unread marks that do not match the documents', async () => {
  const document = await uploadAs(sam, projectA, 'Wrong.pdf', 'w');
  await sql`delete from unread where document_id = ${document.id} and contact_id = ${ada.contactId}`.execute(
    db(),
  );
  expect((await verify(false)).faults).toContain(`the unread marks of ${document.id} are wrong`);
  await sql`update documents set deleted_at = 1 where document_id = ${document.id}`.execute(db());
  await sql`insert into unread values (${document.id}, ${ada.contactId}, ${clientA}, 5)`.execute(db());
  expect((await verify(false)).faults).toContain(`the unread marks of ${document.id} are wrong`);
  await sql`delete from unread where document_id = ${document.id}`.execute(db());
  standAt(now() + 1);
});

test('an empty company leads to the one with the newest unread documents, while the contact acts for it', async () => {
  const [quiet, busy] = [
    await client(firmOne, 'Quiet Ltd', 'Q-1', [ben]),
    await client(firmOne, 'Busy Ltd', 'Q-2', [ben]),
  ];
  expect(await unreadElsewhere(ben, busy)).not.toMatchObject({ clientId: quiet });
  standAt(now() + DAY);
  await uploadAs(sam, { id: busy, containerType: 'Client' }, 'For Busy.pdf', 'busy');
  expect(await unreadElsewhere(ben, quiet)).toEqual({ clientId: busy, client: 'Busy Ltd', count: 1 });
  expect(await unreadElsewhere(ben, busy), 'not the company that is open').not.toMatchObject({
    clientId: busy,
  });
  await unlink(busy, ben);
  expect(await unreadElsewhere(ben, quiet)).not.toMatchObject({ clientId: busy });
});
