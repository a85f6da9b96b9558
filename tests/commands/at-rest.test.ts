import { readFileSync, statSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PASSWORD } from '../support/cast.ts';
import { begin, command, filesIn, newPlace, removePlaces } from './support.ts';

afterAll(removePlaces);

const portal = newPlace();
const running = await begin(portal, 'fillAndStay');
const backup = path.join(portal.folder, 'backup');
const { code } = await command(portal, 'backup', ['--to', backup]);

/**
 * Everything that a thief of the data folder and the backups gets while the portal runs, including the
 * database journals.
 */
const stolen = [portal.data, backup].flatMap((folder) =>
  filesIn(folder).map((file) => ({
    file: path.join(path.basename(folder), file),
    bytes: readFileSync(path.join(folder, file)),
  })),
);
const filled = await running.end();
const filesWith = (text: string): string[] =>
  stolen.filter(({ bytes }) => bytes.includes(text)).map(({ file }) => file);

test('the search covers the database journal and the backup, and finds readable text in them', () => {
  expect(code).toBe(0);
  const names = stolen.map(({ file }) => file);
  for (const name of ['data/portal.db', 'data/portal.db-wal', 'backup/portal.db'])
    expect(names).toContain(name);
  expect(filesWith('Statement 0.pdf')).toContain('backup/portal.db');
  expect(filesWith('Amber Bakery').length).toBeGreaterThan(1);
  expect(stolen.find(({ file }) => file === 'data/portal.db-wal')?.bytes.length).toBeGreaterThan(10_000);
});

const master = readFileSync(portal.keyFile, 'utf8').trim();

test.each<[string, string[]]>([
  ['what is in a file', ['CANARY-CONTENT-', '%PDF-1.7']],
  [
    'the e-mail address of a person',
    ['ada@one.example', 'sam@one.example', 'zoe-CANARY-F2@two.example', 'ADA@ONE.EXAMPLE'],
  ],
  ['the e-mail address of a recipient', ['canary-sent@friend.example', 'canary-waiting@friend.example']],
  ['the subject of a share', ['CANARY-SUBJECT-SENT', 'CANARY-SUBJECT-WAITING']],
  ['the reason of a look', ['CANARY-REASON']],
  ['a batch of tasks', ['CANARY-BATCH']],
  ['a form that came too late', ['CANARY-FORM']],
  ['a comment, or a message on a task', ['CANARY-COMMENT', 'CANARY-TASK-MESSAGE']],
  ['who signs, and by what name', ['CANARY-SIGNER', 'canary-signer@out.example', 'CANARY-TYPED']],
  ['why somebody does not sign', ['CANARY-DECLINED']],
  ['where somebody gets push notifications', ['CANARY-PUSH', 'CANARY-BROWSER']],
  ['the e-mail address of an invitation', ['canary-invited@friend.example']],
  ['the message of a share', ['CANARY-MESSAGE-SENT', 'CANARY-MESSAGE-WAITING']],
  ['the text of a mail, sent or waiting', ['MIME-Version', '<p style=', 'text/html']],
  ['the code of a share', [filled.codes.waiting]],
  ['the token of a link', Object.values(filled.links)],
  ['the cookie of one who opened a link', Object.values(filled.visits)],
  ['a password', [PASSWORD]],
  ['the cookie of a session', [filled.session]],
  ['the cookie of a sign-in under way', [filled.transaction, filled.usedTransaction]],
  ['a ticket of the sign-in page', [filled.ticket]],
  ['a code of the identity provider', [filled.usedCode]],
  [
    'the signing key of the identity provider',
    filled.secrets
      .filter((secret) => secret.includes('"d"'))
      .flatMap((secret) => [
        secret,
        ...(JSON.parse(secret) as { jwk: { d: string } }[]).map(({ jwk }) => jwk.d),
      ]),
  ],
  [
    'the key of the blind index, and of each file',
    filled.secrets
      .filter((secret) => !secret.includes('"d"'))
      .flatMap((secret) => [secret, Buffer.from(secret, 'base64').toString('hex')]),
  ],
  [
    'the master key',
    [
      master,
      master.toUpperCase(),
      Buffer.from(master, 'hex').toString('base64'),
      Buffer.from(master, 'hex').toString('base64url'),
    ],
  ],
])('a thief of the data folder and the backups does not learn %s', (_, canaries) => {
  expect(canaries.length).toBeGreaterThan(0);
  for (const canary of canaries) {
    expect(canary.length).toBeGreaterThan(7);
    expect(filesWith(canary), canary).toEqual([]);
  }
});

test('no other user of the machine can read any of the data', () => {
  const modes = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const place = path.join(entry.parentPath, entry.name);
      const mode = statSync(place).mode & 0o777;
      return mode === (entry.isDirectory() ? 0o700 : 0o600)
        ? []
        : [`${path.relative(portal.folder, place)} ${mode.toString(8)}`];
    });
  expect(modes(portal.folder)).toEqual([]);
});
