import { db, inTransaction } from '#platform/database/database.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { releaseBlobs } from '#platform/storage/blobs.server.ts';
import { commitPack, storePack, unpack } from './internal/packs.server.ts';

/*
 * Small packs become one: files that come alone are packs of one, and would be as many objects in time. The new pack is
 * stored first; one transaction then moves the files into it, unless they have changed, and releases the old ones. Killed
 * at any moment, the old packs are complete, or the new one is.
 */

/** Packs below this size are joined, once a client has so many of them that are a day old. */
const SMALL = 64 * 1024;
const MIN_PACKS = 16;
/** The most files of a new pack: their bytes are in memory meanwhile. */
const MAX_FILES = 64;
const MAX_CLIENTS = 100;

/** Joins the small packs of clients that have many. */
export async function joinSmallPacks(signal?: AbortSignal): Promise<void> {
  const before = now() - DAY;
  const clients = await smallPacks(before)
    .select(['fiscal_packs.client_id', 'fiscal_packs.company_id'])
    .groupBy(['fiscal_packs.client_id', 'fiscal_packs.company_id'])
    .having((e) => e.fn.countAll(), '>=', MIN_PACKS)
    .orderBy('fiscal_packs.client_id')
    .limit(MAX_CLIENTS)
    .execute();
  for (const { client_id: clientId, company_id: companyId } of clients)
    while (signal?.aborted !== true && (await joinSome({ companyId, clientId }, before)));
}

/** The small packs of before a moment; what is damaged stays as it is, for a backup to repair. */
const smallPacks = (before: number) =>
  db()
    .selectFrom('fiscal_packs')
    .innerJoin('blobs', 'blobs.blob_key', 'fiscal_packs.blob_key')
    .where('fiscal_packs.size', '<', SMALL)
    .where('fiscal_packs.created_at', '<', before)
    .where('blobs.damaged_at', 'is', null);

interface Owner {
  companyId: string;
  clientId: string;
}

/** Joins the oldest small packs of a client; false if there are too few. */
async function joinSome(owner: Owner, before: number): Promise<boolean> {
  const packs = await smallPacks(before)
    .select(['fiscal_packs.pack_id', 'fiscal_packs.blob_key'])
    .where('fiscal_packs.client_id', '=', owner.clientId)
    .orderBy('fiscal_packs.created_at')
    .orderBy('fiscal_packs.pack_id')
    .limit(MAX_FILES)
    .execute();
  if (packs.length < MIN_PACKS) return false;
  const files = await filesIn(packs.map(({ pack_id: id }) => id));
  const contents = new Map<string, Buffer>();
  const damaged = new Set<string>(); // the check of the store says so
  for (const file of files) {
    const bytes = await unpack(file).catch(() => undefined); // unreadable is damaged, too
    if (bytes && sha256(bytes) === file.sha256) contents.set(file.file_id, bytes);
    else damaged.add(file.pack_id);
  }
  const joined = packs.filter(({ pack_id: id }) => isWholeIn(files, id) && !damaged.has(id));
  if (joined.length < 2) return false;
  const ids = joined.map(({ pack_id: id }) => id);
  const moved = files.filter(({ pack_id: id }) => ids.includes(id));
  const pack = await storePack(
    owner.clientId,
    moved.flatMap(({ file_id: id }) => contents.get(id) ?? []),
  );
  return inTransaction(async () => {
    const present = (await filesIn(ids)).map(({ file_id: id }) => id);
    const isSame =
      present.length === moved.length && moved.every(({ file_id: id }, at) => present[at] === id);
    if (!isSame) return false; // somebody has changed them: the next time
    const packId = await commitPack(pack, owner);
    for (const [at, { file_id: id }] of moved.entries()) {
      const place = pack.places[at];
      if (!place) throw new Error('a file without a place');
      await db()
        .updateTable('fiscal_files')
        .set({ pack_id: packId, pack_offset: place.offset, pack_length: place.length })
        .where('file_id', '=', id)
        .execute();
    }
    await db().deleteFrom('fiscal_packs').where('pack_id', 'in', ids).execute();
    await releaseBlobs(joined.map(({ blob_key: key }) => key));
    return true;
  });
}

/** Whether all files of a pack are among those that were read: of one that does not fit, nothing is moved. */
const isWholeIn = (files: readonly { pack_id: string }[], packId: string): boolean =>
  files.length <= MAX_FILES ||
  (files.at(-1)?.pack_id !== packId && files.some(({ pack_id: id }) => id === packId));

const filesIn = (packIds: readonly string[]) =>
  db()
    .selectFrom('fiscal_files')
    .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
    .select([
      'fiscal_files.file_id',
      'fiscal_files.pack_id',
      'fiscal_files.sha256',
      'fiscal_files.pack_offset',
      'fiscal_files.pack_length',
      'fiscal_packs.blob_key',
      'fiscal_packs.created_at',
    ])
    .where('fiscal_files.pack_id', 'in', packIds)
    .orderBy('fiscal_packs.created_at')
    .orderBy('fiscal_files.pack_id')
    .orderBy('fiscal_files.pack_offset')
    .limit(MAX_FILES + 1)
    .execute();
