import { describe, expect, test } from 'vitest';
import { invite } from '#features/identity/invitations/invitations.server.ts';
import { prove } from '#features/identity/second-factors/second-factors.server.ts';
import { rescue } from '#features/identity/recovery/rescue.server.ts';
import { signInWithPasskey, signInWithPassword } from '#features/identity/sign-in/sign-in.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { activityOf, auditGrid } from '#features/office/staff/audit-log.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { withCaller } from '#platform/security/audit.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { watchLog } from '#platform/monitoring/log.server.ts';
import { scrape } from '#platform/monitoring/metrics.server.ts';
import { CANARY, makeCast, person, standAt } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';

/*
 * The traces of a failed sign-in: in the log, the metrics, the audit log and the person's own activity.
 */

const { ada, ben, cleo, zoe, firmOne } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
const NETWORK = '203.0.113.77';
const lines: Record<string, unknown>[] = [];
watchLog((level, line) => void (line.event.startsWith('sign-in.') && lines.push({ level, ...line })));

/**
 * Runs a call that is refused, as a request from NETWORK, then the jobs it enqueued; returns the error code.
 */
async function refused(work: () => Promise<unknown>, network = NETWORK): Promise<string | undefined> {
  const code = await withCaller({ network }, work).then(
    () => 'in',
    (error: unknown) => refusal(error)?.code,
  );
  await runDueJobs();
  return code;
}

const signIn =
  (email: string, network = NETWORK) =>
  () =>
    signInWithPassword({ email, password: 'wrong', network, lang: 'en-us', returnTo: '/' });
const auditEntries = async (parameters: Record<string, string>) =>
  (await readGrid(auditGrid, hart, gridQueryOf(auditGrid, auditGrid.parameters.parse(parameters)))).rows;
const entriesOf = async ({ prismGuid }: Actor) =>
  (
    await db()
      .selectFrom('audit')
      .select(['company_id', 'actor', 'action', 'details'])
      .where('target', '=', prismGuid)
      .where('action', 'like', 'sign-in.%')
      .orderBy('seq')
      .execute()
  ).map((row) => ({ ...row, details: JSON.parse(row.details) as object }));

