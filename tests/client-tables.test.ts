import { beforeAll, describe, expect, test } from 'vitest';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { changeRetention, sweepRetention } from '#features/documents/retention/retention.server.ts';
import { KEEP_ALL, NOTICE_DAYS } from '#features/documents/retention/retention.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { foreignKeys } from '#platform/database/copy.server.ts';
import { db } from '#platform/database/database.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { TableDeclarations } from '#platform/database/schema.server.ts';
import { allTables } from '#platform/database/tables.server.ts';
import '../src/app.server.ts';
import { sessionAs } from './support/api.ts';
import {
  canaryOf,
  columnsByTable,
  plantCanaries,
  readableValues,
  tablesOfClients,
} from './support/canaries.ts';
import { makeCast, person } from './support/cast.ts';
import { exportOf } from './support/exported.ts';
import { onPostgres } from './support/whole.ts';

/*
 * What the tables declare about clients (`ofClient`) is what exports, merges and retention do: a row is planted in every
 * table that belongs to a client, by the catalogue of the database, and looked for afterwards.
 */

const { ada, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });

const keys = await foreignKeys({ database: db(), isPostgres: onPostgres });
const columns = new Map(
  [...(await columnsByTable())].map(([name, own]) => [name, own.map((one) => one.name)]),
);
const TABLES = tablesOfClients(columns, keys);
const declared = new Map(allTables().map((table) => [table.name as string, table]));

/** Of these an export of a client has no rows, although it has the file: the firm keeps them from its clients. */
const INTERNAL = ['client_tags'];
/** What else a row is recognized by: its tax id, and the document that is locked. */
const MARKS = ['471234567', canaryOf('documents', 'document_id')];

let planted: Awaited<ReturnType<typeof plantCanaries>>;
let clientId = '';
const rowsOf = async (name: string) =>
  db()
    .selectFrom(name as 'documents')
    .selectAll()
    .execute();
/** The planted row of a table as it is now, without what the database maintains. */
async function plantedRow(name: string) {
  const { key = [], maintained = [] } = declared.get(name) ?? {};
  const ids = planted.get(name);
  const row = (await rowsOf(name)).find((one) =>
    key.every((part) => (one as Record<string, unknown>)[part] === ids?.[part]),
  );
  return row && Object.fromEntries(Object.entries(row).filter(([column]) => !maintained.includes(column)));
}

beforeAll(async () => {
  planted = await plantCanaries(TABLES, {
    keys,
    existing: { firms: firmOne, contacts: ada.contactId, users: ada.prismGuid },
    values: readableValues(ada),
  });
  clientId = String(planted.get('clients')?.['client_id']);
});

describe('every table with rows of a client', () => {
  test('says in which file of an export they are, or why in none', () => {
    expect(TABLES.length).toBeGreaterThan(50);
    expect(
      TABLES.filter((name) => declared.get(name)?.ofClient === undefined),
      'Declare `ofClient` in the schema.server.ts of these tables: their rows belong to a client.',
    ).toEqual([]);
  });

  test('does not compile without saying so, if it has a column of clients', () => {
    type Undeclared = { comments: { key: ['comment_id']; encrypted: { body: 'always' } } };
    const isAccepted: Undeclared extends TableDeclarations ? true : false = false;
    expect(isAccepted).toBe(false);
  });

  test('is found by a chain of references of any length', () => {
    const found = tablesOfClients(
      new Map([
        ['notes', ['note_id', 'client_id']],
        ['note_lines', ['line_id', 'note_id']],
        ['line_marks', ['mark_id', 'line_id']],
        ['firms', ['company_id']],
      ]),
      [
        { table: 'line_marks', references: 'note_lines' },
        { table: 'note_lines', references: 'notes' },
        { table: 'notes', references: 'firms' },
      ],
    );
    expect(found).toEqual(['clients', 'line_marks', 'note_lines', 'notes']);
  });

  test('names a file that a feature contributes', () => {
    const names = new Set([
      'manifest.csv',
      ...contributed('exports')
        .flat()
        .map(({ name }) => name),
    ]);
    const files = allTables().flatMap(({ ofClient }) => ofClient?.exported ?? []);
    expect(files.filter((file) => typeof file === 'string' && !names.has(file))).toEqual([]);
  });
});

