import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { audit, verifyAudit } from '#platform/security/audit.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction, migrate } from '#platform/database/database.server.ts';

await migrate();
const firm = (): Promise<string> =>
  createFirm({ name: 'Maple & Hart', phone: '', email: 'office@one.example', language: 'en-us' });

/** Adds entries to a firm's audit log, one after another. */
async function happen(companyId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await audit({
      companyId,
      actor: 'contact_ada',
      action: 'document.upload',
      target: `doc_${index}`,
      details: { size: index },
    });
}

const run = (text: string) => sql.raw(text).execute(db());

/** Makes changes that require write access to the database itself, without its triggers. */
async function byRawSql(text: string): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await run('alter table audit disable trigger user');
    await run(text);
    await run('alter table audit enable trigger user');
    return;
  }
  const triggers = await sql<{
    name: string;
    sql: string;
  }>`select name, sql from sqlite_schema where type = 'trigger'`.execute(db());
  for (const { name } of triggers.rows) await run(`drop trigger ${name}`);
  await run(text);
  for (const trigger of triggers.rows) await run(trigger.sql);
}

let companyId = '';
let other = '';
beforeEach(async () => {
  [companyId, other] = [await firm(), await firm()];
  await happen(companyId, 9);
  await happen(other, 3);
});

const faultsOf = async (id: string) =>
  (await verifyAudit()).faults
    .filter((fault) => fault.companyId === id)
    .map(({ seq, fault }) => ({ seq, fault }));

test('an untouched audit log is valid up to its last entry', async () => {
  const before = await verifyAudit();
  await happen(companyId, 2);
  const after = await verifyAudit();
  expect(after.faults).toEqual([]);
  expect(after.entries - before.entries).toBe(2);
});

describe('an attacker with write access to the database', () => {
  test.each([
    ['edits an entry', "update audit set details = '{}' where company_id = 'FIRM' and seq = 4", 4, 'changed'],
    [
      'puts an entry under another name',
      "update audit set actor = 'contact_eve' where company_id = 'FIRM' and seq = 1",
      1,
      'changed',
    ],
    [
      'moves an entry in time',
      "update audit set at = at + 1 where company_id = 'FIRM' and seq = 9",
      9,
      'changed',
    ],
    ['removes an entry', "delete from audit where company_id = 'FIRM' and seq = 5", 5, 'missing'],
    ['removes the first', "delete from audit where company_id = 'FIRM' and seq = 1", 1, 'missing'],
    [
      'removes an entry and closes the gap',
      "delete from audit where company_id = 'FIRM' and seq = 5; update audit set seq = seq - 1 where company_id = 'FIRM' and seq > 5",
      5,
      'changed',
    ],
    [
      'swaps two entries',
      "update audit set seq = -seq where company_id = 'FIRM' and seq in (3, 4); update audit set seq = 7 + seq where company_id = 'FIRM' and seq < 0",
      3,
      'changed',
    ],
    [
      'puts one in between',
      "update audit set seq = -(seq + 1) where company_id = 'FIRM' and seq > 6; update audit set seq = -seq where company_id = 'FIRM' and seq < 0; insert into audit (company_id, seq, at, actor, action, target, details, hash) select company_id, 7, at, actor, action, target, details, hash from audit where company_id = 'FIRM' and seq = 6",
      7,
      'changed',
    ],
    [
      'adds one at the end',
      "insert into audit (company_id, seq, at, actor, action, target, details, hash) select company_id, 10, at, actor, action, target, details, hash from audit where company_id = 'FIRM' and seq = 9",
      10,
      'changed',
    ],
    ['cuts off the end', "delete from audit where company_id = 'FIRM' and seq > 7", 8, 'cut short'],
    ['cuts off everything', "delete from audit where company_id = 'FIRM'", 1, 'cut short'],
    [
      'cuts off the end and sets the head back',
      "delete from audit where company_id = 'FIRM' and seq > 7; update audit_heads set seq = 7 where company_id = 'FIRM'",
      8,
      'cut short',
    ],
    ['removes the head', "delete from audit_heads where company_id = 'FIRM'", 10, 'cut short'],
    [
      'gives an entry to another firm',
      "update audit set company_id = 'OTHER', seq = 4 where company_id = 'FIRM' and seq = 9",
      9,
      'cut short',
    ],
  ])(
    'tampering with the audit log is detected at the first invalid entry: somebody who %s',
    async (_, text, seq, fault) => {
      for (const statement of text.split(';'))
        await byRawSql(statement.replaceAll('FIRM', companyId).replaceAll('OTHER', other));
      expect(await faultsOf(companyId)).toEqual([{ seq, fault }]);
    },
  );

  test('tampering with one firm does not affect the audit logs of others', async () => {
    await byRawSql(`delete from audit where company_id = '${companyId}' and seq = 5`);
    expect(await faultsOf(other)).toEqual([]);
  });
});

describe('database triggers of the audit log', () => {
  test.each([
    ['to change an entry', "update audit set actor = 'contact_eve' where company_id = 'FIRM' and seq = 2"],
    ['to change none of any firm', 'update audit set actor = actor'],
    ['to remove an entry', "delete from audit where company_id = 'FIRM' and seq = 2"],
    ['to remove all', 'delete from audit'],
    // The errors of each engine.
    [
      'to put another in the place of one',
      config.databaseUrl !== undefined
        ? 'truncate audit'
        : "insert or replace into audit (company_id, seq, at, actor, action, target, details, hash) select company_id, seq, at, 'contact_eve', action, target, details, hash from audit where company_id = 'FIRM' and seq = 2",
    ],
    [
      'to change one that is added again',
      "insert into audit (company_id, seq, at, actor, action, target, details, hash) select company_id, seq, at, actor, action, target, details, hash from audit where company_id = 'FIRM' and seq = 2 on conflict (company_id, seq) do update set actor = 'contact_eve'",
    ],
  ])('the database itself refuses %s', async (_, text) => {
    await expect(run(text.replaceAll('FIRM', companyId))).rejects.toThrow('the audit trail is insert-only');
    expect(await faultsOf(companyId)).toEqual([]);
  });
});

test('thirty-two concurrent actions form one unbroken hash chain', async () => {
  const targets = Array.from({ length: 32 }, () => newId('doc'));
  await Promise.all(
    targets.map((target) => audit({ companyId, actor: 'contact_ada', action: 'document.upload', target })),
  );
  expect(await faultsOf(companyId)).toEqual([]);
  const rows = await db()
    .selectFrom('audit')
    .select(['seq', 'target'])
    .where('company_id', '=', companyId)
    .where('seq', '>', 9)
    .orderBy('seq')
    .execute();
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 32 }, (_, index) => index + 10));
  expect(rows.map(({ target }) => target).toSorted()).toEqual(targets.toSorted());
});

test('a rolled back action leaves neither an entry nor a gap', async () => {
  const failing = inTransaction(async () => {
    await audit({ companyId, actor: 'contact_ada', action: 'document.upload', target: 'doc_undone' });
    throw new Error('it did not happen');
  });
  await expect(failing).rejects.toThrow('it did not happen');
  await happen(companyId, 1);
  expect(await faultsOf(companyId)).toEqual([]);
  expect(await db().selectFrom('audit').select('seq').where('target', '=', 'doc_undone').execute()).toEqual(
    [],
  );
});

test('an audit log that grows during verification is valid', async () => {
  const growing = happen(companyId, 40);
  const seen = [];
  for (let looks = 0; looks < 10; looks += 1)
    seen.push(...(await verifyAudit()).faults.filter((fault) => fault.companyId === companyId));
  await growing;
  expect(seen).toEqual([]);
});
