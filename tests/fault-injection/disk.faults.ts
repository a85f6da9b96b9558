import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { onADiskOfItsOwn, onAReadOnlyDisk, onTheDiskOf } from './support/disk.ts';
import { compare, Ledger, verify } from './support/ledger.ts';
import { Person, type Answer } from './support/person.ts';
import { Portal, until } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const MEGABYTE = 1024 * 1024;
/** A twentieth of it, which uploads leave free, holds the log of the database. */
const DISK = 128 * MEGABYTE;
const ROUNDS = Number(process.env['TIMES'] ?? 1);

test('on a full disk uploads are refused with 507 and leave nothing behind, everything else works, and uploads work again once there is space', async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')), under: onADiskOfItsOwn });
  const disk = path.join('/proc', String(portal.pid), 'root', portal.start.folder, 'data');
  const free = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
  expect(statfsSync(disk).blocks * statfsSync(disk).bsize, 'the disk is a small one').toBe(DISK);
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const ledger = new Ledger();
  const statuses: number[] = [];
  const seen = (answer: Answer): Answer => {
    statuses.push(answer.status);
    return answer;
  };
  const unfinished = (): string[] => readdirSync(path.join(disk, 'blobs/incoming'));

  for (let round = 0; round < ROUNDS; round += 1) {
    const ballast = path.join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(Math.max(0, free() - 12 * MEGABYTE)));
    let refused: Answer | undefined;
    for (let i = 0; i < 20 && !refused; i += 1) {
      const answer = seen(await olivia.uploadAs([`w${round}-${i}-2000000.pdf`]));
      if (answer.status === 200) ledger.noteDocuments(answer);
      else refused = answer;
    }
    expect(refused?.status).toBe(507);
    expect(JSON.parse((refused as Answer).body.toString())).toMatchObject({ errors: [{ code: 'QUOTA' }] });
    expect(free(), 'the last twentieth is left to the database').toBeGreaterThan(MEGABYTE);
    expect(unfinished()).toEqual([]);

    // Large uploads, several at once, fill the disk; meanwhile people do things that need hardly any space.
    const uploads = Promise.all(
      Array.from({ length: 4 }, async (_, i) =>
        seen(await olivia.uploadAs([`w${round}-large-${i}-20000000.pdf`])),
      ),
    );
    const [document] = ledger.documents;
    for (let i = 0; i < 10; i += 1) {
      const visitor = new Person(portal.origin, 'sophie@erable.example');
      expect(seen(await visitor.signIn()).status).toBe(303);
      ledger.noteFolder(seen(await olivia.makeFolder(`w${round}-${i}`)));
      expect(
        seen(
          await olivia.share(
            document as NonNullable<typeof document>,
            [`r${round}-${i}@supplier.example`],
            'Metrics',
          ),
        ).status,
      ).toBe(200);
      expect(seen(await olivia.download(document as NonNullable<typeof document>)).status).toBe(200);
      expect(seen(await visitor.signOut()).status).toBe(303);
    }
    expect((await uploads).map(({ status }) => status)).toEqual([507, 507, 507, 507]);
    expect(unfinished()).toEqual([]);

    rmSync(ballast);
    const again = seen(await olivia.uploadAs([`w${round}-again-3000000.pdf`]));
    expect(again.status, 'with space, and without a restart, uploads are taken again').toBe(200);
    ledger.noteDocuments(again);
  }

  expect(ledger.folders).toHaveLength(10 * ROUNDS);
  expect(statuses.filter((status) => status >= 500 && status !== 507)).toEqual([]);
  expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
  expect(await verify(portal, 0, onTheDiskOf(portal.pid))).toEqual([]);
  report('disk full', {
    answers: statuses.length,
    'refused with 507': statuses.filter((status) => status === 507).length,
    'other 5xx': 0,
    kept: ledger.documents.length,
  });
  expect((await portal.end('SIGTERM')).code).toBe(0);
});

/** Fills a disk with a file. The portal may write meanwhile: then it is full before the file is complete. */
function fill(disk: string, file: string): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Pages that people open to read. */
const PAGES = [
  'home',
  'documents',
  'clients',
  'shares',
  'receipts',
  'tasks',
  'notifications',
  'profile',
  'profile/activity',
  'help',
  'check',
];

test('on a disk filled by something else reading still works, writes are refused with an explanation, and /readyz reports it', async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')), under: onADiskOfItsOwn });
  const disk = path.join('/proc', String(portal.pid), 'root', portal.start.folder, 'data');
  const daniel = await new Person(portal.origin, 'daniel@twofirms.example').arrive();
  const stream = await fetch(`${portal.origin}/api/notifications/v1/stream`, {
    headers: { cookie: daniel.cookieHeader },
  });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  let isStreaming = true;
  const reading = stream.text().finally(() => (isStreaming = false));
  const fullTo = path.join(disk, 'something-else');
  fill(disk, fullTo);
  // The journal has space of its own, until that is full too.
  await until(
    'the database takes no more',
    60_000,
    async () => (await daniel.makeFolder(`Folder ${Math.random()}`)).status === 507,
  );

  for (const page of PAGES) {
    const answer = await daniel.ask(`/clientcenter/en-us/${page}`);
    expect([page, answer.status, answer.body.includes('<h1')]).toEqual([page, 200, true]);
  }
  expect((await daniel.ask(`/api/storage/v1/containers/documents?clientId=${daniel.clientId}`)).status).toBe(
    200,
  );
  const refused = await daniel.form('/clientcenter/pt/profile', {
    form: 'profile-form',
    firstName: 'Dan',
    lastName: 'Cho',
    language: 'pt',
  });
  expect(refused.status).toBe(507);
  expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(refused.body.toString()).toContain('Não é possível salvar no momento');
  const marked = await daniel.form('/clientcenter/en-us/notifications', { 'all-read': String(Date.now()) });
  expect([marked.status, marked.body.toString()]).toEqual([
    507,
    expect.stringContaining('Changes can’t be saved right now'),
  ]);
  expect(isStreaming, 'the stream of counts stays open').toBe(true);
  const signIn = await new Person(portal.origin, 'sophie@erable.example').signIn();
  expect([signIn.status, signIn.body.toString()]).toEqual([
    507,
    expect.stringContaining('Changes can’t be saved right now'),
  ]);
  const ready = await daniel.ask('/readyz');
  expect([ready.status, ready.body.toString()]).toEqual([
    503,
    expect.stringContaining('Changes can’t be saved right now'),
  ]);
  expect((await daniel.ask('/healthz')).status).toBe(200);

  rmSync(fullTo);
  expect((await daniel.ask('/readyz')).status).toBe(200);
  expect((await daniel.makeFolder('After all')).status).toBe(200);
  expect((await portal.end('SIGTERM')).code).toBe(0);
  await reading;
});

test('on a read-only disk the portal refuses to start with an explanation', async () => {
  const started = Portal.start({ folder: copyWorld(inject('world')), under: onAReadOnlyDisk });
  const result = await started.then(() => 'it started', String);
  expect(result).toMatch(
    /DATA_DIR=\S+ cannot be written \(EROFS\)\. Check that its disk is mounted, has free space and is not read-only/,
  );
  expect(result.split('\n').filter((line) => line.includes('/dist/server/'))).toEqual([]);
});
