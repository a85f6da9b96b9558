import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { releaseJobs, rowsIn } from './support/database.ts';
import { verify } from './support/ledger.ts';
import { Person } from './support/person.ts';
import { Portal, until } from './support/portal.ts';
import { copyToMemory, copyWorld } from './support/world.ts';

/* Copying a folder to another client while the portal is killed, or the disk is full. */

const TOGETHER = 20;
const MEGABYTE = 1024 * 1024;

/** Mounts a disk of 64 MiB over the data folder, visible to the portal only and unmounted with it. */
const OWN_DISK =
  'mkdir "$DATA_DIR.kept" && cp -a "$DATA_DIR/." "$DATA_DIR.kept" && mount -t tmpfs -o size=64m tmpfs "$DATA_DIR" && cp -a "$DATA_DIR.kept/." "$DATA_DIR" && exec "$@"';
const ON_A_DISK_OF_ITS_OWN = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  'sh',
  '-c',
  OWN_DISK,
  'sh',
];

interface Filed {
  result: string;
  newId: string;
  name: string;
}

class Staff extends Person {
  /** Creates a folder with documents at the top of a client, and returns its id. */
  async folderWith(names: string[], clientId: string): Promise<string> {
    const made = await this.json('/api/storage/v1/folders', {
      name: 'Many documents',
      parentId: clientId,
      parentType: 'Client',
    });
    const { data } = JSON.parse(made.body.toString()) as { data: { id: string } };
    for (let from = 0; from < names.length; from += 100) {
      const answer = await this.uploadAs(names.slice(from, from + 100), { place: `folders/${data.id}` });
      expect(answer.status).toBe(200);
    }
    return data.id;
  }

  /** The documents in a folder of a client, with their fingerprints. */
  async contentsAt(clientId: string, folderId: string): Promise<string[]> {
    this.clientId = clientId;
    const documents = await this.documents();
    return documents
      .filter(({ parent }) => parent.id === folderId)
      .map(({ name, sha256 }) => `${name} ${sha256}`)
      .toSorted();
  }

  /** The folders of a client with documents of these tests in them. */
  async foldersAt(clientId: string): Promise<string[]> {
    this.clientId = clientId;
    const documents = await this.documents();
    return [
      ...new Set(documents.filter(({ name }) => name.startsWith('full-')).map(({ parent }) => parent.id)),
    ];
  }

  async copy(folderId: string, clientId: string): Promise<Filed | undefined> {
    const answer = await this.json('/api/storage/v1/items/copy', {
      folderIds: [folderId],
      containerId: clientId,
      containerType: 'Client',
    });
    const { data } = JSON.parse(answer.body.toString()) as { data: { items: Filed[] } };
    return data.items[0];
  }
}

/** A member of staff, the client from which documents are copied, and the one to which they are. */
async function arrive(portal: Portal): Promise<{ hart: Staff; from: string; to: string }> {
  const hart = await new Staff(portal.origin, 'hart@maplehart.example').arrive();
  const list = await hart.ask('/api/client-center/v1/clients/');
  const { clients } = JSON.parse(list.body.toString()) as { clients: { id: string }[] };
  return { hart, from: clients[0]?.id ?? '', to: clients[1]?.id ?? '' };
}

const namesIn = (file: string, folderId: string): string[] =>
  rowsIn(
    file,
    `select name from documents where container_id = '${folderId}' and deleted_at is null order by name`,
  ).map((row) => String(row['name']));
/** The copied folder, and its copies, at a client. */
const foldersOf = (file: string, clientId: string): string[] =>
  rowsIn(
    file,
    `select name from containers where client_id = '${clientId}' and name like 'Many documents%' and deleted_at is null`,
  ).map((row) => String(row['name']));

