import { sql } from 'kysely';
import pg from 'pg';
import { db } from '#platform/database/database.server.ts';

/*
 * Records the statements on the portal's connections to PostgreSQL, and runs them again to measure the rows and blocks
 * that their plans read, which do not depend on the load of the machine. Import it before the database is
 * opened.
 */

interface Recorded {
  text: string;
  values: readonly unknown[];
}
type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;

let recorded: Recorded[] | undefined;

const prototype: { query: Query } = pg.Client.prototype as unknown as { query: Query };
const { query } = prototype;
prototype.query = function (...parameters) {
  const [text, values = []] = parameters;
  if (typeof text === 'string' && text.startsWith('select') && Array.isArray(values))
    recorded?.push({ text, values });
  return query.apply(this, parameters);
};

/** A step of a plan, as PostgreSQL explains it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

/** Each query by `work`, with the steps of its plan, the first one at the top. */
export async function postgresPlansOf(
  work: () => Promise<unknown>,
): Promise<{ text: string; plan: PlanNode[] }[]> {
  const statements: Recorded[] = [];
  recorded = statements;
  await work().finally(() => (recorded = undefined));
  const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  await client.connect();
  try {
    const plans = [];
    for (const { text, values } of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        [...values],
      );
      plans.push({ text, plan: rows.flatMap((row) => stepsOf(row['QUERY PLAN'][0].Plan)) });
    }
    return plans;
  } finally {
    await client.end();
  }
}

const stepsOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(stepsOf)];

/**
 * Vacuums and analyzes the database as autovacuum does. The cluster of the tests writes commits later, and a vacuum before
 * that marks no page as visible to all: plans would then depend on the load of the machine.
 */
export async function vacuumAll(): Promise<void> {
  for (const statement of [sql`checkpoint`, sql`vacuum analyze`]) await statement.execute(db());
}

/** How many rows of a table a plan looked at. */
export const rowsRead = (plan: readonly PlanNode[], table: string): number =>
  plan
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum +
        (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)) *
          node['Actual Loops'],
      0,
    );

/** How many blocks a plan looked at. */
export const blocksRead = ([top]: readonly PlanNode[]): number =>
  (top?.['Shared Hit Blocks'] ?? 0) + (top?.['Shared Read Blocks'] ?? 0);