describe('an export of everything', () => {
  test('has the row that is planted in each table, in the file that the table names', async () => {
    const [ofClient, ofFirm] = [await exportOf(olga, clientId), await exportOf(olga, null)];
    const folder = [...ofFirm.keys()]
      .find((path) => path.startsWith('clients/CANARY'))
      ?.split('/')
      .slice(0, 2)
      .join('/');
    const missing = TABLES.flatMap((name) => {
      const file = declared.get(name)?.ofClient?.exported;
      if (typeof file !== 'string') return [];
      const places = [ofFirm.get(`${folder}/${file}`) ?? ofFirm.get(file)];
      if (ofClient.has(file) && !INTERNAL.includes(name)) places.push(ofClient.get(file));
      return places.every((text) => isIn(name, text?.toString('utf8') ?? '')) ? [] : [`${name} in ${file}`];
    });
    expect(missing).toEqual([]);
  });

  test('has no secret that opens something, and nothing that the client has not submitted', async () => {
    const files = [...(await exportOf(olga, null)).values()]
      .map((bytes) => bytes.toString('utf8'))
      .join('\n');
    const secrets = [...planted].flatMap(([table, row]) =>
      Object.keys(row)
        .filter((column) =>
          /token|code_hash|access_code|mailed_code|secret|blob|upload_hash|visit|^mac$/.test(column),
        )
        .map((column) => canaryOf(table, column)),
    );
    expect(secrets.length).toBeGreaterThan(5);
    const ofClientAlone = [
      'task_answers',
      'task_kept_answers',
      'task_proposals',
      'task_link_files',
      'task_links',
    ];
    const tables = ofClientAlone.map((table) => `CANARY-${table}-`);
    expect([...secrets, ...tables].filter((words) => files.includes(words))).toEqual([]);
  });

  /** Whether a file has a value of the planted row: one of its own, or for a link between others an id of these. */
  function isIn(name: string, text: string): boolean {
    const row = planted.get(name) ?? {};
    const texts = Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' && !['client_id', 'company_id', 'mac'].includes(column) ? [value] : [],
    );
    const own = texts.filter((value) => [`CANARY-${name}-`, ...MARKS].some((mark) => value.includes(mark)));
    const references = keys.flatMap(({ table, column }) => (table === name ? (row[column] ?? []) : []));
    const wanted =
      own.length > 0 ? own.map((value) => /CANARY-[\w-]+/.exec(value)?.[0] ?? value) : references.map(String);
    return wanted
      .filter((value) => value !== clientId && value !== firmOne)
      .some((value) => text.includes(value));
  }
});

describe('a merge of clients', () => {
  test('does with the planted row of each table what the table says', async () => {
    await mergeClients(sessionAs(olga), clientId, clientA);
    const wrong = [];
    for (const name of TABLES) {
      const merged = declared.get(name)?.ofClient?.merged;
      if (merged === undefined) continue;
      const left = (await rowsOf(name)).filter((row) => row.client_id === clientId);
      const stays = typeof merged === 'object';
      if (left.length > 0 !== stays) wrong.push(`${name}: ${stays ? 'moved' : 'not moved'}`);
      if (merged === 'follows') {
        const row = await plantedRow(name);
        if (row?.['client_id'] !== clientA) wrong.push(`${name} does not follow`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** What keeps documents from retention. */
const IN_ITS_WAY = ['legal_holds', 'item_locks', 'retention_moves'] as const;
/** The tables whose planted rows are still there. */
const present = (): string[] => TABLES.filter((name) => !IN_ITS_WAY.some((other) => other === name));

describe('retention', () => {
  test('changes the rows of those tables only that are kept by its rules, and removes none', async () => {
    const rules = { ...KEEP_ALL, projects: '1', published: '1', uploads: '1', other: '1' } as const;
    const before = new Map<string, unknown>();
    for (const name of TABLES) before.set(name, await plantedRow(name));
    for (const name of IN_ITS_WAY) await db().deleteFrom(name).execute();
    await changeRetention(sessionAs(olga), rules);
    await at(now() + 5 * 365 * DAY + NOTICE_DAYS * DAY, sweepRetention);
    const changed = [];
    for (const name of present()) {
      if (before.get(name) === undefined) continue; // united with another one by a merge
      expect(await plantedRow(name), name).toBeDefined();
      if (JSON.stringify(await plantedRow(name)) !== JSON.stringify(before.get(name))) changed.push(name);
    }
    expect(changed).toEqual(
      TABLES.filter((name) => declared.get(name)?.ofClient?.kept === 'by retention rules'),
    );
  });
});
