import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFirm } from '#features/base/firms/firms.server.ts';
import {
  askForReset,
  resetIsOpen,
  resetPassword,
  sweepResets,
} from '#features/identity/recovery/reset.server.ts';
import { createContact } from '#features/base/people/people.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import {
  BROWSER,
  everyRow,
  makeCast,
  startMailServer,
  PASSWORD,
  person,
  standAt,
} from '../../support/cast.ts';

const { ada, ben, zoe, firmOne, firmTwo } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 2 * HOUR));

const NEW = 'nine green kettles sing';
let callers = 0;
const ask = (email: string) => askForReset({ email, network: `198.51.100.${(callers += 1) % 250}` });
const tokenIn = (text = ''): string => /\/auth\/reset\/([\w-]{43})\b/.exec(text)?.[1] ?? '';
async function linkFor(email: string): Promise<string> {
  await ask(email);
  const [mail] = await mailServer.deliver();
  return tokenIn(mail?.mail.text);
}
const hasPassword = async (prismGuid: string, password: string): Promise<boolean> =>
  secretMatches(
    password,
    (
      await db()
        .selectFrom('users')
        .select('password_hash')
        .where('prism_guid', '=', prismGuid)
        .executeTakeFirstOrThrow()
    ).password_hash,
  );
const set = (token: string, password = NEW) => resetPassword({ token, password, network: '192.0.2.1' });

