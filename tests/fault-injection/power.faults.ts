import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, inject, test } from 'vitest';
import { compare, Ledger, verify } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { Person } from './support/person.ts';
import { Portal, turn, until } from './support/portal.ts';
import { startMailServer } from './support/mail-server.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

/*
 * Runs by script only, as root on Linux: the data is on an ext4 file system of its own, which is shut down
 * without flushing its journal. Unsynced data is lost, as in a power cut.
 */
const CUTS = Number(process.env['TIMES'] ?? 30);
const WRITERS = 8;
const ROOT = path.join(import.meta.dirname, '../..');
const EXT4_IOC_SHUTDOWN = 0x8004587d;
const NOLOGFLUSH = 2;

const scratch = mkdtempSync(path.join(os.tmpdir(), 'portal-power-'));
const disk = path.join(scratch, 'disk');
const image = path.join(scratch, 'image');
const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' });

function makeDisk(): void {
  leaveDisk();
  mkdirSync(disk, { recursive: true });
  run('truncate', '-s', '2G', image);
  run('mkfs.ext4', '-q', '-F', image);
  mount();
}
const mount = (): string => run('mount', '-o', 'loop', image, disk);
const unmount = (): string => run('umount', disk);

/**
 * Stops the processor and then the disk at the same moment. With the disk alone gone, a sync in progress may
 * still report success, and the portal would acknowledge it: after a power cut nothing is acknowledged.
 */
const CUT = `
import fcntl, os, signal, struct, sys
disk, pid = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2])
print('ready', flush=True)
sys.stdin.readline()
os.kill(pid, signal.SIGSTOP)
while open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[0] not in 'TD': pass
fcntl.ioctl(disk, ${EXT4_IOC_SHUTDOWN}, struct.pack('I', ${NOLOGFLUSH}))
`;

/** Prepares the power cut; returns the function that triggers it. */
async function standReady(portal: Portal): Promise<() => Promise<void>> {
  const child = spawn('python3', ['-c', CUT, disk, String(portal.pid)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number]>;
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.write('\n');
    expect((await ended)[0], 'the power was cut').toBe(0);
  };
}

/** Unmounts the file system if it is mounted. */
function leaveDisk(): void {
  if (readFileSync('/proc/mounts', 'utf8').includes(` ${disk} `)) unmount();
}

afterAll(() => {
  leaveDisk();
  rmSync(scratch, { recursive: true, force: true });
});

/**
 * Cuts the power `cuts` times under load; returns the acknowledged data that is lost, and the findings of the
 * verifier.
 */
async function cutUnderLoad(cuts: number, source?: string) {
  makeDisk();
  const office = await startMailServer();
  const folder = copyWorld(inject('world'), disk);
  run('sync', '-f', disk);
  const portal = await Portal.start({
    folder,
    env: { SMTP_URL: office.url },
    ...(source !== undefined && { source }),
  });
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const ledger = new Ledger();
  const troubles = new Set<string>();
  const lost = new Set<string>();
  for (let cut = 0; cut < cuts; cut += 1) {
    const before = ledger.acknowledged;
    const cutThePower = await standReady(portal);
    const load = startLoad([olivia], ledger, office, WRITERS);
    await until('people get their first answers', 60_000, () => ledger.acknowledged >= before + WRITERS);
    await turn(randomInt(150, 600));
    await cutThePower();
    await portal.end('SIGKILL');
    await load.stop();
    for (const wrong of load.wrong) troubles.add(wrong);
    unmount();
    mount();
    for (const trouble of await verify(portal)) troubles.add(trouble);
    for (const name of missing(ledger)) lost.add(name);
    portal.forgetLimits();
    await portal.again();
  }
  if (!olivia.cookies.has('sid')) await olivia.arrive();
  const found = await compare(olivia, ledger).catch((error: unknown) => ({
    lost: [String(error)],
    torn: [],
    twice: [],
  }));
  await portal.end('SIGTERM');
  await office.close();
  unmount();
  return {
    acknowledged: ledger.acknowledged,
    documents: ledger.documents.length,
    lost,
    found,
    troubles,
    ready: portal.readyAfter.toSorted((a, b) => a - b),
  };
}

/** The acknowledged rows that are missing, queried while nobody writes. */
function missing(ledger: Ledger): string[] {
  const database = new DatabaseSync(path.join(disk, 'data/portal.db'));
  const ids = new Set(
    database
      .prepare('select document_id as id from documents union all select container_id from containers')
      .all()
      .map((row) => row['id']),
  );
  database.close();
  const gone = (kind: string, kept: readonly { id: string; name: string }[]): string[] =>
    kept.filter(({ id }) => !ids.has(id)).map(({ name }) => `the ${kind} ${name}`);
  return [...gone('document', ledger.documents), ...gone('folder', ledger.folders)];
}

test(`after ${CUTS} power cuts under load everything acknowledged is there`, async () => {
  const { acknowledged, documents, lost, found, troubles, ready } = await cutUnderLoad(CUTS);
  report('power cuts', {
    cuts: CUTS,
    acknowledged,
    documents,
    lost: new Set([...lost, ...found.lost]).size,
    torn: found.torn.length,
    'verifier says': troubles.size,
    'ready ms worst': ready.at(-1) ?? 0,
  });
  expect([...troubles]).toEqual([]);
  expect([...lost]).toEqual([]);
  expect(found).toEqual({ lost: [], torn: [], twice: [] });
});

test('with an unsynced database acknowledged writes are lost after power cuts, so the test can detect them', async () => {
  const careless = path.join(scratch, 'careless');
  mkdirSync(careless, { recursive: true });
  for (const name of ['src', 'dist', 'locales', 'package.json'])
    cpSync(path.join(ROOT, name), path.join(careless, name), { recursive: true, verbatimSymlinks: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(careless, 'node_modules'));
  const files = globSync(path.join(careless, 'dist/server/**/*.mjs')).filter((file) =>
    readFileSync(file, 'utf8').includes('synchronous=FULL'),
  );
  expect(files).toHaveLength(1);
  for (const file of files) {
    const code = readFileSync(file, 'utf8');
    const changed = code
      .replace('synchronous=FULL', 'synchronous=NORMAL')
      .replace(/synchronous=\$\{[^}]*\}/, 'synchronous=NORMAL'); // what turns it on again after an unsynced write
    expect(changed.match(/synchronous=NORMAL/g)).toHaveLength(2);
    writeFileSync(file, changed);
  }
  const { acknowledged, lost } = await cutUnderLoad(Math.min(CUTS, 10), careless);
  report('power cuts, synchronous=NORMAL', { cuts: Math.min(CUTS, 10), acknowledged, lost: lost.size });
  expect(lost.size).toBeGreaterThan(0);
});
