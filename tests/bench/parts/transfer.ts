import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { World } from '../world.ts';
import { startBaseline } from '../support/baseline.ts';
import { ask } from '../support/load.ts';
import { MULTIPART, multipart, send } from '../support/multipart.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { growthOf, type Program } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { inTurns } from '../support/turns.ts';
import { pause } from '../support/wait.ts';

const AT_ONCE = 20;
const MB = 1_000_000;
const ZIP_FILES = 1000;
const BLOCK = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(MB - 9)]);
const SLOW = { bytesPerSecond: 20 * MB, settle: 1, seconds: 5 };

type Raw = Program & { address: string };

/**
 * Measures uploads and downloads of large files, next to the minimum that Node can do with them on the same
 * disk.
 */
export async function transfer({ runs, megabytes }: Options): Promise<Report> {
  const rounds = Math.max(3, runs);
  const folder = scratchFolder();
  const { bavail, bsize } = statfsSync(folder);
  const free = (bavail * bsize) / MB;
  // For both stores: the uploads in turns; then twenty at once, and the archive's files, alone, packed and
  // checked.
  const size = Math.min(megabytes, Math.floor((free - 4 * ZIP_FILES) / (AT_ONCE + 4 * rounds + 4)));
  if (size < 1)
    throw new Error(
      `There is too little room on the disk of ${path.dirname(folder)}: ${Math.floor(free)} MB. Set TMPDIR to a folder on a larger one.`,
    );
  const world = inWorld(folder, { do: 'make', documents: 1000 });
  const portal = await startPortal({ folder });
  const rawFolder = path.join(folder, 'raw');
  mkdirSync(rawFolder);
  const raw = await startBaseline('files', rawFolder);

  const single = await oneAtATime(portal, raw, world, size, rounds);
  const crowd = await allAtOnce(portal, world, size);
  const slow = await slowReader(portal, world, single.kept);
  const zip = await archive(portal, folder, world, rounds);
  await portal.end();
  await raw.end();

  return {
    title: 'Transfer',
    how: [
      `Files of ${size} MB${size < megabytes ? ` (${megabytes} were asked for, the disk has ${Math.floor(free / 1000)} GB)` : ''} over one connection each, from and to a client on the same machine. Raw is a node:http server that pipes the body through SHA-256 into a file and syncs it, and pipes a file out. Medians of ${rounds}, in turns.`,
      'More memory is the highest resident memory during the transfer less what was resident before it.',
    ],
    tables: [
      { title: 'One at a time', rows: single.rows },
      { title: 'Many, and slow', rows: [...crowd, ...slow] },
      {
        title: `An archive of ${ZIP_FILES.toLocaleString('en-US')} files, ${ZIP_FILES} MB, stored`,
        rows: zip,
      },
    ],
  };
}

async function oneAtATime(
  portal: BenchPortal,
  raw: Raw,
  world: World,
  size: number,
  rounds: number,
): Promise<{ rows: Row[]; kept: string }> {
  let kept = '';
  const rawUpload: Contender = {
    what: 'raw upload',
    program: raw,
    work: () =>
      send(`${raw.address}/large`, { method: 'PUT', headers: {}, length: size * MB, body: blocks(size) }),
  };
  const up = await both(rounds, size, [
    { what: 'upload', program: portal, work: async () => (kept = await uploadTo(portal, world, size)) },
    rawUpload,
  ]);
  const last: number[] = [];
  const inParts = await both(rounds, size, [
    {
      what: 'upload in parts',
      program: portal,
      work: async () => last.push(await uploadInParts(portal, world, size)),
    },
    rawUpload,
  ]);
  inParts.push({
    what: 'upload in parts, from the last byte to the answer',
    unit: 's',
    figure: median(last) / 1000,
  });
  const ours = downloadUrl(portal, world, kept);
  await receive(ours, as(world)); // both are in the operating system's cache from here
  await receive(`${raw.address}/large`, {});
  const down = await both(rounds, size, [
    { what: 'download', program: portal, work: () => receive(ours, as(world)) },
    { what: 'raw download', program: raw, work: () => receive(`${raw.address}/large`, {}) },
  ]);
  return { kept: ours, rows: [...up, ...inParts, ...down] };
}

interface Contender {
  what: string;
  program: Program;
  work: () => Promise<unknown>;
}

/** Measures ours and the baseline in turns: speed, processor time and additional memory. */
async function both(
  rounds: number,
  size: number,
  contenders: readonly [Contender, Contender],
): Promise<Row[]> {
  const found = contenders.map(() => ({
    speed: [] as number[],
    cpu: [] as number[],
    memory: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { what, program, work }] of contenders.entries()) {
      progress(`${what}, ${round + 1}`);
      const before = program.cpu();
      const { took, more } = await growthOf(program, work);
      found[index]?.speed.push((size * 1000) / took);
      found[index]?.cpu.push(program.cpu() - before);
      found[index]?.memory.push(more);
    }
  }
  const [ours, raw] = found;
  const [{ what }] = contenders;
  const row = (
    name: string,
    unit: string,
    take: 'speed' | 'cpu' | 'memory',
    more: Partial<Row> = {},
  ): Row => ({
    what: name,
    unit,
    figure: median(ours?.[take] ?? []),
    baseline: median(raw?.[take] ?? []),
    ...more,
  });
  return [
    row(what, 'MB/s', 'speed', { reach: [{ of: 'ratio', least: 0.8 }] }),
    row(`${what}, processor time`, 'ms', 'cpu'),
    row(`${what}, more memory`, 'MB', 'memory'),
  ];
}

