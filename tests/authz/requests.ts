import { sql } from 'kysely';
import { findSession } from '#features/identity/sessions/sessions.server.ts';
import type { Env } from '#features/base/people/people.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { api } from '../../src/api.server.ts';
import { onPostgres } from '../support/whole.ts';
import type { Sending } from './request-fixtures.ts';

/** Everything that a client can observe of a response. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Calls the API as the server does: with the session of the cookie, if any. */
export async function ask(
  method: string,
  address: string,
  cookie: string,
  { json, form, headers: own }: Sending = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const session = await findSession(readCookie(cookie, 'sid'));
  const incoming = {
    portal: { requestId: 'req_test', network: '192.0.2.1', session },
  } as Env['Bindings']['incoming'];
  const body = json === undefined ? form : JSON.stringify(json);
  const sent = {
    ...(cookie !== '' && { cookie }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...own,
    ...headers,
  };
  const response = await api.request(
    address,
    { method: method.toUpperCase(), headers: sent, ...(body !== undefined && { body }) },
    { incoming },
  );
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  };
}

/** The canaries in a response, headers included. */
export function canariesIn(answer: { headers: Record<string, string>; body: string } | string): Set<string> {
  const text =
    typeof answer === 'string'
      ? answer
      : `${decodeURIComponentSafely(JSON.stringify(answer.headers))} ${answer.body}`;
  return new Set(text.match(/CANARY-(?:[FC]\d|GONE)/gi)?.map((mark) => mark.toUpperCase()));
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign: not encoded
  }
}

/** The stored id of the session in a cookie. */
export const sessionIdOf = (cookie: string): string => sha256(readCookie(cookie, 'sid') ?? '');

/**
 * The rows of every table as text, without derived counts and without the caller's own session, which every
 * request updates, or removes when it has expired.
 */
export type Rows = ReadonlyMap<string, ReadonlySet<string>>;

export async function rowsWithout(sessionId: string): Promise<Rows> {
  tables ??= await countedTables();
  const counts = await (onPostgres ? countsOfPostgres(tables) : countsOfSqlite());
  const written = tables.filter((name) => counts[name] !== lastRead.get(name)?.count);
  const rows = written.length === 0 ? {} : await (onPostgres ? atOnce(written) : oneByOne(written));
  for (const name of written)
    lastRead.set(name, {
      count: counts[name],
      rows: new Set(
        (rows[name] ?? []).map((row) =>
          JSON.stringify({ ...row, document_count: undefined, comments_count: undefined }),
        ),
      ),
    });
  return new Map(
    tables.map((name) => [name, withoutSession(name, lastRead.get(name)?.rows ?? new Set(), sessionId)]),
  );
}

function withoutSession(table: string, rows: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (!['sessions', 'ended_sessions'].includes(table)) return rows;
  const known = left.get(rows);
  if (known?.id === id) return known.rows;
  const others = new Set([...rows].filter((row) => !row.includes(id)));
  left.set(rows, { id, rows: others });
  return others;
}

/** The rows without a session, cached so that unchanged tables keep the same set. */
const left = new WeakMap<ReadonlySet<string>, { id: string; rows: ReadonlySet<string> }>();

/* Triggers count the writes to each table, so that only changed tables are read again around every call. */

const lastRead = new Map<string, { count: number | undefined; rows: ReadonlySet<string> }>();
let tables: (keyof Tables)[] | undefined;

async function countedTables(): Promise<(keyof Tables)[]> {
  const names = (await db().introspection.getTables())
    .map(({ name }) => name as keyof Tables)
    // tables that record activity, expired sessions included; the last three follow from others
    .filter(
      (name) =>
        ![
          'audit',
          'audit_heads',
          'unread',
          'client_search_people',
          'possible_duplicates',
          'attention',
        ].includes(name),
    );
  const say = (statement: string) => sql.raw(statement).execute(db());
  if (onPostgres) {
    await say(
      `create function count_write() returns trigger language plpgsql as $$ begin perform nextval('writes_' || tg_table_name); return null; end $$`,
    );
    for (const name of names) {
      await say(`create sequence writes_${name}`);
      await say(
        `create trigger count_write after insert or update or delete or truncate on ${name} for each statement execute function count_write()`,
      );
    }
    return names;
  }
  await say('create table writes (name text primary key, count integer not null)');
  for (const name of names) {
    await say(`insert into writes values ('${name}', 0)`);
    for (const act of ['insert', 'update', 'delete'])
      await say(
        `create trigger writes_${name}_${act} after ${act} on ${name} begin update writes set count = count + 1 where name = '${name}'; end`,
      );
  }
  return names;
}

async function countsOfSqlite(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`select name, count from writes`.execute(db());
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

async function countsOfPostgres(names: readonly string[]): Promise<Record<string, number>> {
  const all = names.map(
    (name) =>
      sql`(select last_value + is_called::int from ${sql.table(`writes_${name}`)})::int as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, number>>`select ${sql.join(all)}`.execute(db());
  return rows[0] ?? {};
}

const oneByOne = async (names: readonly (keyof Tables)[]): Promise<Record<string, object[]>> =>
  Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await db().selectFrom(name).selectAll().execute()] as const),
    ),
  );

async function atOnce(names: readonly string[]): Promise<Record<string, object[]>> {
  const all = names.map(
    (name) => sql`(select coalesce(json_agg(one), '[]') from ${sql.table(name)} one) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, object[]>>`select ${sql.join(all)}`.execute(db());
  return rows[0] ?? {};
}

/**
 * The difference: `table + row` for each inserted row, `table - row` for each deleted one. An updated row is
 * both.
 */
export function difference(before: Rows, after: Rows): { table: string; row: string; came: boolean }[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const [old, young] = [before.get(table) ?? new Set<string>(), after.get(table) ?? new Set<string>()];
    if (old === young) return [];
    return [
      ...[...young].filter((row) => !old.has(row)).map((row) => ({ table, row, came: true })),
      ...[...old].filter((row) => !young.has(row)).map((row) => ({ table, row, came: false })),
    ];
  });
}