test('a copy of a thousand documents that a kill interrupts has whole batches, and continues until each document is there once', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const { hart, from, to } = await arrive(portal);
  const names = Array.from({ length: 1000 }, (_, i) => `copied-${String(i).padStart(4, '0')}-200.pdf`);
  const folder = await hart.folderWith(names, from);
  const copy = await hart.copy(folder, to);
  expect(copy?.result).toBe('STARTED');
  const newId = copy?.newId ?? '';
  await expect.poll(() => namesIn(file, newId).length, { interval: 1 }).toBeGreaterThan(0);
  await portal.end('SIGKILL');
  const { length } = namesIn(file, newId);
  expect(length, 'the kill came in the middle').toBeLessThan(names.length);
  expect(length % TOGETHER, 'batches are whole').toBe(0);
  releaseJobs(file, 'copy-folder');
  await portal.again();
  await expect.poll(() => namesIn(file, newId).length).toBe(names.length);
  expect(namesIn(file, newId)).toEqual(names);
  expect(await verify(portal)).toEqual([]);
  expect((await portal.end('SIGTERM')).code).toBe(0);
});

test('a copy of a small folder that a kill interrupts is there completely or not at all, and can be repeated', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const file = path.join(portal.start.folder, 'data/portal.db');
  const blobs = path.join(portal.start.folder, 'data/blobs');
  const stored = (): number => readdirSync(blobs, { recursive: true }).length;
  const { hart, from, to } = await arrive(portal);
  const names = Array.from({ length: TOGETHER }, (_, i) => `small-${String(i).padStart(2, '0')}-20000.pdf`);
  const folder = await hart.folderWith(names, from);
  const before = stored();
  expect(foldersOf(file, to)).toEqual([]);
  const copying = hart.copy(folder, to).catch(() => undefined); // the kill ends the connection
  await until('bytes are being copied', 60_000, () => stored() > before + 2);
  await portal.end('SIGKILL');
  await copying;
  const copied = rowsIn(
    file,
    `select count(*) as count from documents where client_id = '${to}' and name like 'small-%'`,
  )[0]?.['count'];
  expect(copied).toBe(foldersOf(file, to).length * names.length);
  await portal.again();
  const again = await arrive(portal);
  const copy = await again.hart.copy(folder, to);
  expect(copy?.result).toBe('COPIED');
  expect(namesIn(file, copy?.newId ?? '')).toEqual(names);
  expect(await verify(portal)).toEqual([]);
  expect((await portal.end('SIGTERM')).code).toBe(0);
});

test('on a full disk nothing half is copied, the page says so, and the copy continues once there is space', async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')), under: ON_A_DISK_OF_ITS_OWN });
  const disk = path.join('/proc', String(portal.pid), 'root', portal.start.folder, 'data');
  const free = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
  const { hart, from, to } = await arrive(portal);
  const names = Array.from({ length: 60 }, (_, i) => `full-${String(i).padStart(2, '0')}-200000.pdf`);
  const folder = await hart.folderWith(names, from);
  const few = await hart.folderWith(names.slice(0, TOGETHER), to);
  const ballast = path.join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - 4 * MEGABYTE)));

  expect(await hart.copy(few, from), 'a small folder').toMatchObject({ result: 'QUOTA' });
  expect(await hart.foldersAt(from)).toEqual([folder]);

  const copy = await hart.copy(folder, to);
  expect(copy, 'a large folder').toMatchObject({ result: 'STARTED' });
  const newId = copy?.newId ?? '';
  /** What the page says about the copy. */
  const progress = async (): Promise<string | undefined> => {
    const { body } = await hart.ask(`/clientcenter/en-us/documents?client=${to}&folder=${newId}`);
    return /Documents copied: \d+ of 60\.[^<>]*/.exec(body.toString())?.[0].trim();
  };
  await expect.poll(progress).toMatch(/^Documents copied: 0 of 60\. Storage is full\./);
  expect(await hart.foldersAt(to)).toEqual([few]);
  await expect.poll(() => readdirSync(path.join(disk, 'blobs/incoming'))).toEqual([]); // between two attempts

  rmSync(ballast);
  const source = await hart.contentsAt(from, folder);
  expect(source).toHaveLength(names.length);
  await expect.poll(() => hart.contentsAt(to, newId)).toEqual(source);
  await expect.poll(progress).toBeUndefined();
  expect((await portal.end('SIGTERM')).code).toBe(0);
});
