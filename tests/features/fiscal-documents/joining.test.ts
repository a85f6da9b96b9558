import '../../../src/app.server.ts';
import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { actorOf } from '#features/base/people/people.server.ts';
import { joinSmallPacks } from '#features/brazil/fiscal-documents/joining.server.ts';
import { fiscalXml } from '#features/brazil/fiscal-documents/reading.server.ts';
import { verifyFiscalDocuments } from '#features/brazil/fiscal-documents/verification.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { db } from '#platform/database/database.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import { BAKERY, noteXml, openStorageOf, store } from '../../support/fiscal.ts';
import { onPostgres } from '../../support/whole.ts';

const { firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const owner = await actorOf(olga.contactId);
const later = <Result>(work: () => Promise<Result>): Promise<Result> => at(now() + 2 * DAY, work);

const packIds = async (): Promise<string[]> =>
  (await db().selectFrom('fiscal_packs').select('pack_id').orderBy('pack_id').execute()).map(
    ({ pack_id: id }) => id,
  );
const blobCount = async (): Promise<number> =>
  (await db().selectFrom('blobs').select('blob_key').execute()).length;

/** The bytes of all documents by their numbers, as somebody downloads them. */
async function downloads(): Promise<Map<number | null, string>> {
  const rows = await db().selectFrom('fiscal_documents').select(['document_id', 'number']).execute();
  const found = new Map<number | null, string>();
  for (const { document_id: id, number } of rows)
    found.set(number, (await fiscalXml(owner, id)).bytes.toString());
  return found;
}

test('small packs become one, with the same bytes; killed before the end, nothing has changed', async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
  const notes = Array.from({ length: 70 }, (_, number) => noteXml({ number: number + 1 }));
  for (const note of notes.slice(0, 15)) await store(owner, clientA, note);
  await later(joinSmallPacks);
  expect(await packIds()).toHaveLength(15); // too few
  for (const note of notes.slice(15)) await store(owner, clientA, note);
  await joinSmallPacks();
  expect(await packIds()).toHaveLength(70); // not a day old
  const [before, blobs, bytes] = [await packIds(), await blobCount(), await downloads()];
  const [refuse, allow] = onPostgres
    ? [
        sql`alter table fiscal_packs add constraint killed check (created_at < ${sql.lit(now() + DAY)})`,
        sql`alter table fiscal_packs drop constraint killed`,
      ]
    : [
        sql`create trigger killed before delete on fiscal_packs begin select raise(abort, 'killed'); end`,
        sql`drop trigger killed`,
      ];
  await refuse.execute(db());
  await expect(later(joinSmallPacks)).rejects.toThrow('killed');
  await allow.execute(db());
  expect([await packIds(), await blobCount(), await downloads()]).toEqual([before, blobs, bytes]);

  await later(joinSmallPacks);
  expect(await packIds()).toHaveLength(1 + 6); // of 64 files, and the others are too few
  expect(await blobCount()).toBe(blobs - 70 + 7);
  expect(await downloads()).toEqual(bytes);
  expect(await verifyFiscalDocuments()).toEqual([]);
});

test('a pack with a damaged file stays as it is, and the others are joined', async () => {
  for (let number = 100; number < 120; number += 1) await store(owner, clientA, noteXml({ number }));
  const damaged = await db()
    .selectFrom('fiscal_documents')
    .innerJoin('fiscal_files', 'fiscal_files.file_id', 'fiscal_documents.file_id')
    .select(['fiscal_files.file_id', 'pack_id'])
    .where('number', '=', 110)
    .executeTakeFirstOrThrow();
  await db()
    .updateTable('fiscal_files')
    .set({ sha256: 'other' })
    .where('file_id', '=', damaged.file_id)
    .execute();
  await later(joinSmallPacks);
  const left = await packIds();
  expect(left).toContain(damaged.pack_id);
  expect(left).toHaveLength(3); // that of 64 files, the damaged one, and all others
});
