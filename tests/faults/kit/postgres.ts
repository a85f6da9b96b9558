import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../../e2e/kit/portal.ts';
import { until } from './portal.ts';

const DEBIAN = '/usr/lib/postgresql';

/**
 * A PostgreSQL of the test's own. `halt` ends it as a restart of its machine would and keeps what it holds, `resume` starts it again at
 * the same address.
 */
export async function startOwnPostgres(): Promise<{ url: string; stop: () => Promise<void>; halt: () => Promise<void>; resume: () => Promise<void> }> {
  const [newest] = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined) throw new Error('There is no PostgreSQL for the tests. Install it: apt-get install postgresql.');
  const programs = path.join(DEBIAN, newest, 'bin');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-postgres-'));
  const person = unprivileged();
  if (person) chownSync(folder, person.uid, person.gid); // initdb refuses to run as root
  const data = path.join(folder, 'data');
  const made = spawnSync(path.join(programs, 'initdb'), ['-D', data, '-U', 'portal', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'], { ...person, cwd: folder, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}.\n${made.stderr}`);
  const port = await freePort();
  let cluster: ChildProcess | undefined;

  async function resume(): Promise<void> {
    const child = spawn(path.join(programs, 'postgres'), ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='], { ...person, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    cluster = child;
    process.once('exit', () => child.kill('SIGQUIT'));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(`PostgreSQL starts\n${said}`, 30_000, () => said.includes('ready to accept connections'));
  }
  async function halt(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = cluster;
    cluster = undefined;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
  await resume();
  return {
    url: `postgres://portal@127.0.0.1:${port}/postgres`,
    halt,
    resume,
    stop: async () => {
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whom a program runs as that refuses root; undefined when we are not root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const people = readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = people.find(([name]) => name === 'postgres') ?? people.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
