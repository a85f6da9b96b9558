import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FRUGAL, PORTAL } from '../../scripts/toolchain.mjs';
import { askPostgres, ownPart } from '../../tests/support/services.ts';
import { onPostgres } from '../../tests/support/whole.ts';

/**
 * A running portal: the build in a separate process, on a free port, with demo data in a temporary folder,
 * and a database and blobs of its own when the tests run on services.
 */
export interface Portal {
  origin: string;
  folder: string;
  pid: number;
  /** Environment variables that point a command at its data. */
  env: Record<string, string>;
  /** Its output on stdout and stderr. */
  output: () => string;
  /** Sends a signal, which a test may handle with NODE_OPTIONS=--import. */
  signal: (name: NodeJS.Signals) => void;
  /** Queries or changes its database directly. */
  sql: (statement: string) => Promise<Record<string, unknown>[]>;
  /**
   * Makes its database reject new rows of a table, with an error that quotes `value`, an expression over the
   * row `new`.
   */
  refuse: (table: string, value: string) => Promise<void>;
  /** Undoes `refuse`. */
  accept: (table: string) => Promise<void>;
  /** Stops it, and removes its folder. */
  stop: () => Promise<void>;
  /** Stops it, and keeps its folder. */
  halt: () => Promise<void>;
  /** Kills it as a power cut would, and keeps its folder. */
  kill: () => Promise<void>;
}

const outputs: { text: string; read: number }[] = [];

/** Error lines logged by the portals of this process since the last call. */
export function takeLoggedErrors(): string[] {
  return outputs.flatMap((output) => {
    const whole = output.text.lastIndexOf('\n') + 1;
    const lines = output.text.slice(output.read, whole).split('\n');
    output.read = Math.max(output.read, whole);
    return lines.filter((line) => /^\{"level":"(?:error|fatal)"/.test(line));
  });
}

/** Starts a portal with demo data, unless `env` says otherwise, optionally in the folder of an earlier one. */
export async function startPortal(env: Record<string, string> = {}, left?: string): Promise<Portal> {
  const folder = left ?? newFolder(env['DEMO'] !== '0');
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const own = await ownPart(folder);
  const place = { DATA_DIR: path.join(folder, 'data'), ...own };
  const child = spawn(process.execPath, PORTAL, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...FRUGAL,
      NODE_ENV: 'production',
      PORT: String(port),
      LOG_LEVEL: 'error',
      ...place,
      ...env,
    },
  });
  const output = { text: '', read: 0 };
  outputs.push(output);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output.text += chunk));
  child.stderr.pipe(process.stderr);
  await ready(child);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    origin,
    folder,
    pid: child.pid ?? 0,
    env: place,
    output: () => output.text,
    signal: (name) => void child.kill(name),
    sql: (statement) => ask(statement, folder, own.DATABASE_URL),
    refuse: (table, value) => refuse(table, value, folder, own.DATABASE_URL),
    accept: async (table) =>
      void (await ask(
        `drop trigger refuse_${table}${own.DATABASE_URL === undefined ? '' : ` on ${table}`}`,
        folder,
        own.DATABASE_URL,
      )),
    stop,
    halt: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A new folder, with a copy of the demo data that were made before the run (e2e/support/demo-data.ts). */
function newFolder(hasDemo: boolean): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-'));
  const { E2E_DEMO_DATA: made } = process.env;
  if (hasDemo && made !== undefined) cpSync(made, folder, { recursive: true });
  return folder;
}

async function ask(
  statement: string,
  folder: string,
  url: string | undefined,
): Promise<Record<string, unknown>[]> {
  if (url !== undefined) return askPostgres(url, statement);
  const database = new DatabaseSync(path.join(folder, 'data', 'portal.db'), { timeout: 5000 });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

async function refuse(table: string, value: string, folder: string, url: string | undefined): Promise<void> {
  if (url === undefined) {
    await ask(
      `create trigger refuse_${table} before insert on ${table} begin select raise(abort, 'Key (name)=(' || ${value} || ') already exists, see ' || ${value}); end`,
      folder,
      url,
    );
    return;
  }
  const body = `begin raise exception 'Key (name)=(%) already exists', ${value} using detail = ${value}; end`;
  await ask(
    `create function refuse_${table}() returns trigger language plpgsql as $body$ ${body} $body$; create trigger refuse_${table} before insert on ${table} for each row execute function refuse_${table}()`,
    folder,
    url,
  );
}

/** Every row of every table, as JSON. */
export async function allRows(portal: Portal): Promise<Map<string, string[]>> {
  const tables = onPostgres
    ? "select tablename as name from pg_tables where schemaname = 'public'"
    : "select name from sqlite_master where type = 'table'";
  const all = new Map<string, string[]>();
  for (const { name } of await portal.sql(tables))
    all.set(
      String(name),
      (await portal.sql(`select * from "${String(name)}"`)).map((row) => JSON.stringify(row)),
    );
  return all;
}

/** Resolves when the portal has printed its address; keeps its output for the error message. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Stop it with Ctrl-C')) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`The portal ended with ${code} before it was up.\n${output}`)),
    );
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
