import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { documentById } from '#features/documents/documents/documents.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { itemText } from '#features/office/inbox/texts.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { trashDocuments } from '#features/documents/trash/trash.server.ts';
import { finishUpload, startUpload, takePart } from '#features/documents/uploads/parts.server.ts';
import { checkBlobs, putStored, removeBlob, storedBytes } from '#platform/storage/blobs.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, pdf, readAll, uploadAs } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* What the firm and its clients learn about a document whose stored bytes are damaged. */

const { ada, sam, tom, projectA, documentTwo } = await makeCast();

interface Damageable {
  /** Flips a bit of the stored bytes. */
  damage: () => Promise<void>;
  /** Puts the original bytes back, as an operator does from a backup. */
  repair: () => Promise<void>;
}

async function stored(name: string): Promise<Damageable & { id: string }> {
  const { id } = await uploadAs(sam, projectA, name, name);
  const { blob_key: key, size } = await db()
    .selectFrom('documents')
    .select(['blob_key', 'size'])
    .where('document_id', '=', id)
    .executeTakeFirstOrThrow();
  return { id, ...(await damageable(key, size)) };
}

async function damageable(key: string, size: number): Promise<Damageable> {
  const sound = await buffer(storedBytes(key, size, true).bytes);
  const broken = Buffer.from(sound);
  broken.writeUInt8(broken.readUInt8(5) ^ 1, 5);
  const replaceBy = async (bytes: Buffer): Promise<void> => {
    await removeBlob(key);
    await putStored(key, Readable.from([bytes]));
  };
  return { damage: () => replaceBy(broken), repair: () => replaceBy(sound) };
}

const read = async (id: string): Promise<string> => {
  const [file] = await bytesOf(ada, [id]);
  return file
    ? readAll(file.open()).then(
        () => 'read',
        () => 'refused',
      )
    : 'missing';
};
const waiting = async (actor: Actor): Promise<string[]> =>
  (await listInbox(actor, inboxQuery.parse({ of: 'all', kind: 'damaged' }))).items.map((item) =>
    itemText('en-us', item),
  );
const isMarked = async (id: string): Promise<boolean> => (await documentById(ada, id)).isDamaged ?? false;
const audited = async (id: string): Promise<number> =>
  (
    await db()
      .selectFrom('audit')
      .select('seq')
      .where('target', '=', id)
      .where('action', '=', 'document.damage')
      .execute()
  ).length;

test('a damaged document is marked in lists, audited and in the inbox once, until it can be read again', async () => {
  const ledger = await stored('Ledger.pdf');
  expect([await isMarked(ledger.id), await waiting(sam)]).toEqual([false, []]);
  await ledger.damage();
  for (let times = 0; times < 3; times += 1) expect(await read(ledger.id)).toBe('refused');
  expect([await isMarked(ledger.id), await audited(ledger.id)]).toEqual([true, 1]);
  expect(await waiting(sam)).toEqual(['The file “Ledger.pdf” is damaged']);
  expect(await waiting(tom), 'another firm').toEqual([]);

  await ledger.repair();
  expect(await read(ledger.id)).toBe('read');
  expect([await isMarked(ledger.id), await audited(ledger.id), await waiting(sam)]).toEqual([false, 1, []]);
});

test('a document that was uploaded in parts is marked as damaged while one of them is', async () => {
  const bytes = pdf('In parts');
  const { uploadId } = await startUpload(ada, bytes.length, {
    filename: 'In parts.pdf',
    containerType: 'Project',
    containerId: projectA.id,
    onConflict: 'fail',
  });
  for (const [offset, end] of [
    [0, 20],
    [20, 40],
    [40, bytes.length],
  ])
    await takePart(ada, uploadId, {
      offset: offset ?? 0,
      bytes: Readable.from([bytes.subarray(offset, end)]),
    });
  const { id } = await finishUpload(ada, uploadId);
  const parts = await db()
    .selectFrom('documents')
    .innerJoin('blob_parts', 'blob_parts.blob_key', 'documents.blob_key')
    .innerJoin('blobs', 'blobs.blob_key', 'part_key')
    .select(['part_key as key', 'blobs.size'])
    .where('document_id', '=', id)
    .orderBy('number')
    .execute();
  expect(parts.map(({ size }) => size)).toEqual([20, 20, bytes.length - 40]);
  const [, second, third] = await Promise.all(parts.map(({ key, size }) => damageable(key, size)));
  await second?.damage();
  await third?.damage();
  const check = async (): Promise<boolean> => {
    await checkBlobs();
    return isMarked(id);
  };
  expect(await check(), 'noticed without a request').toBe(true);
  expect([await read(id), await audited(id), await waiting(sam)]).toEqual([
    'refused',
    1,
    ['The file “In parts.pdf” is damaged'],
  ]);
  await second?.repair();
  expect(await check(), 'another part is still damaged').toBe(true);
  await third?.repair();
  expect(await check()).toBe(false);
  expect([await read(id), await waiting(sam)]).toEqual(['read', []]);
  await second?.damage();
  expect([await read(id), await isMarked(id)], 'noticed by a request').toEqual(['refused', true]);
  await second?.repair();
  expect([await read(id), await isMarked(id)]).toEqual(['read', false]);
});

test('a damaged document that is deleted leaves the inbox', async () => {
  const draft = await stored('Draft.pdf');
  await draft.damage();
  await read(draft.id);
  expect(await waiting(sam)).toEqual(['The file “Draft.pdf” is damaged']);
  await trashDocuments(sam, {
    docs: [{ Id: draft.id, ContainerType: 'Project', ContainerId: projectA.id }],
    staffUploads: [],
  });
  expect(await waiting(sam)).toEqual([]);
});

test('damage is noticed without a request, in the file that was not checked for longest', async () => {
  const [first, second] = [await stored('First.pdf'), await stored('Second.pdf')];
  await second.damage();
  await db().updateTable('blobs').set({ checked_at: 3 }).execute();
  const check = async (): Promise<boolean[]> => {
    expect(await checkBlobs(1)).toBe(1);
    return [await isMarked(first.id), await isMarked(second.id)];
  };
  await setChecked(second.id, 2);
  await setChecked(first.id, 1);
  expect(await check()).toEqual([false, false]);
  expect(await check()).toEqual([false, true]);
  expect(await waiting(sam)).toEqual(['The file “Second.pdf” is damaged']);
  await second.repair();
  await setChecked(second.id, 0);
  expect(await check()).toEqual([false, false]);
  expect(await waiting(sam)).toEqual([]);
});

test('a check of all files reads those of every firm and ends', async () => {
  const { count } = await db()
    .selectFrom('blobs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('part_count', '=', 0)
    .executeTakeFirstOrThrow();
  expect(await checkBlobs()).toBe(Number(count));
  expect(documentTwo.isDamaged).toBeUndefined();
});

const setChecked = (id: string, at: number) =>
  db()
    .updateTable('blobs')
    .set({ checked_at: at })
    .where('blob_key', '=', (e) => e.selectFrom('documents').select('blob_key').where('document_id', '=', id))
    .execute();
