import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementResultingChanges,
  type StatementSync,
} from 'node:sqlite';

/*
 * Records the statements on the portal's SQLite connection: how often it waited for the disk (commits with
 * changes while `synchronous` was FULL), and how each statement finds its rows. Independent of the speed of
 * machine and disk. Import it before the database is opened.
 */

interface Prepares {
  prepare: (this: DatabaseSync, text: string) => StatementSync;
}
interface Runs {
  run: (this: StatementSync, ...values: SQLInputValue[]) => StatementResultingChanges;
  all: (this: StatementSync, ...values: SQLInputValue[]) => Record<string, SQLOutputValue>[];
}

/** The statistics of a statement (sqlite3_stmt_status), which the types do not know yet. */
interface Statistics {
  stat: (counter: 'vmStep') => number;
}

const FULL = 2;

/** The statements executed since the start, and the commits that did and did not wait for the disk. */
export const counts = { statements: 0, synced: 0, unsynced: 0 };

/** The original function: each test file loads this module again, and would wrap the wrapper of the one before. */
const ORIGINAL = Symbol.for('original prepare');
const prototype: Prepares & { [ORIGINAL]?: Prepares['prepare'] } = DatabaseSync.prototype;
const prepare = (prototype[ORIGINAL] ??= prototype.prepare);
prototype.prepare = function (text) {
  const statement = prepare.call(this, text);
  const runs: Runs = statement;
  const { run, all } = Object.getPrototypeOf(statement) as Runs;
  runs.run = (...values) => counted(this, text, () => run.apply(statement, values));
  runs.all = (...values) => counted(this, text, () => stepped(statement, () => all.apply(statement, values)));
  return statement;
};

const totals = new WeakMap<DatabaseSync, unknown>();

function counted<T>(connection: DatabaseSync, text: string, work: () => T): T {
  const answer = work();
  const isStatement = /^\s*(select|with|insert|update|delete)/.test(text);
  if (isStatement) counts.statements += 1;
  if (isStatement) recorded?.push({ text, plan: () => planOf(connection, text) });
  if (text.startsWith('select') || connection.isTransaction) return answer;
  const total = prepare.call(connection, 'select total_changes() as changes').get()?.['changes'];
  const isCommit = text !== 'rollback' && total !== totals.get(connection);
  totals.set(connection, total);
  if (isCommit)
    counts[
      prepare.call(connection, 'pragma synchronous').get()?.['synchronous'] === FULL ? 'synced' : 'unsynced'
    ] += 1;
  return answer;
}

/** Counts the commits of `work` that did and did not wait for the disk. */
export async function commitsOf(work: () => Promise<unknown>): Promise<{ synced: number; unsynced: number }> {
  const before = { ...counts };
  await work();
  return { synced: counts.synced - before.synced, unsynced: counts.unsynced - before.unsynced };
}

let steps = 0;

function stepped<T>(statement: StatementSync, work: () => T): T {
  const { stat } = statement as StatementSync & Statistics;
  const before = stat.call(statement, 'vmStep');
  const answer = work();
  steps += stat.call(statement, 'vmStep') - before;
  return answer;
}

/**
 * Counts what the engine did for the reads of `work`: some steps of its machine for each row, however it was found and
 * whether or not it is in the answer.
 */
export async function stepsOf(work: () => Promise<unknown>): Promise<number> {
  const before = steps;
  await work();
  return steps - before;
}

let recorded: { text: string; plan: () => string[] }[] | undefined;

const planOf = (connection: DatabaseSync, text: string): string[] =>
  prepare
    .call(connection, `explain query plan ${text}`)
    .all()
    .map(({ detail }) => String(detail));

/** Each execution of a statement by `work`, with the lines of its query plan. */
export async function plansOf(work: () => Promise<unknown>): Promise<{ text: string; plan: string[] }[]> {
  const statements: typeof recorded = [];
  recorded = statements;
  await work();
  recorded = undefined;
  return statements.map(({ text, plan }) => ({ text, plan: plan() }));
}
