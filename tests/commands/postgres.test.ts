import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filled } from './acts.ts';
import { lasting, queryPostgres, startCluster } from './postgres.ts';
import {
  act,
  begin,
  command,
  copyOf,
  databaseOf,
  killedAt,
  momentsOf,
  newPlace,
  removePlaces,
  sampleOf,
  startPortal,
  tamper,
  touchesOf,
  type Place,
} from './support.ts';

/*
 * The commands on PostgreSQL: the server of TEST_DATABASE_URL (with an administrator's account), else a
 * temporary cluster of the installed programs.
 */

const cluster = await startCluster();
const portal = newPlace();
const backup = path.join(newPlace().folder, 'backup');
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 6);
  expect((await command(portal, 'backup', ['--to', backup])).code).toBe(0);
});
afterAll(async () => {
  removePlaces();
  await cluster.stop();
});

const onPostgres = async (place = newPlace({}, portal)): Promise<Place> => ({
  ...place,
  env: { DATABASE_URL: await cluster.newDatabase() },
});
const urlOf = (place: Place): string => place.env['DATABASE_URL'] ?? '';

const DEAD = {
  session: false,
  ticket: false,
  transaction: false,
  sentLink: 'over',
  waitingLink: 'over',
  code: false,
  visit: false,
};
const ALIVE = {
  session: true,
  ticket: true,
  transaction: true,
  sentLink: 'open',
  waitingLink: 'closed',
  code: true,
  visit: true,
};

describe('a restore into PostgreSQL', () => {
  test('a restore into PostgreSQL brings everything back, ends everything still open, and refuses a second run', async () => {
    const place = await onPostgres();
    const { code, said } = await command(place, 'restore', ['--from', backup]);
    expect([code, said]).toEqual([0, expect.stringContaining('This is epoch 2.')]);
    expect(lasting(await act(place, 'digests'))).toEqual(lasting(await act(portal, 'digests')));
    expect(await act(place, 'tryAll', filled)).toEqual({
      old: DEAD,
      documentsAreWhole: true,
      leftOver: 0,
      newLinkWorks: true,
      newMails: 2,
      signsIn: true,
    });
    expect((await act(place, 'audit')).faults).toEqual([]);
    const again = await command(place, 'restore', ['--from', backup]);
    expect([again.code, again.said]).toEqual([
      1,
      expect.stringContaining('There is an installation here already.'),
    ]);
  }, 90_000);

  test('a killed restore into PostgreSQL prevents the portal from starting, and the same restore again completes it', async () => {
    const touches = await touchesOf(await onPostgres(), 'restore', ['--from', backup]);
    for (const touch of sampleOf(momentsOf(touches - 4, 4))) {
      const place = await onPostgres();
      expect((await killedAt(touch, place, 'restore', ['--from', backup])).code).toBeNull();
      const started = touch > 12 ? await startPortal(place) : undefined;
      if (started)
        expect([started.code, started.said], `killed at ${touch} of ${touches}`).toEqual([
          1,
          expect.stringContaining('A restore was started here and did not finish.'),
        ]);
      const again = await command(place, 'restore', ['--from', backup]);
      expect([again.code, again.said], `killed at ${touch} of ${touches}`).toEqual([
        0,
        expect.stringContaining('This is epoch 2.'),
      ]);
      expect((await act(place, 'tryAll', filled)).old).toEqual(DEAD);
    }
  }, 240_000);
});

test('a backup of PostgreSQL under load is consistent, and can be restored into SQLite', async () => {
  const place = await onPostgres();
  await command(place, 'restore', ['--from', backup]);
  const quiet = path.join(place.folder, 'quiet');
  expect((await command(place, 'backup', ['--to', quiet])).code).toBe(0);
  const before = await act(place, 'digests');
  const held = { ...newPlace({}, portal), data: quiet };
  const { settings: _own, ...inBackup } = await act(held, 'digests');
  const { settings: _its, ...inPostgres } = before;
  expect(inBackup).toEqual(inPostgres);

  const load = await begin(place, 'busy');
  const busy = path.join(place.folder, 'busy');
  const made = await command(place, 'backup', ['--to', busy]);
  const { done, errors } = await load.end();
  expect(errors).toEqual([]);
  expect(done.uploads).toBeGreaterThan(2);
  expect([made.code, made.said]).toEqual([0, expect.stringContaining('Checked')]);
  const back = newPlace({}, portal);
  const { code, said } = await command(back, 'restore', ['--from', busy]);
  expect([code, said]).toEqual([0, expect.stringContaining('This is epoch 3.')]);
  expect((await act(back, 'tryAll', filled)).documentsAreWhole).toBe(true);
}, 180_000);

