import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { compare, Ledger, verify } from './kit/ledger.ts';
import { Person, type Answer } from './kit/person.ts';
import { Portal } from './kit/portal.ts';
import { report } from './kit/report.ts';
import { copyWorld } from './kit/world.ts';

const MEGABYTE = 1024 * 1024;
const DISK = 64 * MEGABYTE;
const ROUNDS = Number(process.env['TIMES'] ?? 1);

/** Mounts a disk of 64 MiB over the data folder, seen by the portal alone and gone with it. */
const OWN_DISK = 'mkdir "$DATA_DIR.kept" && cp -a "$DATA_DIR/." "$DATA_DIR.kept" && mount -t tmpfs -o size=64m tmpfs "$DATA_DIR" && cp -a "$DATA_DIR.kept/." "$DATA_DIR" && exec "$@"';
const onADiskOfItsOwn = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--mount', 'sh', '-c', OWN_DISK, 'sh'];

test('on a full disk uploads are refused with 507 and leave nothing, everything else goes on, and with space they are taken again', async () => {
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
      const answer = seen(await olivia.handIn([`w${round}-${i}-2000000.pdf`]));
      if (answer.status === 200) ledger.noteDocuments(answer);
      else refused = answer;
    }
    expect(refused?.status).toBe(507);
    expect(JSON.parse((refused as Answer).body.toString())).toMatchObject({ errors: [{ code: 'QUOTA' }] });
    expect(free(), 'the last twentieth is left to the database').toBeGreaterThan(MEGABYTE);
    expect(unfinished()).toEqual([]);

    // Large ones, several at once, that fill the disk while they come in; meanwhile people go on with what needs no space to speak of.
    const uploads = Promise.all(Array.from({ length: 4 }, async (_, i) => seen(await olivia.handIn([`w${round}-large-${i}-20000000.pdf`]))));
    const [document] = ledger.documents;
    for (let i = 0; i < 10; i += 1) {
      const visitor = new Person(portal.origin, 'sophie@erable.example');
      expect(seen(await visitor.signIn()).status).toBe(303);
      ledger.noteFolder(seen(await olivia.makeFolder(`w${round}-${i}`)));
      expect(seen(await olivia.share(document as NonNullable<typeof document>, [`r${round}-${i}@supplier.example`], 'Figures')).status).toBe(200);
      expect(seen(await olivia.download(document as NonNullable<typeof document>)).status).toBe(200);
      expect(seen(await visitor.signOut()).status).toBe(303);
    }
    expect((await uploads).map(({ status }) => status)).toEqual([507, 507, 507, 507]);
    expect(unfinished()).toEqual([]);

    rmSync(ballast);
    const again = seen(await olivia.handIn([`w${round}-again-3000000.pdf`]));
    expect(again.status, 'with space, and without a restart, uploads are taken again').toBe(200);
    ledger.noteDocuments(again);
  }

  expect(ledger.folders).toHaveLength(10 * ROUNDS);
  expect(statuses.filter((status) => status >= 500 && status !== 507)).toEqual([]);
  expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
  // What the portal keeps lies on the disk that it alone sees.
  Object.assign(portal.start, { env: { DATA_DIR: disk } });
  expect(await verify(portal)).toEqual([]);
  report('disk full', { answers: statuses.length, 'refused with 507': statuses.filter((status) => status === 507).length, 'other 5xx': 0, kept: ledger.documents.length });
  expect((await portal.end('SIGTERM')).code).toBe(0);
});