async function allAtOnce(portal: BenchPortal, world: World, size: number): Promise<Row[]> {
  progress(`${AT_ONCE} uploads at once`);
  const { more, took } = await growthOf(portal, () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => uploadTo(portal, world, size))),
  );
  return [
    { what: `${AT_ONCE} uploads at once, more memory`, unit: 'MB', figure: more, reach: [{ most: 150 }] },
    { what: `${AT_ONCE} uploads at once, together`, unit: 'MB/s', figure: (AT_ONCE * size * 1000) / took },
  ];
}

/** A reader of 20 MB/s: the portal must not accumulate what it reads from disk. */
async function slowReader(portal: BenchPortal, world: World, url: string): Promise<Row[]> {
  progress('slow download');
  const response = await open(url, as(world));
  const began = performance.now();
  let read = 0;
  let settled: number | undefined;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.length;
    const elapsed = performance.now() - began;
    if (settled === undefined && elapsed > SLOW.settle * 1000) {
      settled = portal.memory().now;
      portal.forgetPeak();
    }
    const early = (read / SLOW.bytesPerSecond) * 1000 - elapsed;
    if (early > 20) await pause(early);
    if (elapsed > SLOW.seconds * 1000) break;
  }
  response.destroy();
  const more = settled === undefined ? Number.NaN : Math.max(0, portal.memory().peak - settled);
  return [
    {
      what: `download at 20 MB/s, more memory from second ${SLOW.settle} to ${SLOW.seconds}`,
      unit: 'MB',
      figure: more,
      reach: [{ most: 16 }],
      note: 'flat, within what a garbage collector leaves; one that piles up grows by hundreds',
    },
  ];
}

async function archive(portal: BenchPortal, folder: string, world: World, rounds: number): Promise<Row[]> {
  progress(`${ZIP_FILES} files for an archive`);
  const files = path.join(folder, 'files');
  mkdirSync(files);
  const name = (i: number): string => `Receipt ${String(i).padStart(4, '0')}.pdf`;
  for (let i = 0; i < ZIP_FILES; i += 1) writeFileSync(path.join(files, name(i)), BLOCK);
  const containerId = await folderFor(portal, world);
  await uploadMany(portal, containerId, world, name);
  const { token, visit } = inWorld(folder, {
    do: 'share',
    contactId: world.contactId,
    containerId,
    most: ZIP_FILES,
  });
  const url = `${portal.address}/api/storage/v2/sharing/links/${token}/documents.zip`;
  const cookie = { cookie: `visit=${visit}` };
  const memory: number[] = [];
  const cpu: number[] = [];
  const ours = async (): Promise<number> => {
    progress('archive');
    const before = portal.cpu();
    const grown = await growthOf(portal, () => receive(url, cookie));
    cpu.push(portal.cpu() - before);
    memory.push(grown.more);
    return (ZIP_FILES * 1000) / grown.took;
  };
  const hasZip = spawnSync('zip', ['-v']).status === 0;
  const zip = async (): Promise<number> =>
    hasZip ? (ZIP_FILES * 1000) / (await packWithZip(files)) : Number.NaN;
  const found = await inTurns(rounds, { portal: ours, zip });
  const place = path.join(folder, 'archive.zip');
  await pipeline(await open(url, cookie), createWriteStream(place));
  const verdicts = [
    ['valid in unzip -t', 'unzip', ['-tqq', place]],
    [
      "valid in Python's zipfile",
      'python3',
      [
        '-c',
        'import sys, zipfile\narchive = zipfile.ZipFile(sys.argv[1])\nsys.exit(archive.testzip() is not None or len(archive.namelist()) != int(sys.argv[2]))',
        place,
        String(ZIP_FILES),
      ],
    ],
  ] as const;
  const valid = verdicts.map(([what, program, args]): Row => {
    const { status, error } = spawnSync(program, [...args], { stdio: 'ignore' });
    return {
      what,
      unit: '',
      figure: error ? Number.NaN : Number(status === 0),
      reach: [{ least: 1 }],
      note: error ? `${program} is not installed` : '1 is yes',
    };
  });
  rmSync(place);
  return [
    {
      what: 'archive',
      unit: 'MB/s',
      figure: found.portal,
      ...(hasZip && { baseline: found.zip }),
      reach: [{ of: 'ratio', least: 1 }],
      note: hasZip ? 'baseline: zip -0 into a pipe' : 'zip is not installed',
    },
    { what: 'archive, processor time', unit: 'ms', figure: median(cpu) },
    { what: 'archive, more memory', unit: 'MB', figure: median(memory), reach: [{ most: 64 }] },
    ...valid,
  ];
}

