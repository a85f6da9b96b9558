import { copyFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  command,
  copyOf,
  databaseOf,
  filesIn,
  newPlace,
  removePlaces,
  rowsIn,
  tamper,
  type Place,
} from './support.ts';
import type { Filled } from './acts.ts';

/* What an upgrade leaves behind: a way back. */

const COPY = 'before-0030-time-zones.sqlite';
const portal = newPlace();
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 3);
});
afterAll(removePlaces);

/** The same portal as the version before 0030 left it. */
function earlierPortal(): Place {
  const place = copyOf(portal);
  tamper(
    databaseOf(place),
    "delete from kysely_migration where name = '0030-time-zones'; alter table firms drop column time_zone",
  );
  return place;
}

/** The first command that needs the schema of today. */
const upgrade = (place: Place, env = {}) => command(place, 'lock-firm', [filled.firmId], env);
const copiesIn = (place: Place): string[] => filesIn(place.data).filter((file) => file.startsWith('before-'));
const isUpToDate = (file: string): boolean =>
  rowsIn(file, "select 1 from pragma_table_info('firms') where name = 'time_zone'").length === 1;
const documentsIn = (file: string) => rowsIn(file, 'select document_id from documents order by document_id');

test('a database is copied before it is migrated, and the portal can return to the copy', async () => {
  const place = earlierPortal();
  const { code, said } = await upgrade(place);
  expect(code, said).toBe(0);
  expect(isUpToDate(databaseOf(place))).toBe(true);
  expect(copiesIn(place)).toEqual([COPY]);
  const copy = path.join(place.data, COPY);
  expect(isUpToDate(copy)).toBe(false);
  expect(rowsIn(copy, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(documentsIn(copy)).toEqual(documentsIn(databaseOf(portal)));
  expect(statSync(copy).mode & 0o077, 'for its own user alone').toBe(0);

  for (const file of filesIn(place.data).filter((name) => name.startsWith('portal.db'))) {
    renameSync(path.join(place.data, file), path.join(place.folder, file));
  }
  copyFileSync(copy, databaseOf(place));
  const again = await upgrade(place);
  expect(again.code, again.said).toBe(0);
  expect((await command(place, 'verify')).code).toBe(0);
});

test('the last two copies are kept, and a portal that is new or up to date makes none', async () => {
  expect(copiesIn(portal)).toEqual([]);
  const place = earlierPortal();
  for (const [name, hour] of [
    ['0011-of-may', 1],
    ['0002-of-june', 2],
  ] as const) {
    const file = path.join(place.data, `before-${name}.sqlite`);
    writeFileSync(file, '');
    utimesSync(file, hour * 3600, hour * 3600);
  }
  writeFileSync(path.join(place.data, `${COPY}.new`), 'of a start that was broken off');
  expect((await upgrade(place)).code).toBe(0);
  expect(copiesIn(place)).toEqual(['before-0002-of-june.sqlite', COPY]);
  const { mtimeMs } = statSync(path.join(place.data, COPY));
  expect((await upgrade(place)).code).toBe(0);
  expect(statSync(path.join(place.data, COPY)).mtimeMs).toBe(mtimeMs);
});

test('without space for the copy nothing is changed, and the error says what to do', async () => {
  const full =
    "import fs from 'node:fs/promises';import{syncBuiltinESMExports}from'node:module';fs.statfs=async()=>({bavail:300,blocks:1000000,bsize:4096});syncBuiltinESMExports()";
  const place = earlierPortal();
  const { code, said } = await upgrade(place, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(full)}`,
  });
  expect([code, said]).toEqual([
    1,
    `The database is copied before it is migrated, and DATA_DIR=${place.data} has no space for the copy. Nothing was changed. Free some space, or move earlier copies (before-*.sqlite) elsewhere, and start again.\n`,
  ]);
  expect(isUpToDate(databaseOf(place))).toBe(false);
  expect(copiesIn(place)).toEqual([]);
});
