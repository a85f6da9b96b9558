import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../../e2e/support/portal.ts';
import { FRUGAL, PORTAL } from '../../../scripts/toolchain.mjs';
import { GRACE } from '../../support/whole.ts';

/** Milliseconds; it starts within two seconds on an idle machine. */
const START_TIMEOUT = 180_000;
const ROOT = path.join(import.meta.dirname, '../../..');

const running = new Set<ChildProcess>();

/** Kills all remaining portals, so that a failed test leaves no process behind. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * How to start a portal: in the folder with `data` and `data.key`, with preloaded files, or from another copy
 * of the source.
 */
export interface Start {
  folder: string;
  env?: Record<string, string>;
  /** Files of tests/fault-injection/support to preload. */
  preload?: string[];
  /** A copy of the project to run instead of this one. */
  source?: string;
  /** A wrapper program with its arguments. */
  under?: string[];
  /** What /readyz answers once it is up; 200 by default. */
  readyStatus?: number;
}

/** A portal in a separate process, at an address that stays the same across restarts. */
export class Portal {
  readonly port: number;
  readonly start: Start;
  /** Milliseconds from each start to the first response of /readyz. */
  readonly readyAfter: number[] = [];
  /** Its log output since the first start. */
  said = '';
  #child: ChildProcess | undefined;
  #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }> | undefined;

  private constructor(port: number, start: Start) {
    this.port = port;
    this.start = start;
  }

  static async start(start: Start): Promise<Portal> {
    const portal = new Portal(await freePort(), start);
    await portal.again();
    return portal;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The environment of a command of the portal, such as verify. */
  get environment(): NodeJS.ProcessEnv {
    const { folder, env } = this.start;
    return {
      ...process.env,
      ...FRUGAL,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(this.port),
      DATA_DIR: path.join(folder, 'data'),
      KEY_FILE: path.join(folder, 'data.key'),
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
      DEMO: '1',
      ...env,
    };
  }

  /** Starts it unless it is running, and waits until it is ready. */
  async again(): Promise<void> {
    const { preload = [], source = ROOT, under = [] } = this.start;
    const imports = preload.map(
      (file) => `--import=${path.join(ROOT, 'tests/fault-injection/support', file)}`,
    );
    const [program = '', ...args] = [...under, process.execPath, ...imports, ...PORTAL];
    const began = performance.now();
    const child = spawn(program, args, {
      cwd: source,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.environment,
    });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-200_000)));
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    void this.#ended.then(() => {
      if (this.#child === child) this.#child = undefined;
    });
    await this.#answers(child);
    this.readyAfter.push(performance.now() - began);
  }

  async #answers(child: ChildProcess): Promise<void> {
    for (const late = performance.now() + START_TIMEOUT; ; await turn()) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(
          `The portal ended with ${child.exitCode ?? child.signalCode} before it was ready.\n${this.said.slice(-3000)}`,
        );
      if (performance.now() > late)
        throw new Error(
          `The portal was not ready after ${START_TIMEOUT / 1000} seconds.\n${this.said.slice(-3000)}`,
        );
      const ready = await fetch(`${this.origin}/readyz`).then(
        async (answer) => answer.status === (this.start.readyStatus ?? 200) && (await answer.text()) !== '',
        () => false,
      );
      if (ready) return;
    }
  }

  /** Sends a signal and returns how it exited. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const ended = this.#ended ?? Promise.resolve({ code: null, signal: null });
    this.#child?.kill(signal);
    return ended;
  }

  /** Deletes all rate limits while it is stopped, as if a day had passed. */
  forgetLimits(): void {
    const database = new DatabaseSync(path.join(this.start.folder, 'data/portal.db'));
    database.exec('delete from limits');
    database.close();
  }

  /** Resident memory in MiB, from /proc. */
  get memory(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  }

  /** Open file descriptors, from /proc. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }
}

/** Pauses between two polls of another process. */
export const turn = (milliseconds = 10): Promise<void> =>
  // eslint-disable-next-line portal/no-sleeping -- polls another process; ends on its state, not on time
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Polls until `holds` is true; after `max` milliseconds, throws an error that says what it waited for. */
export async function until(
  what: string,
  max: number,
  holds: () => boolean | Promise<boolean>,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > max + GRACE) throw new Error(`Waited ${max} ms in vain: ${what}.`);
    await turn(20);
  }
  return performance.now() - began;
}