/** Milliseconds of `zip -0` for a folder, written to a pipe that is read at full speed. */
async function packWithZip(files: string): Promise<number> {
  const began = performance.now();
  const child = spawn('zip', ['-0', '-q', '-r', '-', '.'], {
    cwd: files,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  await once(child, 'close');
  return performance.now() - began;
}

const as = ({ contact }: World): Record<string, string> => ({ cookie: `sid=${contact}` });
const downloadUrl = (portal: BenchPortal, { projectId }: World, documentId: string): string =>
  `${portal.address}/api/storage/v1/projects/${projectId}/documents/${documentId}`;

function* blocks(count: number): Generator<Buffer> {
  for (let i = 0; i < count; i += 1) yield BLOCK;
}

/** Uploads one file as a browser does and returns its id. */
async function uploadTo(portal: BenchPortal, world: World, size: number): Promise<string> {
  const file = { name: `Large ${crypto.randomUUID()}.pdf`, bytes: () => blocks(size) };
  const answer = await send(`${portal.address}/api/storage/v1/projects/${world.projectId}/documents`, {
    method: 'POST',
    headers: formHeaders(portal, world),
    ...multipart([file]),
  });
  const { data } = JSON.parse(answer) as { data: { id: string; sha256: string }[] };
  const [document] = data;
  if (document?.sha256 !== digestOf(size)) throw new Error('What was stored is not what was sent.');
  return document.id;
}

const PART = 4 * 1024 * 1024;

/**
 * Uploads one file in parts, one after the other, as the uploader does with large ones (tus 1.0.0), and
 * returns the time of the last response after its bytes.
 */
async function uploadInParts(portal: BenchPortal, world: World, size: number): Promise<number> {
  const headers = { ...as(world), origin: portal.address, 'tus-resumable': '1.0.0' };
  const told = {
    filename: `Parts ${crypto.randomUUID()}.pdf`,
    containerType: 'Project',
    containerId: world.projectId,
  };
  const metadata = Object.entries(told)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
  const { headers: opened } = await ask(`${portal.address}/api/storage/v1/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(size * MB), 'upload-metadata': metadata },
    status: 201,
  });
  const url = portal.address + (opened.location ?? '');
  const whole = Buffer.concat(Array.from({ length: Math.ceil(PART / MB) + 1 }, () => BLOCK));
  for (let offset = 0; ; offset += PART) {
    const length = Math.min(PART, size * MB - offset);
    const isLast = offset + length === size * MB;
    const body = whole.subarray(offset % MB, (offset % MB) + length);
    const began = performance.now();
    const { body: answer } = await ask(url, {
      method: 'PATCH',
      headers: {
        ...headers,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body,
      status: isLast ? 200 : 204,
    });
    if (!isLast) continue;
    const [document] = (JSON.parse(answer.toString()) as { data: { sha256: string }[] }).data;
    if (document?.sha256 !== digestOf(size)) throw new Error('What was stored is not what was sent.');
    return performance.now() - began;
  }
}

const formHeaders = (portal: BenchPortal, world: World): Record<string, string> => ({
  ...as(world),
  origin: portal.address,
  'content-type': MULTIPART,
});

const digests = new Map<number, string>();
function digestOf(size: number): string {
  const known = digests.get(size);
  if (known) return known;
  const hash = createHash('sha256');
  for (const block of blocks(size)) hash.update(block);
  const digest = hash.digest('hex');
  digests.set(size, digest);
  return digest;
}

async function folderFor(portal: BenchPortal, world: World): Promise<string> {
  const headers = { ...as(world), origin: portal.address, 'content-type': 'application/json' };
  const { body } = await ask(`${portal.address}/api/storage/v1/folders`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Receipts', parentId: world.projectId, parentType: 'Project' }),
  });
  return (JSON.parse(body.toString()) as { data: { id: string } }).data.id;
}

async function uploadMany(
  portal: BenchPortal,
  folderId: string,
  world: World,
  name: (i: number) => string,
): Promise<void> {
  const files = Array.from({ length: ZIP_FILES }, (_, i) => ({ name: name(i), bytes: () => blocks(1) }));
  await send(`${portal.address}/api/storage/v1/folders/${folderId}/documents`, {
    method: 'POST',
    headers: formHeaders(portal, world),
    ...multipart(files),
  });
}

function open(url: string, headers: Record<string, string>): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers, agent: false }, (response) =>
        response.statusCode === 200
          ? resolve(response)
          : reject(new Error(`${url} was answered with ${response.statusCode}.`)),
      )
      .on('error', reject);
  });
}

/** Reads a response at full speed and discards its bytes. */
async function receive(url: string, headers: Record<string, string>): Promise<void> {
  const response = await open(url, headers);
  await new Promise<void>((resolve, reject) =>
    response
      .on('data', () => undefined)
      .on('end', resolve)
      .on('error', reject),
  );
}
