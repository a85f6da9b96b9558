import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A measured program, in a process of its own. */
export interface Program {
  pid: number;
  /** Its output until it had started. */
  said: string;
  /** Processor time used so far by all its threads, in ms. */
  cpu: () => number;
  /** Pages of memory that the system has filled for it so far without reading a disk (minor faults). */
  faults: () => number;
  /** Resident memory in MB, now and the maximum since `forgetPeak`. */
  memory: () => { now: number; peak: number };
  forgetPeak: () => void;
  end: () => Promise<void>;
}

const root = path.join(import.meta.dirname, '../../..');
const MS_PER_TICK = 10; // Linux counts hundredths of a second for programs, whatever its own clock

interface Start {
  env?: Record<string, string>;
  /** It has started when it has printed this. */
  says: string;
}

/** Starts this Node with these arguments and waits until it reports that it has started. */
export async function startProgram(args: readonly string[], { env = {}, says }: Start): Promise<Program> {
  if (process.platform !== 'linux')
    throw new Error(
      'The benchmarks read processor time and memory of a process from /proc: run them on Linux.',
    );
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  process.once('exit', () => child.kill('SIGKILL')); // however the benchmark ends, nothing stays running
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      if (said.includes(says)) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended with ${code} before it was up.\n${said}`)),
    );
  });
  const pid = child.pid ?? 0;
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return {
    pid,
    said,
    cpu: () => processorTime(pid),
    faults: () => statisticsOf(pid).faults,
    memory: () => memoryOf(pid),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    end,
  };
}

const processorTime = (pid: number): number => statisticsOf(pid).own;

interface Statistics {
  name: string;
  parent: number;
  faults: number;
  own: number;
  ended: number;
}

/**
 * What proc(5) says of a process: its parent, its minor faults, and the processor time of its own and of its children that
 * ended, in ms.
 */
function statisticsOf(pid: number): Statistics {
  const [name = '', rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[^)]*$)/);
  const fields = rest.split(' ').map(Number);
  const sum = (at: number): number => ((fields[at] ?? 0) + (fields[at + 1] ?? 0)) * MS_PER_TICK;
  return {
    name: name.replace(/^.*?\(/, ''),
    parent: fields[1] ?? 0,
    faults: fields[7] ?? 0,
    own: sum(11),
    ended: sum(13),
  };
}

/**
 * Processor time used so far by the servers of this name that this process has started, with all their own processes, in
 * ms.
 */
export function processorTimeOfServers(name: string): number {
  const all = readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) return [];
    try {
      return [{ pid, ...statisticsOf(pid) }];
    } catch {
      return []; // it has ended meanwhile
    }
  });
  const servers = all.filter((one) => one.parent === process.pid && one.name === name);
  const pids = new Set(servers.map(({ pid }) => pid));
  const theirs = all.filter(({ parent }) => pids.has(parent));
  return [...servers, ...theirs].reduce((sum, { own, ended }) => sum + own + ended, 0);
}

function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** Measures the duration of `work`, and by how many MB the program's memory rises meanwhile. */
export async function growthOf(
  program: Program,
  work: () => Promise<unknown>,
): Promise<{ took: number; more: number }> {
  program.forgetPeak();
  const before = program.memory().now;
  const began = performance.now();
  await work();
  return { took: performance.now() - began, more: Math.max(0, program.memory().peak - before) };
}
