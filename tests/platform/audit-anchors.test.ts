import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFirm } from '#features/base/firms/firms.server.ts';
import {
  anchorFaults,
  recordRestoreInAnchors,
  readAnchors,
  startAnchoring,
  stopAnchoring,
  writeNewAnchors,
} from '#platform/security/audit-anchors.server.ts';
import { audit, verifyAudit } from '#platform/security/audit.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { changeKeys, keyIds, sha256 } from '#platform/security/crypto.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';

/*
 * Tampering that only an anchor outside the database reveals: an audit log rewritten with valid hashes and a
 * valid head (threat-model.md T81).
 */

await migrate();
const file = config.auditAnchors;
const run = (text: string) => sql.raw(text).execute(db());

/** Makes changes that require write access to the database itself, without its triggers. */
async function byRawSql(work: () => Promise<unknown>): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await run('alter table audit disable trigger user');
    await work();
    await run('alter table audit enable trigger user');
    return;
  }
  const triggers = await sql<{
    name: string;
    sql: string;
  }>`select name, sql from sqlite_schema where type = 'trigger'`.execute(db());
  for (const { name } of triggers.rows) await run(`drop trigger ${name}`);
  await work();
  for (const trigger of triggers.rows) await run(trigger.sql);
}

async function happen(companyId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await audit({
      companyId,
      actor: 'contact_ada',
      action: 'document.upload',
      target: `doc_${index}`,
      clientId: 'client_a',
    });
}

/** Rewrites the audit log from an entry on, with valid hashes and head. */
async function rewrite(
  companyId: string,
  from: number,
  change: (row: { actor: string }) => object,
): Promise<void> {
  const rows = await db()
    .selectFrom('audit')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('seq')
    .execute();
  let hash = rows.find(({ seq }) => seq === from - 1)?.hash ?? '0'.repeat(64);
  for (const old of rows.filter(({ seq }) => seq >= from)) {
    const row = { ...old, ...(old.seq === from ? change(old) : {}) };
    hash = sha256(
      JSON.stringify([hash, row.company_id, row.seq, row.at, row.actor, row.action, row.target, row.details]),
    );
    await db()
      .updateTable('audit')
      .set({ ...row, hash })
      .where('company_id', '=', companyId)
      .where('seq', '=', row.seq)
      .execute();
  }
  await db().updateTable('audit_heads').set({ hash }).where('company_id', '=', companyId).execute();
}

let companyId = '';
beforeEach(async () => {
  mkdirSync(config.dataDir, { recursive: true }); // on PostgreSQL and S3 nothing else creates it
  rmSync(file, { force: true });
  companyId = await createFirm({
    name: 'Maple & Hart',
    phone: '',
    email: 'office@one.example',
    language: 'en-us',
  });
  await happen(companyId, 3);
  await writeNewAnchors();
  await happen(companyId, 6);
  await writeNewAnchors();
});

const faultsOf = async (anchors = readAnchors()) =>
  (await verifyAudit(anchors)).faults
    .filter((fault) => fault.companyId === companyId)
    .map(({ seq, fault }) => ({ seq, fault }));

test('an untouched audit log matches its anchors, also after it has grown', async () => {
  expect(readAnchors().get(companyId)?.size).toBe(2);
  await happen(companyId, 4);
  expect(await faultsOf()).toEqual([]);
  expect(anchorFaults()).toEqual({ faults: [], unjudged: 0 });
});

test('only grown audit logs are anchored again, in a file readable by its owner only', async () => {
  const before = readFileSync(file, 'utf8');
  expect(await writeNewAnchors()).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await happen(companyId, 1);
  expect(await writeNewAnchors()).toBe(1);
  expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true);
});

describe('an attacker with write access to the database', () => {
  test('a rewritten audit log with valid hashes is detected by its anchors only', async () => {
    await byRawSql(() => rewrite(companyId, 1, () => ({ actor: 'contact_eve' })));
    expect(await faultsOf(new Map())).toEqual([]);
    expect(await faultsOf()).toEqual([{ seq: 1, fault: 'rewritten' }]);
  });

  test('a rewritten end of an audit log is detected at the first entry after the last valid anchor', async () => {
    await byRawSql(() => rewrite(companyId, 4, () => ({ actor: 'contact_eve' })));
    expect(await faultsOf(new Map())).toEqual([]);
    expect(await faultsOf()).toEqual([{ seq: 4, fault: 'rewritten' }]);
  });

  test('a truncated audit log with an adjusted head is detected at the first missing entry', async () => {
    await byRawSql(async () => {
      const last = await db()
        .selectFrom('audit')
        .select('hash')
        .where('company_id', '=', companyId)
        .where('seq', '=', 7)
        .executeTakeFirstOrThrow();
      await db().deleteFrom('audit').where('company_id', '=', companyId).where('seq', '>', 7).execute();
      await db()
        .updateTable('audit_heads')
        .set({ seq: 7, hash: last.hash })
        .where('company_id', '=', companyId)
        .execute();
    });
    expect(await faultsOf(new Map())).toEqual([]);
    expect(await faultsOf()).toEqual([{ seq: 8, fault: 'cut short' }]);
  });

  test('an audit log deleted with its head is detected', async () => {
    await byRawSql(async () => {
      await db().deleteFrom('audit').where('company_id', '=', companyId).execute();
      await db().deleteFrom('audit_heads').where('company_id', '=', companyId).execute();
    });
    expect(await faultsOf(new Map())).toEqual([]);
    expect(await faultsOf()).toEqual([{ seq: 1, fault: 'cut short' }]);
  });

  test('an entry assigned to another client, whose people would see it, is detected', async () => {
    await byRawSql(() =>
      run(`update audit set client_id = 'client_b' where company_id = '${companyId}' and seq = 5`),
    );
    expect(await faultsOf()).toEqual([{ seq: 5, fault: 'changed' }]);
    await byRawSql(() =>
      run(`update audit set client_id = null where company_id = '${companyId}' and seq = 5`),
    );
    expect(await faultsOf()).toEqual([{ seq: 5, fault: 'changed' }]);
  });
});

