import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { WHOLE } from '../support/whole.ts';
import type { Acts } from './acts.ts';

/*
 * Portals administered from outside, as by an operator: each in a folder of its own, with the commands and
 * the actions of a portal (acts.ts) as separate processes.
 */

const root = path.join(import.meta.dirname, '..', '..');

/** The location of a portal: its data folder, key file and other environment variables. */
export interface Place {
  folder: string;
  data: string;
  keyFile: string;
  env: Record<string, string>;
}

const folders: string[] = [];

/** A location without a portal. With `keyOf`, it already has the key file of another one. */
export function newPlace(env: Record<string, string> = {}, keyOf?: Place): Place {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-place-'));
  folders.push(folder);
  const place = { folder, data: path.join(folder, 'data'), keyFile: path.join(folder, 'data.key'), env };
  if (keyOf) cpSync(keyOf.keyFile, place.keyFile);
  return place;
}

/** A copy of a location in its current state. */
export function copyOf(place: Place): Place {
  const copy = newPlace(place.env);
  cpSync(place.folder, copy.folder, { recursive: true });
  return copy;
}

export function removePlaces(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface Ended {
  /** The exit code; null if it was killed. */
  code: number | null;
  /** Its combined output. */
  said: string;
}

function start(
  place: Place,
  args: string[],
  env: Record<string, string>,
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): ChildProcess {
  const own = {
    PATH: process.env['PATH'] ?? '',
    HOME: os.tmpdir(),
    TZ: 'UTC',
    DATA_DIR: place.data,
    KEY_FILE: place.keyFile,
    PORT: '4998',
    LOG_LEVEL: 'silent',
    MAIL_FROM: 'portal@firm.example',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  return spawn(process.execPath, ['--no-experimental-webstorage', ...args], {
    cwd: root,
    stdio,
    env: { ...own, ...place.env, ...env },
  });
}

const codeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('close', resolve));
const textOf = async (child: ChildProcess): Promise<string> =>
  (child.stdout ? await text(child.stdout) : '') + (child.stderr ? await text(child.stderr) : '');

/** Runs `npm run <name> -- <args>` as npm does. */
export async function command(
  place: Place,
  name: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Ended> {
  const child = start(place, [`dist/server/${name}.mjs`, ...args], env);
  const [said, code] = await Promise.all([textOf(child), codeOf(child)]);
  return { code, said };
}

/** Starts the portal itself and waits until it refuses to run. */
export async function startPortal(
  place: Place,
  env: Record<string, string> = {},
  program = 'dist/server/server.mjs',
): Promise<Ended> {
  const child = start(place, [program], { DEMO: '0', ...env });
  const [said, code] = await Promise.all([textOf(child), codeOf(child)]);
  return { code, said };
}

const KILLER = path.join(import.meta.dirname, 'kill-at.mjs');

/** Counts how often a command accesses the disk or the database. */
export async function touchesOf(place: Place, name: string, args: string[] = []): Promise<number> {
  const child = start(place, [`--import=${KILLER}`, `dist/server/${name}.mjs`, ...args], {}, [
    'ignore',
    'pipe',
    'pipe',
    'pipe',
  ]);
  const counted = child.stdio[3] as NodeJS.ReadableStream;
  const [touches, said, code] = await Promise.all([text(counted), textOf(child), codeOf(child)]);
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${said}`);
  return Number(touches);
}

/** Runs a command and kills it just before one of those accesses. */
export async function killedAt(
  touch: number,
  place: Place,
  name: string,
  args: string[] = [],
): Promise<Ended> {
  const child = start(place, [`--import=${KILLER}`, `dist/server/${name}.mjs`, ...args], {
    KILL_AT: String(touch),
  });
  const [said, code] = await Promise.all([textOf(child), codeOf(child)]);
  return { code, said };
}

/** Picks so many moments of a run, including the first and the last. */
export const momentsOf = (touches: number, count: number): number[] => [
  ...new Set(
    Array.from({ length: count }, (_, index) => 1 + Math.floor((index * (touches - 1)) / (count - 1))),
  ),
];

/** The moments at which a command is killed: all of them, or the second and the last but one. */
export const sampleOf = (moments: readonly number[]): readonly number[] =>
  WHOLE ? moments : moments.filter((_, index) => index === 1 || index === moments.length - 2);

type Answers = { [Name in keyof Acts]: Awaited<ReturnType<Acts[Name]>> };

/** Runs an action of a portal (acts.ts) in a separate process, and returns its result. */
export async function act<Name extends keyof Acts>(
  place: Place,
  name: Name,
  ...args: Parameters<Acts[Name]>
): Promise<Answers[Name]> {
  return (await begin(place, name, ...args)).ended;
}

/**
 * Runs an action until it is told to stop: `ended` waits for its end, `end` requests it. Resolves when the
 * action has started.
 */
export async function begin<Name extends keyof Acts>(
  place: Place,
  name: Name,
  ...args: Parameters<Acts[Name]>
): Promise<{ ended: Promise<Answers[Name]>; end: () => Promise<Answers[Name]> }> {
  const child = start(place, [path.join(import.meta.dirname, 'acts.ts'), name, JSON.stringify(args)], {}, [
    'pipe',
    'pipe',
    'pipe',
  ]);
  let said = '';
  const underWay = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('\n')) resolve();
    });
    child.once('close', () => resolve());
  });
  const complaints = child.stderr ? text(child.stderr) : Promise.resolve('');
  const ended = codeOf(child).then(async (code) => {
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${await complaints}`);
    return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Answers[Name];
  });
  await underWay;
  const end = (): Promise<Answers[Name]> => {
    child.stdin?.end();
    return ended;
  };
  return { ended, end };
}

/** Reads a SQLite file next to the process that uses it. */
export function rowsIn(file: string, query: string, ...values: string[]): Record<string, SQLOutputValue>[] {
  const database = new DatabaseSync(file);
  try {
    return database.prepare(query).all(...values);
  } finally {
    database.close();
  }
}

/** Changes a SQLite file behind the portal's back. */
export function tamper(file: string, statements: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(statements);
  } finally {
    database.close();
  }
}

export const databaseOf = (place: Place): string => path.join(place.data, 'portal.db');

/** Lists all files below a folder, by relative path. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** The contents of a folder, byte for byte. */
export const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    filesIn(folder).map((file) => [file, readFileSync(path.join(folder, file)).toString('base64')]),
  );
