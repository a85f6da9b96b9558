import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/*
 * A feature writes only its own tables: what another one must store, it does by a function of that feature, or
 * by subscribing to its events. Reading for lists and access checks is not covered yet.
 */

/** Files that still write tables of other features, to be moved there. Add none. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // the result of a scan is a column of the document
  'antivirus/antivirus.server.ts': ['documents'],
  // who works for whom is written with the client, in one transaction
  'clients/internal/rows.server.ts': ['staff_clients'],
  'clients/removing.server.ts': ['staff_clients'],
  // a merge moves all rows of a client in one transaction, in an order that triggers and name checks need
  'merging/merging.server.ts': [
    'client_contacts',
    'client_tags',
    'client_tax_ids',
    'clients',
    'containers',
    'documents',
    'share_clients',
    'staff_clients',
    'upload_notices',
    'uploads',
  ],
  // credentials are columns of the user; a new password ends reset links and rescue codes
  'credentials/email-change.server.ts': ['password_resets', 'rescue_codes', 'users'],
  'credentials/passwords.server.ts': ['password_resets', 'rescue_codes', 'users'],
  'directory/management.server.ts': [
    'access_settings',
    'client_contacts',
    'email_changes',
    'rescue_codes',
    'staff_clients',
    'users',
  ],
  'invitations/invitations.server.ts': ['rescue_codes'],
  'recovery/owner-reset.server.ts': ['users'],
  'second-factors/second-factors.server.ts': ['users'],
  'sessions/sessions.server.ts': ['users'],
  // a lock is counted on documents, folders and their trash in one statement each
  'documents/rights.server.ts': ['item_locks'],
  'filing/moving.server.ts': ['containers', 'documents'],
  'filing/renaming.server.ts': ['containers', 'documents'],
  'trash/folder-trash.server.ts': ['containers', 'documents'],
  'trash/trash.server.ts': ['documents'],
  // who loses access loses sessions, tokens and clients at once
  'people/people.server.ts': ['long_tokens', 'sessions'],
  'people/rights.server.ts': ['client_contacts', 'long_tokens', 'sessions'],
  // one sweep for all that a sign-in leaves
  'sign-in/sweeps.server.ts': [
    'invitations',
    'oidc_payloads',
    'passkey_challenges',
    'password_resets',
    'pending_sign_ins',
    'recovery_codes',
    'rescue_codes',
  ],
};

type Files = Readonly<Record<string, string>>;

const WRITES = /\.(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*'(\w+)/g;
const RAW = /sql(?:<[^`]*?>)?`[^`]*`/g;
const RAW_WRITES = /\b(?:insert into|update|delete from)\s+(\w+)/gi;

/** A loop over names of tables, whose body writes each: `for (const table of ['a', 'b'] as const)`, or of a list. */
const LOOPS = /for \(const (\w+) of (?:\[([^\]]*)\] as const|([A-Z_]+))\)(.*?);/gs;
const listNamed = (text: string, list: string): string =>
  new RegExp(`const ${list} = \\[([^\\]]*)\\] as const`).exec(text)?.[1] ?? '';
const writtenInLoops = (text: string): string[] =>
  [...text.matchAll(LOOPS)].flatMap(([, name = '', tables, list = '', body = '']) =>
    new RegExp(`\\.(?:insertInto|updateTable|deleteFrom)\\(\\s*${name}\\s*\\)`).test(body)
      ? [...(tables ?? listNamed(text, list)).matchAll(/'(\w+)'/g)].map(([, table = '']) => table)
      : [],
  );

const featureOf = (file: string): string => file.split('/', 1)[0] ?? '';

/** The feature of each table, by its schema.server.ts. */
function ownersIn(files: Files): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [file, text] of Object.entries(files)) {
    const tables = /\/schema\.server\.ts$/.test(file) && /interface Tables \{(.*?)\n {2}\}/s.exec(text)?.[1];
    for (const [, table = ''] of (tables || '').matchAll(/^\s+(\w+):/gm)) owners.set(table, featureOf(file));
  }
  return owners;
}

/** The tables of other features that each file writes. */
function foreignWrites(files: Files): Record<string, string[]> {
  const owners = ownersIn(files);
  return Object.fromEntries(
    Object.entries(files).flatMap(([file, text]) => {
      const raw = text.match(RAW)?.join('\n') ?? '';
      const written = [
        ...[...text.matchAll(WRITES), ...raw.matchAll(RAW_WRITES)].map(([, table = '']) => table),
        ...writtenInLoops(text),
      ];
      const foreign = [...new Set(written)].filter(
        (table) => (owners.get(table) ?? featureOf(file)) !== featureOf(file),
      );
      return foreign.length > 0 ? [[file, foreign.toSorted()]] : [];
    }),
  );
}

const problemsIn = (files: Files): string[] =>
  Object.entries(foreignWrites(files)).flatMap(([file, tables]) =>
    tables
      .filter((table) => !EXCEPTIONS[file]?.includes(table))
      .map(
        (table) =>
          `${file} writes ${table} of ${ownersIn(files).get(table)}: call a function of that feature, or subscribe to its event.`,
      ),
  );

const root = path.join(import.meta.dirname, '../src/features');
const files: Files = Object.fromEntries(
  fs
    .globSync('*/**/*.ts', { cwd: root })
    .map((file) => [
      file.replaceAll('\\', '/').replace(/^[^/]+\//, ''),
      fs.readFileSync(path.join(root, file), 'utf8'),
    ]),
);

test('a feature writes no table of another feature', () => {
  expect(ownersIn(files).size).toBeGreaterThan(50);
  expect(problemsIn(files)).toEqual([]);
});

test('a write to a table of another feature is reported: built, in a loop or in plain SQL', () => {
  const planted = {
    'news/a.server.ts': `await trx.updateTable('documents').set({}).execute();`,
    'news/b.server.ts': 'await sql`delete from shares where share_id = ${id}`.execute(db());',
    'news/c.server.ts': `db().selectFrom('documents')`,
    'news/d.server.ts': `for (const table of ['news', 'comments'] as const) await db().deleteFrom(table).execute();`,
    'news/e.server.ts': `const ALL = ['uploads'] as const; for (const table of ALL) await db().updateTable(table).execute();`,
    'news/f.server.ts': `for (const table of ['comments'] as const) await db().selectFrom(table).execute();`,
  };
  const reported = problemsIn({ ...files, ...planted }).filter((problem) => problem.startsWith('news/'));
  expect(reported).toEqual([
    expect.stringMatching(/^news\/a.server.ts writes documents of documents/),
    expect.stringMatching(/^news\/b.server.ts writes shares of sharing/),
    expect.stringMatching(/^news\/d.server.ts writes comments of comments/),
    expect.stringMatching(/^news\/e.server.ts writes uploads of uploads/),
  ]);
});

test('the list of exceptions names nothing that is no longer written', () => {
  const written = foreignWrites(files);
  expect(
    Object.entries(EXCEPTIONS).flatMap(([file, tables]) =>
      tables.filter((table) => !written[file]?.includes(table)).map((table) => `${file}: ${table}`),
    ),
    'Remove these from EXCEPTIONS: they are mended.',
  ).toEqual([]);
});