describe('audit anchors', () => {
  test('audit anchors changed or added without the key are ignored and reported', async () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const last = lines.findLastIndex((line) => line.includes(companyId));
    writeFileSync(
      file,
      lines.with(last, (lines[last] ?? '').replace(` ${companyId} 9 `, ` ${companyId} 8 `)).join('\n'),
    );
    appendFileSync(
      file,
      `2026-11-21T00:00:00.000Z ${companyId} 9 ${'a'.repeat(64)} ${keyIds()[0]}.AAAA\nnonsense\n`,
    );
    const { faults } = anchorFaults();
    expect(faults.map((fault) => /line \d+/.exec(fault)?.[0])).toEqual([
      `line ${last + 1}`,
      `line ${lines.length}`,
      `line ${lines.length + 1}`,
    ]);
    expect(await faultsOf()).toEqual([]);
    expect([...(readAnchors().get(companyId)?.keys() ?? [])]).toEqual([3]);
  });

  test('a line removed from the audit anchors is detected, except at the end', () => {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    for (const index of lines.keys()) {
      writeFileSync(file, `${lines.toSpliced(index, 1).join('\n')}\n`);
      const missed =
        index === lines.length - 1
          ? []
          : [`before line ${index + 1} of the anchors a line was removed or changed`];
      expect(anchorFaults().faults).toEqual(missed);
    }
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect(anchorFaults().faults).toEqual([]);
  });

  test('audit anchors are also written after a hundred entries, but not by a read-only process', async () => {
    await happen(companyId, 100);
    startAnchoring();
    await happen(companyId, 100);
    await expect.poll(() => [...(readAnchors().get(companyId)?.keys() ?? [])].at(-1)).toBe(209);
    stopAnchoring();
  });

  test('audit anchors of an earlier version are moved out of the data folder and stay valid', async () => {
    const earlier = path.join(config.dataDir, 'audit-anchors.log');
    const old = readFileSync(file, 'utf8');
    copyFileSync(file, earlier);
    rmSync(file);
    expect(readAnchors().get(companyId)?.size).toBe(2);
    await happen(companyId, 1);
    await writeNewAnchors();
    expect([existsSync(earlier), readFileSync(file, 'utf8').startsWith(old)]).toEqual([false, true]);
    expect(readAnchors().get(companyId)?.size).toBe(3);
    expect(anchorFaults().faults).toEqual([]);
  });

  test('audit anchors stay valid after a key rotation, and are written again when the old key is removed', async () => {
    changeKeys(keyIds(), true);
    expect(readAnchors().get(companyId)?.size).toBe(2);
    changeKeys(keyIds().slice(0, 1), false);
    expect(readAnchors().get(companyId)).toBeUndefined();
    expect(anchorFaults()).toMatchObject({
      faults: [],
      unjudged: readFileSync(file, 'utf8').trim().split('\n').length,
    });
    await writeNewAnchors();
    expect([...(readAnchors().get(companyId)?.keys() ?? [])]).toEqual([9]);
  });

  test('audit anchors from before a restore no longer have to match', () => {
    recordRestoreInAnchors();
    expect(readAnchors().size).toBe(0);
    expect(anchorFaults().faults).toEqual([]);
  });

  test('audit anchors can be read from a copy', async () => {
    const copy = path.join(config.dataDir, 'copy-of-anchors.log');
    copyFileSync(file, copy);
    rmSync(file);
    expect([readAnchors().size, existsSync(file)]).toEqual([0, false]);
    await byRawSql(() => rewrite(companyId, 9, () => ({ actor: 'contact_eve' })));
    expect(await faultsOf(readAnchors(copy))).toEqual([{ seq: 4, fault: 'rewritten' }]);
  });
});