test('a key rotation on PostgreSQL under load goes unnoticed', async () => {
  const place = await onPostgres();
  await command(place, 'restore', ['--from', backup]);
  const old = readFileSync(place.keyFile, 'utf8').trim();
  const load = await begin(place, 'busy');
  const { code, said } = await command(place, 'rotate-key');
  const { done, errors } = await load.end();
  expect([code, said]).toEqual([0, expect.stringContaining('is gone from the key file')]);
  expect(errors).toEqual([]);
  expect(done.uploads).toBeGreaterThan(2);
  expect(readFileSync(place.keyFile, 'utf8')).not.toContain(old);
  expect((await command(place, 'verify')).said).toContain('everything is as it was written.');
});

describe('a move to PostgreSQL', () => {
  test('a move to PostgreSQL copies everything unchanged, and people continue where they were', async () => {
    const place = copyOf(portal);
    tamper(databaseOf(place), STRANGE);
    const before = await act(place, 'digests');
    const url = await cluster.newDatabase();
    const { code, said } = await command(place, 'move', ['--to', url]);
    expect([code, said]).toEqual([
      0,
      expect.stringContaining('Everything is alike. Start the portal with DATABASE_URL'),
    ]);
    const moved = { ...place, env: { DATABASE_URL: url } };
    expect(await act(moved, 'digests')).toEqual(before);
    const folders = await queryPostgres(
      url,
      "select child.name, parent.name as inside from containers child join containers parent on parent.container_id = child.parent_id where child.container_id like 'a%' order by child.container_id",
    );
    expect(folders).toEqual([
      { name: 'deepest', inside: 'deeper' },
      { name: 'deeper', inside: 'deep 👩‍💼' },
    ]);
    expect(
      await queryPostgres(
        url,
        "select length(login_page_text) as length, header_line1 from themes where company_id = 'firm_strange'",
      ),
    ).toEqual([{ length: 1_000_000, header_line1: `O'Hara "&" \\ ; -- 𝔘𝔫𝔦 ½ \u{10ffff}` }]);
    expect(await act(moved, 'tryAll', filled)).toMatchObject({
      old: ALIVE,
      documentsAreWhole: true,
      newLinkWorks: true,
      signsIn: true,
    });
    expect((await act(moved, 'audit')).faults).toEqual([]);
  }, 90_000);

  test('a move into a non-empty database is refused, and a second run says what to do', async () => {
    const url = await cluster.newDatabase();
    expect((await command(portal, 'move', ['--to', url])).code).toBe(0);
    const before = await act({ ...portal, env: { DATABASE_URL: url } }, 'digests');
    const again = await command(portal, 'move', ['--to', url]);
    expect([again.code, again.said]).toEqual([
      1,
      expect.stringContaining(
        'already contains a firm. If an earlier move finished, start the portal with DATABASE_URL set to it; otherwise choose an empty database.',
      ),
    ]);
    expect(await act({ ...portal, env: { DATABASE_URL: url } }, 'digests')).toEqual(before);
  });

  test('a killed move leaves an empty database, and the next one completes it', async () => {
    const touches = await touchesOf(portal, 'move', ['--to', await cluster.newDatabase()]);
    for (const touch of sampleOf(momentsOf(touches - 4, 3))) {
      const url = await cluster.newDatabase();
      expect((await killedAt(touch, portal, 'move', ['--to', url])).code).toBeNull();
      const again = await command(portal, 'move', ['--to', url]);
      if (again.code === 1)
        expect(again.said, 'all of it was there already').toContain(
          'If an earlier move finished, start the portal',
        );
      expect(await act({ ...portal, env: { DATABASE_URL: url } }, 'digests')).toEqual(
        await act(portal, 'digests'),
      );
    }
  });

  test('a move without a portal creates none', async () => {
    const nowhere = newPlace({}, portal);
    expect((await command(nowhere, 'move', ['--to', await cluster.newDatabase()])).said).toContain(
      `There is no portal in DATA_DIR=${nowhere.data}.`,
    );
    expect(existsSync(nowhere.data)).toBe(false);
  });
});

test('doctor says nothing of the disk of a node that keeps no data on it', async () => {
  const node = await onPostgres(newPlace());
  const remote = { ...node, env: { ...node.env, BLOB_URL: 's3+http://key:secret@127.0.0.1:1/bucket' } };
  expect(existsSync(remote.data)).toBe(false);
  const { said } = await command(remote, 'doctor');
  expect(said).toMatch(/^\S+ +store /m);
  expect(said).not.toMatch(/^\S+ +disk |ENOENT/m);
  expect(existsSync(remote.data)).toBe(false);
});

