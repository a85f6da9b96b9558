import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import { config } from './config.server.ts';
import { ROOT } from './root.server.ts';

/*
 * One JSON line per event, with ids only: never a name, an address, a file name, a token or a body (security.md T76). Line is the list
 * of what a line may hold, and nothing else is written. A new field is added there when no value of a person can ever stand in it.
 */

interface Line {
  /** What happened: the room or part, a dot, and a word. */
  event: string;
  /** Written as its name, its codes and the places in our code; its message may quote what somebody typed, so it is left out. */
  err?: unknown;
  /** The request, as in its X-Request-Id; set by itself within {@link inRequest}. */
  id?: string;
  method?: string;
  /** A pattern of the route table, never an address. */
  route?: string;
  job?: string;
  kind?: string;
  status?: number;
  ms?: number;
  attempts?: number;
  givenUp?: boolean;
}

const FIELDS = { event: true, err: true, id: true, method: true, route: true, job: true, kind: true, status: true, ms: true, attempts: true, givenUp: true } satisfies Record<keyof Line, true>;

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug';

const requests = new AsyncLocalStorage<string>();
const watchers: ((level: Level, line: Line) => void)[] = [];

/** Runs `work` for the request of this id: every line that is logged in it carries the id. */
export const inRequest = <T>(id: string, work: () => T): T => requests.run(id, work);

/** Calls `watch` for each line, also for those that LOG_LEVEL leaves out. */
export const watchLog = (watch: (level: Level, line: Line) => void): void => void watchers.push(watch);

const writer = pino(
  {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  },
  pino.destination({ dest: 1, sync: true }), // in their order, and written before the process can end
);

const writes =
  (level: Level) =>
  (line: Line): void => {
    for (const watch of watchers) watch(level, line);
    if (writer.isLevelEnabled(level)) writer[level](safe(line));
  };

export const log: Record<Level, (line: Line) => void> = { fatal: writes('fatal'), error: writes('error'), warn: writes('warn'), info: writes('info'), debug: writes('debug') };

/**
 * Makes everything that this process says a line of the log. Libraries write whole errors to the console, with what people typed in
 * them; here is only left that they did, and for which request. An error that nobody catches ends the process, as it does anyhow.
 */
export function takeOverOutput(): void {
  for (const method of ['error', 'warn', 'log', 'info', 'debug', 'trace'] as const) {
    const level = method === 'error' || method === 'warn' ? 'warn' : 'debug';
    // eslint-disable-next-line no-console -- it is taken away here
    console[method] = (...said: unknown[]) => log[level]({ event: 'console', ...(said.some(isError) && { err: said.find(isError) }) });
  }
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => {
    log.fatal({ err: error, event: 'uncaught' });
    process.exit(1);
  });
}

const isError = (value: unknown): value is Error => value instanceof Error;

function safe(line: Line): Record<string, unknown> {
  // A job works for nobody's request, though a request may have woken the worker.
  const id = line.event.startsWith('job') ? undefined : requests.getStore();
  const known = Object.entries({ id, ...line }).filter(([field]) => Object.hasOwn(FIELDS, field));
  return Object.fromEntries(known.map(([field, value]) => [field, field === 'err' ? faultOf(value) : typeof value === 'string' ? plain(value) : value]));
}

/** A text of ours as one run of printable ASCII, whatever came into it. */
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/gu, '?').slice(0, 200);

interface Fault {
  name: string;
  [code: string]: unknown;
  at?: string[];
  cause?: Fault;
}

/** What tells an error from others without quoting it: of SQLite `errcode`, of a mail server `responseCode`, of PostgreSQL `code` and `constraint`. */
const CODES = ['code', 'errcode', 'responseCode', 'status', 'syscall', 'constraint'];
const CODE = /^(?:[A-Z][A-Z0-9_]{1,50}|[0-9A-Z]{5})$/;
const NAME = /^[a-z]\w{0,50}$/i;

function faultOf(error: unknown, depth = 0): Fault {
  if (!isError(error)) return { name: error === null ? 'null' : typeof error };
  const codes = CODES.map((field) => [field, (error as unknown as Record<string, unknown>)[field]] as const).filter(([field, value]) => isCode(field, value));
  const at = framesOf(error);
  return {
    name: NAME.test(error.name) ? error.name : 'Error',
    ...Object.fromEntries(codes),
    ...(at.length > 0 && { at }),
    ...(error.cause !== undefined && depth < 3 && { cause: faultOf(error.cause, depth + 1) }),
  };
}

function isCode(field: string, value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 100_000;
  return typeof value === 'string' && (field === 'code' ? CODE : NAME).test(value);
}

const ROOTS = [`${pathToFileURL(ROOT).href}/`, `${ROOT}${path.sep}`];
const FRAME = /^\s+at (?:.* )?\(?((?:file:|\/|[A-Z]:\\)[^\s()]+):(\d+):(\d+)\)?$/;
const MOST_FRAMES = 12;

/** Where in our code it happened, `src/…:line:column`; when it was nowhere in ours, the first place in a package. */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const message = stack.indexOf(error.message);
  const frames = stack
    .slice(message === -1 ? 0 : message + error.message.length)
    .split('\n')
    .flatMap((line) => {
      const [, file = '', row, column] = FRAME.exec(line) ?? [];
      const root = ROOTS.find((start) => file.startsWith(start));
      return root === undefined ? [] : [`${file.slice(root.length)}:${row}:${column}`];
    })
    .filter((frame) => /^(?:src|dist|node_modules)[\\/]/.test(frame));
  const ours = frames.filter((frame) => !frame.startsWith('node_modules'));
  return (ours.length > 0 ? ours : frames.slice(0, 1)).slice(0, MOST_FRAMES);
}
