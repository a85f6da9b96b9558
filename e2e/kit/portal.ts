import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { changePostgres, ownPart } from '../../tests/kit/services.ts';

/** A running portal of its own: the built program in a process, on a free port, with the demo world in a folder that is thrown away, and where the tests run on services with a database and blobs of its own. */
export interface Portal {
  origin: string;
  folder: string;
  pid: number;
  /** What it has said on standard output so far: its greeting and its log. */
  said: () => string;
  /** Changes its database behind its back. */
  change: (statement: string) => Promise<void>;
  stop: () => Promise<void>;
  /** Ends it as a power cut would, and leaves its folder. */
  kill: () => Promise<void>;
}

/** Starts a portal; in a `folder` that another one left, it goes on where that one stopped. */
export async function startPortal(env: Record<string, string> = {}, left?: string): Promise<Portal> {
  const folder = left ?? mkdtempSync(path.join(os.tmpdir(), 'portal-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const own = await ownPart(folder);
  const child = spawn(process.execPath, ['--no-experimental-webstorage', 'src/server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'error', ...own, ...env },
  });
  const said = await ready(child);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return { origin, folder, pid: child.pid ?? 0, said, change: (statement) => change(statement, folder, own.DATABASE_URL), stop, kill: () => end('SIGKILL') };
}

async function change(statement: string, folder: string, url: string | undefined): Promise<void> {
  if (url !== undefined) return changePostgres(url, statement);
  const database = new DatabaseSync(path.join(folder, 'data', 'portal.db'));
  database.exec(statement);
  database.close();
}

/** Resolves when the portal has said where it is, with what gives all that it has said. */
function ready(child: ChildProcess): Promise<() => string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Stop it with Ctrl-C')) resolve(() => said);
    });
    child.once('exit', (code) => reject(new Error(`The portal ended with ${code} before it was up.\n${said}`)));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
