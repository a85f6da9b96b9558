import { spawn } from 'node:child_process';
import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { beforeAll, expect, test } from 'vitest';
import { listMails } from '#features/demo/demo/mailbox.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { userByEmail } from '#features/identity/credentials/users.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { verifyRights } from '#features/base/people/rights-macs.server.ts';
import { sharedBytes, openShare, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { keyFor, sha256 } from '#platform/security/crypto.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { migrations } from '#platform/database/migrations.server.ts';
import { installationSecret } from '#platform/runtime/settings.server.ts';
import { startMailServer, readAll } from '../support/cast.ts';
import { WHOLE } from '../support/whole.ts';
import { verify } from '#platform/database/verification.server.ts';
import '../../src/app.server.ts';

/*
 * A firm that has used the portal since its first version, with rows and files as that version wrote them.
 */
const PEOPLE = 400;
const MOMENTS = WHOLE ? 10 : 4;
const NEWEST = Object.keys(migrations(false));
const TOKEN = 'an-old-link-with-forty-three-characters-000';
const bytes = Buffer.from('%PDF-1.7\nhanded in to the first version\n%%EOF\n');
const documents = Array.from({ length: PEOPLE }, (_, i) => ({
  id: `doc_${i}`,
  name: `Statement ${i}.pdf`,
  key: randomUUID(),
}));

beforeAll(async () => {
  await new Migrator({
    db: db(),
    provider: { getMigrations: () => Promise.resolve(migrations(false)) },
  }).migrateTo('0001-foundations');
  await fillAsTheFirstVersionDid();
});

/** The encryption of the first version: without a key id, and bound to the row id only. */
function encryptedOnce(text: string, place: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyFor('at-rest'), iv).setAAD(Buffer.from(place));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

async function fillAsTheFirstVersionDid(): Promise<void> {
  await db()
    .transaction()
    .execute(async (old) => {
      const run = async (statement: ReturnType<typeof sql>): Promise<void> =>
        void (await statement.execute(old));
      await run(
        sql`insert into firms values ('firm_1', 'Maple & Hart', '+1 312 555 0142', 'office@one.example', 'en-us', 0)`,
      );
      await run(
        sql`insert into themes values ('firm_1', '#1f4037', '#ffffff', '#1f4037', '#ffffff', 'Maple & Hart', '', null, null, '1')`,
      );
      await run(
        sql`insert into clients values ('client_1', 'firm_1', 'Amber Bakery', 'amber bakery', 'A-1', 'business', 1)`,
      );
      for (let i = 0; i < PEOPLE; i += 1) {
        await run(
          sql`insert into users values (${`user_${i}`}, ${`Person${i}@one.example`}, ${`person${i}@one.example`}, 'Ada', 'Amber', 'en-US', null, 0, 1)`,
        );
        await run(
          sql`insert into contacts values (${`contact_${i}`}, 'firm_1', ${`user_${i}`}, 'Ada Amber', 0, 1)`,
        );
        await run(
          sql`insert into jobs values (${`job_done_${i}`}, 'mail', ${i === 0 ? '' : encryptedOnce('{"kind":"old"}', `job_done_${i}`)}, null, 0, 1, null, 1, 2)`,
        );
      }
      await run(sql`insert into client_contacts values ('client_1', 'contact_0')`);
      await run(
        sql`insert into containers values ('client_1', 'firm_1', 'client_1', 'client', null, 'Amber Bakery', 'amber bakery', null, null, 'contact_0', 1, 1)`,
      );
      for (const { id, name, key } of documents) {
        await run(sql`insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32, blob_key, created_by, uploaded_by_staff, created_at, modified_at)
        values (${id}, 'firm_1', 'client_1', 'client_1', ${name}, ${name.toLowerCase()}, 'application/pdf', ${bytes.length}, ${sha256(bytes)}, 7, ${key}, 'contact_0', 0, 5, 5)`);
        const folder = path.join(config.dataDir, 'blobs', key.slice(0, 2));
        mkdirSync(folder, { recursive: true });
        writeFileSync(path.join(folder, key), bytes);
      }
      await run(
        sql`insert into shares values ('share_1', 'firm_1', 'contact_0', 'Our figures', 'As agreed', 'en-us', null, 1, ${Date.UTC(2100, 0, 1)}, null)`,
      );
      await run(sql`insert into share_items values ('share_1', 'doc_0')`);
      await run(
        sql`insert into share_recipients values ('recipient_1', 'share_1', 'bank@supplier.example', ${sha256(TOKEN)}, 0, null, 0, null, null)`,
      );
      const mail = {
        to: 'bank@supplier.example',
        from: { name: 'Maple & Hart' },
        subject: 'Waits since the first version',
        html: '<p>x</p>',
        text: 'x',
        language: 'en-US',
        key: 'recipient_1',
      };
      await run(
        sql`insert into jobs values ('job_waiting', 'mail', ${encryptedOnce(JSON.stringify(mail), 'job_waiting')}, 'mail:recipient_1', 0, 0, null, 1, null)`,
      );
      await run(
        sql`insert into mailbox values ('mail_1', 1, 'bank@supplier.example', ${'From: a@one.example\r\nSubject: An old mail\r\n\r\nHello\r\n'})`,
      );
      await run(
        sql`insert into settings values ('oidc-signing-key', ${encryptedOnce('{"kty":"EC"}', 'oidc-signing-key')})`,
      );
      await run(
        sql`insert into oidc_payloads values ('Session', 'x', ${encryptedOnce('{}', 'Session')}, null, null, null, null)`,
      );
    });
}

/**
 * Migrates a copy of the old data in a separate process, which is killed after `lives` milliseconds of the
 * migration. Returns its duration.
 */
async function migrateCopy(folder: string, lives = 60_000): Promise<number> {
  const program = `const { migrate } = await import(${JSON.stringify(path.join(import.meta.dirname, '../../src/platform/database/database.server.ts'))}); process.stdout.write('begun'); await migrate(); process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: path.join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATA_DIR: folder, KEY_FILE: config.keyFile, DATABASE_URL: '' },
  });
  const begun = await new Promise<number>((resolve) =>
    child.stdout.once('data', () => resolve(performance.now())),
  );
  // eslint-disable-next-line portal/no-sleeping -- the moment of the kill; nothing is waited for but the end of the process
  const timer = setTimeout(() => child.kill('SIGKILL'), lives);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  return performance.now() - begun;
}

function copyOfTheOldData(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-old-'));
  const database = new DatabaseSync(path.join(config.dataDir, 'portal.db'));
  database.prepare('vacuum into ?').run(path.join(folder, 'portal.db'));
  database.close();
  return folder;
}

/** The contents of a database file: its applied migrations, and whether its rows are old or new. */
function stateOf(folder: string) {
  const database = new DatabaseSync(path.join(folder, 'portal.db'));
  const names = database
    .prepare('select name from kysely_migration order by name')
    .all()
    .map((row) => row['name']);
  const emails = database
    .prepare('select email from users')
    .all()
    .map((row) => String(row['email']));
  const tables = database
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map((row) => row['name']);
  const integrity = database.prepare('pragma integrity_check').get()?.['integrity_check'];
  database.close();
  return {
    names,
    plain: emails.filter((email) => email.includes('@')).length,
    people: emails.length,
    tables,
    integrity,
  };
}

test(
  `after a kill at any of ${MOMENTS} moments of a migration the data is old or new, and the next start completes it`,
  { timeout: 180_000 },
  async () => {
    const whole = copyOfTheOldData();
    const takes = await migrateCopy(whole);
    expect(stateOf(whole)).toMatchObject({ names: NEWEST, plain: 0, people: PEOPLE });
    const seen = new Set<string>();
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      const folder = copyOfTheOldData();
      await migrateCopy(folder, (takes * (moment + 0.5)) / MOMENTS);
      const after = stateOf(folder);
      const isOld = after.names.length === 1;
      seen.add(isOld ? 'old' : 'new');
      expect(after).toMatchObject({
        names: isOld ? NEWEST.slice(0, 1) : NEWEST,
        plain: isOld ? PEOPLE : 0,
        people: PEOPLE,
        integrity: 'ok',
      });
      expect(after.tables.includes('audit')).toBe(!isOld);
      await migrateCopy(folder);
      expect(stateOf(folder)).toMatchObject({ names: NEWEST, plain: 0, people: PEOPLE, integrity: 'ok' });
      rmSync(folder, { recursive: true });
    }
    expect(seen, 'a kill fell into the migration').toContain('old');
    rmSync(whole, { recursive: true });
  },
);

test('a portal of the first version is migrated with all its data', async () => {
  await migrate();
  const ada = await actorOf('contact_0');
  expect(ada.emailAddress).toBe('Person0@one.example');
  expect((await userByEmail('PERSON7@one.example'))?.prism_guid).toBe('user_7');
  const page = await listDocuments(
    ada,
    'client_1',
    documentQuery.parse({ orderBy: 'name', orderDir: 'asc' }),
  );
  expect(
    (await listDocuments(ada, 'client_1', documentQuery.parse({ name: 's' }))).total,
    'old documents are found by one letter',
  ).toBe(PEOPLE);
  expect(page.total).toBe(PEOPLE);
  const [document] = await bytesOf(ada, ['doc_0']);
  expect(await readAll((document as NonNullable<typeof document>).open())).toEqual(bytes);
  expect(await readAll((document as NonNullable<typeof document>).open({ start: 3, end: 11 }))).toEqual(
    bytes.subarray(3, 12),
  );

  expect(await viewShare(TOKEN, undefined)).toMatchObject({ kind: 'closed', message: 'As agreed' });
  const visit = await openShare(TOKEN, undefined, '192.0.2.7');
  const [shared] = await sharedBytes(TOKEN, visit);
  expect(await readAll((shared as NonNullable<typeof shared>).open())).toEqual(bytes);

  expect(await listMails()).toMatchObject([{ to: 'bank@supplier.example', subject: 'An old mail' }]);
  expect(await installationSecret('oidc-signing-key')).toBe('{"kty":"EC"}');
  const office = await startMailServer();
  expect((await office.deliver()).map(({ mail }) => mail.subject).toSorted()).toEqual([
    'Waits since the first version',
    expect.stringMatching(/ opened the documents you shared$/),
  ]);
  await office.close();
  expect((await verify()).faults).toEqual([]);
  expect(await verifyRights(), 'contacts of before have the digests of newer ones').toEqual({
    rows: PEOPLE + 1,
    faults: [],
  });
});

test('a database of a newer version is refused with instructions and left unchanged', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('0999-from-the-future', '2030-01-01T00:00:00.000Z')`.execute(
    db(),
  );
  await expect(migrate()).rejects.toThrow(/0999-from-the-future.*newer version.*Start that version again/);
  expect((await actorOf('contact_0')).emailAddress).toBe('Person0@one.example');
  await sql`delete from kysely_migration where name = '0999-from-the-future'`.execute(db());
  await migrate();
});
