import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import { config } from '../runtime/config.server.ts';
import { ROOT } from '../runtime/root.server.ts';

/*
 * Structured logging: one JSON line per event, with ids only, never a name, an address, a file name, a token
 * or a body (threat-model.md T76). `Line` is the allow-list of fields; add a field only if it can never
 * contain personal data.
 */

interface Line {
  /** What happened: feature or module, a dot, and a word. */
  event: string;
  /**
   * Logged as name, codes and stack frames of our code. The message is left out, as it may quote user input.
   */
  err?: unknown;
  /** The request id, as in X-Request-Id; added within {@link withRequestId}. */
  id?: string;
  method?: string;
  /** A pattern of the route table, never a URL. */
  route?: string;
  /** The contact id of the session's account, and of the staff member who views as that contact. */
  actor?: string;
  viewedBy?: string;
  job?: string;
  /** The key of a blob, as in verify and backups. */
  blob?: string;
  kind?: string;
  status?: number;
  ms?: number;
  attempts?: number;
  /** How many files or emails it is about. */
  files?: number;
  /** How many jobs were taken over. */
  jobs?: number;
  givenUp?: boolean;
  /** What became of a transaction whose commit got no answer. */
  outcome?: string;
  /** The sign-in method that was tried. */
  how?: string;
  /** Keyed digests of the e-mail address and the network, to tell attempts apart. */
  account?: string;
  from?: string;
  /** The version of the portal. */
  version?: string;
  /** The words in the address of a page, without ids and tokens, and places in its scripts. */
  page?: string;
  at?: string[];
}

const FIELDS = {
  event: true,
  err: true,
  id: true,
  method: true,
  route: true,
  actor: true,
  viewedBy: true,
  job: true,
  blob: true,
  kind: true,
  status: true,
  ms: true,
  attempts: true,
  files: true,
  jobs: true,
  givenUp: true,
  outcome: true,
  how: true,
  account: true,
  from: true,
  version: true,
  page: true,
  at: true,
} satisfies Record<keyof Line, true>;

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug';

const requests = new AsyncLocalStorage<string>();
const watchers: ((level: Level, line: Line) => void)[] = [];

/** Runs `work` with a request id that is added to every line it logs. */
export const withRequestId = <T>(id: string, work: () => T): T => requests.run(id, work);

/** Calls `watch` for every line, including those below LOG_LEVEL. */
export const watchLog = (watch: (level: Level, line: Line) => void): void => void watchers.push(watch);

const writer = pino(
  {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  },
  pino.destination({ dest: 1, sync: true }), // synchronous: keeps the order, and nothing is lost at exit
);

const logAt =
  (level: Level) =>
  (line: Line): void => {
    for (const watch of watchers) watch(level, line);
    if (writer.isLevelEnabled(level)) writer[level](safe(line));
  };

export const log: Record<Level, (line: Line) => void> = {
  fatal: logAt('fatal'),
  error: logAt('error'),
  warn: logAt('warn'),
  info: logAt('info'),
  debug: logAt('debug'),
};

/**
 * Redirects console output to the log. Libraries print whole errors, which may quote user input; only where they
 * did it, with the request id, is logged. An uncaught exception still ends the process.
 */
export function redirectConsoleToLog(): void {
  for (const method of ['error', 'warn', 'log', 'info', 'debug', 'trace'] as const) {
    const level = method === 'error' || method === 'warn' ? 'warn' : 'debug';
    // eslint-disable-next-line no-console -- replaced here
    console[method] = function write(...args: unknown[]) {
      log[level]({ event: 'console', err: args.find(isError) ?? callOf(write) });
    };
  }
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => {
    log.fatal({ err: error, event: 'uncaught' });
    process.exit(1);
  });
}

/** Where a function was called, as an error without one. */
function callOf(called: (...args: never[]) => void): Error {
  const call = new Error();
  call.name = 'Call';
  Error.captureStackTrace(call, called);
  return call;
}

const isError = (value: unknown): value is Error => value instanceof Error;

function safe(line: Line): Record<string, unknown> {
  // a job belongs to no request, even if a request woke the worker
  const id = line.event.startsWith('job') ? undefined : requests.getStore();
  const known = Object.entries({ id, ...line }).filter(([field]) => Object.hasOwn(FIELDS, field));
  return Object.fromEntries(
    known.map(([field, value]) => [field, field === 'err' ? describeError(value) : printable(value)]),
  );
}

const printable = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(printable) : typeof value === 'string' ? asPrintable(value) : value;

/** Restricts a text to printable ASCII on one line, whatever it contains. */
const asPrintable = (text: string): string => text.replace(/[^\x20-\x7e]/gu, '?').slice(0, 200);

interface LoggedError {
  name: string;
  [code: string]: unknown;
  at?: string[];
  cause?: LoggedError;
}

/**
 * Error properties that can be logged safely: `errcode` of SQLite, `responseCode` of a mail server, `code`
 * and `constraint` of PostgreSQL.
 */
const CODES = ['code', 'errcode', 'responseCode', 'status', 'syscall', 'constraint'];
const CODE = /^(?:[A-Z][A-Z0-9_]{1,50}|[0-9A-Z]{5})$/;
const NAME = /^[a-z]\w{0,50}$/i;

function describeError(error: unknown, depth = 0): LoggedError {
  if (!isError(error)) return { name: error === null ? 'null' : typeof error };
  const codes = CODES.map(
    (field) => [field, (error as unknown as Record<string, unknown>)[field]] as const,
  ).filter(([field, value]) => isCode(field, value));
  const at = framesOf(error);
  return {
    name: NAME.test(error.name) ? error.name : 'Error',
    ...Object.fromEntries(codes),
    ...(at.length > 0 && { at }),
    ...(error.cause !== undefined && depth < 3 && { cause: describeError(error.cause, depth + 1) }),
  };
}

function isCode(field: string, value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 100_000;
  return typeof value === 'string' && (field === 'code' ? CODE : NAME).test(value);
}

const ROOTS = [`${pathToFileURL(ROOT).href}/`, `${ROOT}${path.sep}`];
const FRAME = /^\s+at (?:.* )?\(?((?:file:|\/|[A-Z]:\\)[^\s()]+):(\d+):(\d+)\)?$/;
const MAX_FRAMES = 12;

/** The stack frames in our code, `src/…:line:column`; without any, the first one in a package. */
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
  return (ours.length > 0 ? ours : frames.slice(0, 1)).slice(0, MAX_FRAMES);
}