describe('the audit log on PostgreSQL', () => {
  test('the audit log on PostgreSQL cannot be changed, and concurrent entries form one unbroken chain', async () => {
    const place = await onPostgres();
    await command(place, 'restore', ['--from', backup]);
    const { refusals, faults } = await act(place, 'changeAudit');
    for (const [name, refusal] of Object.entries(refusals))
      expect(refusal, name).toContain('the audit trail is insert-only');
    await expect(queryPostgres(urlOf(place), 'truncate audit')).rejects.toThrow(
      'the audit trail is insert-only',
    );
    await expect(
      queryPostgres(
        urlOf(place),
        "insert into audit (company_id, seq, at, actor, action, target, details, hash) select company_id, seq, at, 'nobody', action, target, details, hash from audit limit 1 on conflict (company_id, seq) do update set actor = 'nobody'",
      ),
    ).rejects.toThrow('the audit trail is insert-only');
    expect(faults).toEqual([]);
    expect(await act(place, 'auditAtOnce', 32)).toEqual({ added: 32, faults: [] });
    await queryPostgres(
      urlOf(place),
      `drop trigger audit_is_insert_only on audit; update audit set actor = 'nobody' where company_id = '${filled.firmId}' and seq = 4`,
    );
    expect((await act(place, 'audit')).faults).toEqual([
      { companyId: filled.firmId, seq: 4, fault: 'changed' },
    ]);
  });
});

/** Values that engines are known to treat differently, and folders whose ids sort before their parents'. */
const STRANGE = `
insert into firms (company_id, name, phone, email, language, locked) values ('firm_strange', '', 'O''Hara 👩‍💼', 'a''b"c', 'pt', 1);
insert into themes (company_id, header_fill_color, header_text_color, button_fill_color, button_text_color, header_line1, login_page_text, logo_key, logo_type, version) values ('firm_strange', '#000000', '#000000', '#000000', '#000000', 'O''Hara "&" \\ ; -- 𝔘𝔫𝔦 ½ ' || char(1114111), replace(hex(zeroblob(500000)), '00', 'Ωx'), null, null, '');
insert into users (prism_guid, email, email_key, first_name, last_name, language, password_hash, mfa_required, created_at) select 'user_strange', email, 'strange', 'ﬁ', 'Ⅷ' || char(13) || char(10) || char(9), '', null, 1, 9007199254740991 from users limit 1;
insert into contacts (contact_id, company_id, prism_guid, full_name, staff, created_at) values ('contact_strange', 'firm_strange', 'user_strange', char(8238) || 'x', 0, 0);
insert into clients (client_id, company_id, name, name_key, code, kind, created_at) values ('client_strange', 'firm_strange', ' ', ' ', '%_\\', 'individual', -1);
insert into containers (container_id, company_id, client_id, container_type, parent_id, name, name_key, product_type, processing_year, created_by, created_at, modified_at) values ('c_strange', 'firm_strange', 'client_strange', 'folder', null, 'deep 👩‍💼', 'deep', null, null, 'contact_strange', 1, 1);
insert into containers (container_id, company_id, client_id, container_type, parent_id, name, name_key, product_type, processing_year, created_by, created_at, modified_at) values ('b_strange', 'firm_strange', 'client_strange', 'folder', 'c_strange', 'middle', 'middle', null, 32767, 'contact_strange', 1, 1);
insert into containers (container_id, company_id, client_id, container_type, parent_id, name, name_key, product_type, processing_year, created_by, created_at, modified_at) values ('ab_strange', 'firm_strange', 'client_strange', 'folder', 'c_strange', 'deeper', 'deeper', '', -32768, 'contact_strange', 1, 1);
insert into containers (container_id, company_id, client_id, container_type, parent_id, name, name_key, product_type, processing_year, created_by, created_at, modified_at) values ('aa_strange', 'firm_strange', 'client_strange', 'folder', 'ab_strange', 'deepest', 'deepest', null, 0, 'contact_strange', 1, 1);
insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32, blob_key, created_by, uploaded_by_staff, created_at, modified_at, deleted_at)
  select 'doc_strange', 'firm_strange', 'client_strange', 'aa_strange', 'é' || char(769), 'é', '', 9007199254740991, '', 4294967295, 'no such blob', 'contact_strange', 1, 0, 0, 1;
`;
