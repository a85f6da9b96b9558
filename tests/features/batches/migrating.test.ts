import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { sql, type Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { config } from '#platform/runtime/config.server.ts';
import { migrateSchema } from '#platform/database/database.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import { openPostgres } from '#platform/database/postgres.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { openSqlite } from '#platform/database/sqlite.server.ts';
import { migrateWith } from '../../support/landings.ts';
import { ownPart } from '../../support/services.ts';
import { onPostgres } from '../../support/whole.ts';

/* What batches of the versions before had of a head of their own moves to the one of all batches, on each engine. */

const all = migrations(onPostgres);
const EARLIER = Object.keys(all)
  .map((name) => name.slice(0, 4))
  .filter((number) => number < '0163');

async function earlierDatabase(): Promise<Kysely<Tables>> {
  mkdirSync(config.dataDir, { recursive: true });
  const { DATABASE_URL: url } = await ownPart(`batches ${process.pid} ${Date.now()}`);
  const database =
    url === undefined ? openSqlite(path.join(config.dataDir, 'earlier.db')) : openPostgres(url);
  expect(await migrateWith(database, all, EARLIER)).toBeUndefined();
  for (const statement of ROWS) await sql.raw(statement).execute(database);
  return database;
}

const taskBatch = (id: string, state: string, position: number): string =>
  `insert into task_batches (batch_id, company_id, created_by, action, state, input, total, position, created_at, moved_at, finished_at) values ('${id}', 'firm', 'sam', 'create', '${state}', 'secret ${id}', 60, ${position}, 1, 2, 3)`;
const importOf = (id: string, state: string, position: number): string =>
  `insert into imports (import_id, company_id, contact_id, kind, state, file_name, columns, mapping, total, position, invites, created_at, moved_at, finished_at) values ('${id}', 'firm', 'sam', 'links', '${state}', 'name ${id}', 'columns', '["code"]', 60, ${position}, 1, 1, 2, 3)`;
const invitationBatch = (id: string, stopped: string, finishedAt: string): string =>
  `insert into invitation_batches (batch_id, company_id, created_by, created_at, total, problems, stopped, finished_at) values ('${id}', 'firm', 'sam', 1, 60, 'lines ${id}', '${stopped}', ${finishedAt})`;

const ROWS = [
  `insert into firms (company_id, name, phone, email, language, locked, second_step, time_zone) values ('firm', 'Firm', '', '', 'en-us', 0, 'nobody', 'UTC')`,
  `insert into users (prism_guid, email, email_key, first_name, last_name, language, mfa_required, created_at) values ('sam', 'x', 'x', 'Sam', 'Staff', 'en-us', 0, 1)`,
  `insert into contacts (contact_id, company_id, prism_guid, staff, full_name, created_at) values ('sam', 'firm', 'sam', 1, 'Sam Staff', 1)`,
  taskBatch('ready', 'ready', 0),
  taskBatch('running', 'running', 50),
  taskBatch('stopped', 'stopped', 50),
  taskBatch('undoing', 'undoing', 50),
  importOf('mapping', 'mapping', 0),
  importOf('importing', 'importing', 50),
  importOf('finished', 'finished', 60),
  importOf('cancelled', 'cancelled', 50),
  importOf('lost', 'stopped', 50),
  importOf('un-importing', 'undoing', 50),
  invitationBatch('sending', '', 'null'),
  invitationBatch('sent', '', '3'),
  invitationBatch('refused', 'FORBIDDEN', '3'),
];

test('batches of each kind keep their ids, their people, how far they are and what is encrypted', async () => {
  const database = await earlierDatabase();
  await migrateSchema(database, onPostgres);
  const heads = await database.selectFrom('batches').selectAll().execute();
  const found = Object.fromEntries(
    heads.map(({ batch_id: id, kind, state, stopped_by: by, position }) => [id, [kind, state, by, position]]),
  );
  expect(found).toEqual({
    ready: ['tasks', 'ready', '', 0],
    running: ['tasks', 'running', '', 50],
    stopped: ['tasks', 'stopped', 'PERSON', 0],
    // the last rows come first now: those that are undone already are passed over
    undoing: ['tasks', 'undoing', '', 0],
    mapping: ['import', 'draft', '', 0],
    importing: ['import', 'running', '', 50],
    finished: ['import', 'done', '', 60],
    cancelled: ['import', 'stopped', 'PERSON', 0],
    lost: ['import', 'stopped', 'RIGHTS', 0],
    'un-importing': ['import', 'undoing', '', 50],
    sending: ['invitations', 'running', '', 0],
    sent: ['invitations', 'done', '', 60],
    refused: ['invitations', 'stopped', 'RIGHTS', 0],
  });
  for (const head of heads)
    expect(head).toMatchObject({
      company_id: 'firm',
      created_by: 'sam',
      runs_as: 'sam',
      total: 60,
      created_at: 1,
    });
  const sending = heads.find(({ batch_id: id }) => id === 'sending');
  expect(sending?.moved_at, 'its job is not lost').toBeGreaterThan(Date.UTC(2020, 0));
  const inputs = await database.selectFrom('task_batches').selectAll().orderBy('batch_id').execute();
  expect(inputs[0]).toEqual({ batch_id: 'ready', action: 'create', input: 'secret ready' });
  const files = await database.selectFrom('imports').selectAll().where('import_id', '=', 'lost').execute();
  expect(files).toEqual([
    {
      import_id: 'lost',
      kind: 'links',
      file_name: 'name lost',
      columns: 'columns',
      blob_key: null,
      place: null,
      mapping: '["code"]',
      invites: 1,
      invited: 0,
    },
  ]);
  const lines = await database
    .selectFrom('invitation_batches')
    .selectAll()
    .where('batch_id', '=', 'sent')
    .execute();
  expect(lines).toEqual([{ batch_id: 'sent', problems: 'lines sent' }]);
  await database.destroy();
});
