import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { releaseJobs, rowsIn } from './support/database.ts';
import { onADiskOfItsOwn } from './support/disk.ts';
import { verify } from './support/ledger.ts';
import { digestOf, Person } from './support/person.ts';
import { Portal } from './support/portal.ts';
import { copyToMemory, copyWorld } from './support/world.ts';

const PAGE = '/clientcenter/en-us/staff/data-exports';
const MEGABYTE = 1024 * 1024;
const HOURS = 3_600_000;
const run = promisify(execFile);

test('an export that is killed in the middle leaves nothing half, is built again, and its first bytes are swept', async () => {
  const portal = await Portal.start({ folder: copyToMemory(inject('world')) });
  const data = path.join(portal.start.folder, 'data');
  const incoming = (): string[] => readdirSync(path.join(data, 'blobs/incoming'));
  await uploadLarge(portal, { files: 8, megabytes: 20 });
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  expect((await hart.form(PAGE, { start: 'firm' })).status).toBe(303);
  // small documents are still in memory when their progress is first reported
  const isHalf = (): boolean => (exportsIn(data)[0]?.written ?? 0) > 0 && incoming().length > 0;
  await expect.poll(isHalf, { interval: 1 }).toBe(true);
  await portal.end('SIGKILL');
  expect(exportsIn(data), 'the kill came in the middle').toMatchObject([{ state: 'building', attempt: 1 }]);
  expect(exportsIn(data)[0]?.blob_key).toBeNull();
  expect(incoming()).toHaveLength(1);

  releaseJobs(fileIn(data), 'data-export');
  await portal.again();
  await expect.poll(() => exportsIn(data)[0]?.state).toBe('ready');
  const [built] = exportsIn(data);
  expect(built?.attempt).toBe(2);
  const { status, body } = await hart.ask(`/api/client-center/v1/data-exports/${built?.export_id}/file`);
  expect([status, digestOf(body)]).toEqual([200, built?.sha256]);
  expect(await documentsIn(body, portal.start.folder)).toBe(documentsOf(data));
  await portal.end('SIGTERM');

  // what is left over is swept within two hours
  portal.start.env = { FAULTS_CLOCK: String(2 * HOURS) };
  portal.start.preload = ['clock-preload.ts'];
  await portal.again();
  await expect.poll(incoming).toEqual([]);
  expect(await verify(portal, 2 * HOURS)).toEqual([]);
  await portal.end('SIGTERM');
});

test('an export whose disk fills up meanwhile fails with an explanation, leaves nothing behind, and can be started again', async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')), under: onADiskOfItsOwn });
  const disk = path.join('/proc', String(portal.pid), 'root', portal.start.folder, 'data');
  const free = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
  const filesIn = (folder: string): string[] =>
    readdirSync(path.join(disk, folder), { recursive: true }).map(String).toSorted();
  await uploadLarge(portal, { files: 3, megabytes: 4 });
  const hart = await new Person(portal.origin, 'hart@maplehart.example').arrive();
  const start = () => hart.form(PAGE, { start: 'firm' });
  const page = async (at = PAGE): Promise<string> => (await hart.ask(at)).body.toString();
  const before = filesIn('blobs');

  await start();
  await expect.poll(() => filesIn('blobs/incoming'), { interval: 1 }).toHaveLength(1);
  process.kill(portal.pid, 'SIGSTOP');
  expect(filesIn('blobs/incoming'), 'the disk is filled in the middle').toHaveLength(1);
  const ballast = path.join(disk, 'ballast');
  // files have no more space; the database has
  writeFileSync(ballast, Buffer.alloc(free() - 2.5 * MEGABYTE));
  process.kill(portal.pid, 'SIGCONT');
  await expect.poll(() => page()).toContain('Failed: not enough storage space');
  expect(filesIn('blobs')).toEqual(before);
  const refused = (await start()).headers.get('location') ?? '';
  expect(await page(refused)).toContain('export clients one by one');

  rmSync(ballast);
  await start();
  await expect.poll(() => page()).toMatch(/data-exports\/[\w-]+\/file/);
  expect((await portal.end('SIGTERM')).code).toBe(0);
});

/** Makes an export of the firm take a moment. */
async function uploadLarge(
  portal: Portal,
  { files, megabytes }: { files: number; megabytes: number },
): Promise<void> {
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  for (let i = 0; i < files; i += 1) {
    const { status } = await olivia.uploadAs([`large-${i}-${megabytes * 1_000_000}.pdf`]);
    expect(status).toBe(200);
  }
}

interface ExportRow {
  export_id: string;
  state: string;
  attempt: number;
  written: number;
  sha256: string;
  blob_key: string | null;
}

const fileIn = (data: string): string => path.join(data, 'portal.db');

const exportsIn = (data: string): ExportRow[] =>
  rowsIn(fileIn(data), 'select * from data_exports order by created_at') as unknown as ExportRow[];

const documentsOf = (data: string): number =>
  Number(
    rowsIn(
      fileIn(data),
      `select count(*) as count from documents
       where deleted_at is null and company_id = (select company_id from data_exports)`,
    )[0]?.['count'],
  );

/** Checks an archive with unzip, and counts its documents. */
async function documentsIn(archive: Buffer, folder: string): Promise<number> {
  const file = path.join(folder, 'export.zip');
  writeFileSync(file, archive);
  await run('unzip', ['-tqq', file]);
  const { stdout } = await run('unzip', ['-Z1', file], { maxBuffer: 64 * MEGABYTE });
  return stdout.split('\n').filter((name) => /^clients\/[^/]+\/documents\//.test(name)).length;
}