describe('password reset mails', () => {
  test('a password reset mail reaches the owner of the address, with the branding of the firm, in their language, with our link', async () => {
    const ana = await person(firmOne, 'Ana Aurora', 'ana@one.example', { language: 'pt-BR' });
    await ask('ANA@one.example');
    const mails = await mailServer.deliver();
    expect(mails.map(({ recipients }) => recipients)).toEqual([[ana.emailAddress]]);
    const text = mails[0]?.mail.text ?? '';
    expect(text).toContain('http://127.0.0.1:4999/clientcenter/pt/auth/reset/');
    expect(text).toContain('Maple & Hart');
    expect(mails[0]?.mail.subject).toBe('Redefina sua senha');
    expect(mails[0]?.mail.from?.name).toBe('Maple & Hart');
  });

  test('a password reset mail has no branding if the person belongs to two firms', async () => {
    const dan = await person(firmOne, 'Dan Double', 'dan@two.example');
    await createContact({ companyId: firmTwo, prismGuid: dan.prismGuid, fullName: 'Dan Double' });
    await ask('dan@two.example');
    const [mail] = await mailServer.deliver();
    expect(mail?.mail.from?.name).toBe('Client portal');
    expect(mail?.raw).not.toMatch(/Maple|CANARY/);
  });

  test('a password reset request leaves the same rows and answer whether or not the address is known', async () => {
    const counted = async (email: string) => {
      const before = await everyRow();
      const answer = await ask(email);
      const after = await everyRow();
      const jobs = (rows: typeof after) => rows['jobs'] as { job_id: string; payload: string }[];
      const made = jobs(after).filter((job) => !jobs(before).some(({ job_id: id }) => id === job.job_id));
      return {
        answer,
        grown: Object.keys(after).filter(
          (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
        ),
        payloads: made.map(({ payload }) => payload.length),
      };
    };
    const known = await counted('ada@one.example');
    const unknown = await counted('ida@one.example');
    expect(unknown).toEqual(known);
    expect(known.grown.toSorted()).toEqual(['jobs', 'limits']);
    expect((await mailServer.deliver()).map(({ recipients }) => recipients)).toEqual([['ada@one.example']]);
  });

  test('an address gets at most three password reset mails in an hour, and the answer does not change', async () => {
    for (let i = 0; i < 6; i += 1) expect(await ask('ben@one.example')).toBeUndefined();
    expect(await mailServer.deliver()).toHaveLength(3);
    standAt(now() + HOUR + MINUTE);
    await ask('ben@one.example');
    expect(await mailServer.deliver()).toHaveLength(1);
  });

  test('people whose only firm is locked get no password reset mail', async () => {
    const locked = await createFirm({
      name: 'Closed Books',
      phone: '',
      email: 'x@closed.example',
      language: 'en-us',
      locked: true,
    });
    await person(locked, 'Leo Locked', 'leo@closed.example');
    await ask('leo@closed.example');
    expect(await mailServer.deliver()).toEqual([]);
  });

  test('password reset requests from one network are limited', async () => {
    for (let i = 0; i < 60; i += 1)
      await askForReset({ email: `p${i}@nowhere.example`, network: '203.0.113.9' });
    await expect(askForReset({ email: 'ada@one.example', network: '203.0.113.9' })).rejects.toMatchObject({
      code: 'TOO_MANY',
    });
    await mailServer.discard();
  });

  test('a password reset token is never stored in readable form, neither before nor after the mail is sent', async () => {
    await ask('ada@one.example');
    const [mail] = await mailServer.deliver();
    expect(JSON.stringify(await everyRow()).includes(tokenIn(mail?.mail.text))).toBe(false);
  });
});

describe('password reset links', () => {
  test('a password reset link sets the password once, ends all sessions, is confirmed by mail and signs nobody in', async () => {
    const sessions = [await startSession(ada, BROWSER), await startSession(ada, BROWSER)];
    const bens = await startSession(ben, BROWSER);
    const bensLink = await linkFor(ben.emailAddress);
    const token = await linkFor(ada.emailAddress);
    for (let looks = 0; looks < 3; looks += 1) expect(await resetIsOpen(token)).toBe(true);
    await set(token);
    expect(await hasPassword(ada.prismGuid, NEW)).toBe(true);
    for (const session of sessions) expect(await findSession(session)).toBeUndefined();
    expect(await findSession(bens)).toBeDefined();
    const [notice] = await mailServer.deliver();
    expect([notice?.recipients, notice?.mail.subject]).toEqual([
      [ada.emailAddress],
      'Your password was changed',
    ]);
    expect(notice?.raw).not.toContain(NEW);
    await expect(set(token, 'another kettle of red fish')).rejects.toMatchObject({ code: 'GONE' });
    expect([await resetIsOpen(token), await resetIsOpen(bensLink)]).toEqual([false, true]);
    expect(await hasPassword(ada.prismGuid, NEW)).toBe(true);
    expect(
      (
        await db()
          .selectFrom('audit')
          .select('actor')
          .where('action', '=', 'password.reset')
          .orderBy('seq')
          .execute()
      ).at(-1)?.actor,
    ).toBe(ada.contactId);
    expect((await everyRow())['sessions']).toHaveLength(1);
  });

  test('concurrent uses of a password reset link work for one person', async () => {
    const token = await linkFor(ada.emailAddress);
    const outcomes = await Promise.allSettled([
      set(token, 'the first of two phrases'),
      set(token, 'the second of two phrases'),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await mailServer.discard();
  });

  test('a password reset link is invalid after a newer one, after 30 minutes, and if it was made up', async () => {
    const [older, newer] = [await linkFor(zoe.emailAddress), await linkFor(zoe.emailAddress)];
    await sweepResets();
    expect([await resetIsOpen(older), await resetIsOpen(newer)]).toEqual([false, true]);
    await expect(set(older)).rejects.toMatchObject({ code: 'GONE' });
    standAt(now() + 30 * MINUTE);
    expect(await resetIsOpen(newer)).toBe(false);
    for (const token of [newer, '', 'x'.repeat(43)])
      await expect(set(token)).rejects.toMatchObject({ code: 'GONE' });
    expect(await hasPassword(zoe.prismGuid, PASSWORD)).toBe(true);
    await sweepResets();
    expect((await everyRow())['password_resets']).toEqual([]);
  });

  test('a password that is not allowed does not use up the password reset link', async () => {
    const token = await linkFor(ben.emailAddress);
    for (const [password, why] of [
      ['short', 'tooShort'],
      ['welcome2026!!', 'common'],
      ['Ben Birch 2026', 'personal'],
      ['maple-and-hart!', 'personal'],
    ] as const) {
      await expect(set(token, password), password).rejects.toMatchObject({
        code: 'INVALID',
        details: { password: why },
      });
    }
    expect(await hasPassword(ben.prismGuid, PASSWORD)).toBe(true);
    await set(token);
    expect(await hasPassword(ben.prismGuid, NEW)).toBe(true);
    await mailServer.discard();
  });

  test('a password reset job that runs twice makes one link', async () => {
    await ask(ada.emailAddress);
    await db()
      .updateTable('jobs')
      .set({ unique_key: 'kept' })
      .where('kind', '=', 'password-reset')
      .where('done_at', 'is', null)
      .execute();
    const job = await db()
      .selectFrom('jobs')
      .selectAll()
      .where('unique_key', '=', 'kept')
      .executeTakeFirstOrThrow();
    const [mail] = await mailServer.deliver();
    await db()
      .updateTable('jobs')
      .set({ done_at: null, payload: job.payload, run_at: now() })
      .where('unique_key', '=', 'kept')
      .execute();
    expect(await mailServer.deliver()).toEqual([]);
    expect(await resetIsOpen(tokenIn(mail?.mail.text))).toBe(true);
  });
});
