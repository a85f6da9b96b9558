import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { lasting, startCluster } from './postgres.ts';
import { act, command, newPlace, removePlaces, type Place } from './support.ts';

/*
 * Backups, restores and moves of whole portals, from each engine to each: one with rows in every table, and the demo,
 * whose rows are connected as those of a firm are.
 */

const cluster = await startCluster();
afterAll(async () => {
  removePlaces();
  await cluster.stop();
});

async function filledPortal(): Promise<Place> {
  const place = newPlace();
  await act(place, 'fill', 6);
  expect(await act(place, 'fillEmptyTables')).toContain('staff_clients');
  return place;
}

function demo(): Promise<Place> {
  const place = newPlace();
  cpSync(path.join(inject('world'), 'data'), place.data, { recursive: true });
  cpSync(path.join(inject('world'), 'data.key'), place.keyFile);
  return Promise.resolve(place);
}

const onPostgres = async (place: Place): Promise<Place> => ({
  ...place,
  env: { DATABASE_URL: await cluster.newDatabase() },
});

async function done(place: Place, name: string, args: string[]): Promise<void> {
  const { code, said } = await command(place, name, args);
  expect([code, said], name).toEqual([0, expect.any(String)]);
}

test.each([
  ['a portal with rows in every table', filledPortal],
  ['the demo', demo],
])(
  '%s is backed up, restored and moved from each engine to each without a difference',
  async (_, make) => {
    const original = await make();
    const rows = lasting(await act(original, 'digests'));
    const backup = path.join(newPlace().folder, 'backup');
    await done(original, 'backup', ['--to', backup]);
    const onSqlite = newPlace({}, original);
    const restored = await onPostgres(newPlace({}, original));
    for (const place of [onSqlite, restored]) {
      await done(place, 'restore', ['--from', backup]);
      expect(lasting(await act(place, 'digests')), 'a backup of SQLite, restored').toEqual(rows);
    }
    const ofPostgres = path.join(newPlace().folder, 'backup');
    await done(restored, 'backup', ['--to', ofPostgres]);
    for (const place of [newPlace({}, original), await onPostgres(newPlace({}, original))]) {
      await done(place, 'restore', ['--from', ofPostgres]);
      expect(lasting(await act(place, 'digests')), 'a backup of PostgreSQL, restored').toEqual(rows);
    }
    const moved = await onPostgres(original);
    await done(original, 'move', ['--to', moved.env['DATABASE_URL'] ?? '']);
    expect(await act(moved, 'digests'), 'moved from SQLite').toEqual(await act(original, 'digests'));
    const again = await onPostgres(original);
    await done(moved, 'move', ['--to', again.env['DATABASE_URL'] ?? '']);
    expect(await act(again, 'digests'), 'moved from PostgreSQL').toEqual(await act(original, 'digests'));
    for (const place of [onSqlite, again]) await done(place, 'verify', []);
  },
  300_000,
);