describe('failed sign-ins', () => {
  test('a failed sign-in is in the log and metrics without address or network, and in the audit log and activity of the person', async () => {
    expect(await refused(signIn('ADA@one.example'))).toBe('SIGN_IN_FAILED');
    expect(lines.at(-1)).toMatchObject({
      level: 'warn',
      event: 'sign-in.failed',
      how: 'password',
      account: expect.stringMatching(/^[\w-]{16}$/) as string,
      from: expect.stringMatching(/^[\w-]{16}$/) as string,
    });
    for (const text of ['one.example', NETWORK]) expect(JSON.stringify(lines)).not.toContain(text);
    expect(await scrape()).toContain('portal_sign_ins_refused_total{how="password",outcome="failed"} 1');
    expect(await entriesOf(ada)).toEqual([
      {
        company_id: firmOne,
        actor: ada.contactId,
        action: 'sign-in.failed',
        details: { how: 'password', network: NETWORK },
      },
    ]);
    const { entries } = await activityOf(ada, undefined);
    expect(entries.map(({ action, how, network, who }) => ({ action, how, network, who }))).toContainEqual({
      action: 'sign-in.failed',
      how: 'password',
      network: NETWORK,
      who: 'Ada Amber',
    });
    expect(
      (await activityOf(ben, undefined)).entries.filter(({ action }) => action.startsWith('sign-in.')),
    ).toEqual([]);
    const [first] = await auditEntries({ action: 'sign-in.failed' });
    expect(first).toMatchObject({ who: 'Ada Amber', network: NETWORK });
  });

  test('a failed sign-in for an unknown address leaves a log line and no entry anywhere', async () => {
    const before = await db().selectFrom('audit').select('seq').execute();
    expect(await refused(signIn('nobody@one.example'))).toBe('SIGN_IN_FAILED');
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in.failed', how: 'password' });
    expect(await db().selectFrom('audit').select('seq').execute()).toHaveLength(before.length);
  });

  test('a sign-in refused for too many attempts is audited once every 15 minutes, and logged once a minute', async () => {
    for (let i = 0; i < 14; i += 1) await refused(signIn(ben.emailAddress));
    const actions = (await entriesOf(ben)).map(({ action }) => action);
    expect(actions).toEqual([...Array.from({ length: 10 }, () => 'sign-in.failed'), 'sign-in.locked']);
    const locked = () => lines.filter(({ event }) => event === 'sign-in.locked');
    expect(locked()).toHaveLength(1);
    standAt(now() + MINUTE + 1);
    for (let i = 0; i < 3; i += 1) await refused(signIn(ben.emailAddress));
    expect(locked()).toHaveLength(2);
  });

  test('a sign-in refused for the limit of its network is not attributed to the last typed address', async () => {
    const network = '203.0.113.99';
    for (let i = 0; i < 60; i += 1)
      await withCaller({ network }, signIn(`nobody-${i}@one.example`, network)).catch(() => undefined);
    expect(await refused(signIn(cleo.emailAddress, network), network)).toBe('TOO_MANY');
    expect(lines.at(-1)).toMatchObject({ event: 'sign-in.locked', how: 'password' });
    expect(lines.at(-1)).not.toHaveProperty('account');
    expect(await entriesOf(cleo)).toEqual([]);
  });

  test('a failed authenticator code, recovery code, passkey or rescue code is recorded as such', async () => {
    standAt(now() + 20 * MINUTE);
    await refused(() => prove(zoe.prismGuid, { kind: 'totp', code: '123456' }, undefined));
    await refused(() => prove(zoe.prismGuid, { kind: 'recovery-code', code: 'AAAA' }, undefined));
    await refused(() => prove(zoe.prismGuid, { kind: 'password', password: 'wrong' }, undefined));
    await refused(() =>
      rescue({ email: zoe.emailAddress, code: '1', password: 'nine green kettles sing', network: NETWORK }),
    );
    expect((await entriesOf(zoe)).map(({ details }) => details)).toEqual(
      ['totp', 'recovery-code', 'password', 'rescue'].map((how) => ({ how, network: NETWORK })),
    );
    await db()
      .insertInto('passkeys')
      .values({
        credential_id: 'key-1',
        prism_guid: cleo.prismGuid,
        name: 'Key',
        public_key: '',
        algorithm: 'ES256',
        counter: 0,
        created_at: now(),
        used_at: null,
      })
      .execute();
    const credential = JSON.stringify({ id: 'key-1', type: 'public-key' });
    expect(
      await refused(() =>
        signInWithPasskey({ credential, challenge: undefined, lang: 'en-us', returnTo: '/' }),
      ),
    ).toBe('CODE_WRONG');
    expect((await entriesOf(cleo)).map(({ details }) => details)).toEqual([
      { how: 'passkey', network: NETWORK },
    ]);
    for (const none of ['{', JSON.stringify({ id: 'key-2' })]) {
      await refused(() =>
        signInWithPasskey({ credential: none, challenge: undefined, lang: 'en-us', returnTo: '/' }),
      );
      expect(lines.at(-1)).toMatchObject({ event: 'sign-in.failed', how: 'passkey' });
    }
  });

  test('a failed sign-in is not visible to another firm', async () => {
    expect(JSON.stringify(await auditEntries({}))).not.toContain(CANARY);
  });
});

test('the audit log shows who was invited', async () => {
  await invite(hart, {
    emailAddress: 'ines@new.example',
    firstName: 'Inês',
    lastName: 'Nova',
    language: 'pt',
    clientIds: [],
  });
  const [entry] = await auditEntries({ action: 'invitation.send' });
  expect(entry).toMatchObject({ who: 'Eleanor Hart', what: 'Inês Nova' });
});
