import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import pg from 'pg';

/*
 * Ends the portal at a statement, as far as the database can tell: from then on nothing reaches it, and what was not
 * committed is rolled back. Unlike a killed process it costs nothing, so that every statement can be the last one. Import
 * it before the database is opened.
 */

/** Not an error of a connection, which would be tried again. */
class Killed extends Error {
  override name = 'Killed';
}

let left = Infinity;
let isDead = false;

/** What the database does by itself when a process ends. */
const BY_ITSELF = /^rollback|pg_advisory_unlock/;

function assertAlive(text: string): void {
  if (BY_ITSELF.test(text)) return;
  left -= 1;
  isDead ||= left < 0;
  if (isDead) throw new Killed('killed');
}

/** Runs `work`, and ends everything before its statement of this number, from 0. False if it had fewer. */
export async function killedAt(statement: number, work: () => Promise<unknown>): Promise<boolean> {
  left = statement;
  try {
    await work();
  } catch (error) {
    if (!isDead) throw error;
  }
  const wasKilled = isDead;
  left = Infinity;
  isDead = false;
  return wasKilled;
}

interface Runs {
  run: (this: StatementSync, ...values: SQLInputValue[]) => unknown;
  all: (this: StatementSync, ...values: SQLInputValue[]) => unknown;
}

const sqlite: { prepare: (this: DatabaseSync, text: string) => StatementSync } = DatabaseSync.prototype;
const { prepare } = sqlite;
sqlite.prepare = function (text) {
  const statement = prepare.call(this, text);
  const runs = statement as unknown as Runs;
  const { run, all } = runs;
  runs.run = (...values) => {
    assertAlive(text);
    return run.apply(statement, values);
  };
  runs.all = (...values) => {
    assertAlive(text);
    return all.apply(statement, values);
  };
  return statement;
};

const postgres = pg.Client.prototype as unknown as {
  query: (this: pg.Client, ...query: unknown[]) => unknown;
};
const { query } = postgres;
postgres.query = function (...all) {
  const [first] = all;
  assertAlive(typeof first === 'string' ? first : String((first as { text?: unknown } | undefined)?.text));
  return query.apply(this, all);
};
