import { afterAll, describe, expect, test } from 'vitest';
import { assertRecentlyAuthenticated, endSessionsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { endOwnSession, renewSession } from '#features/identity/sessions/devices.server.ts';
import {
  endSession,
  findSession,
  startSession,
  sweepSessions,
} from '#features/identity/sessions/sessions.server.ts';
import {
  findTokenSession,
  issueApiToken,
  issueLink,
  apiTokenIn,
  peekAtLink,
  redeemLink,
  sessionSince,
} from '#features/identity/sessions/tokens.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import { BROWSER, everyRow, lockFirm, makeCast, startMailServer, standAt } from '../../support/cast.ts';

const { ada, ben, zoe, firmOne } = await makeCast();
const path = '/api/security/v1/long-tokens';
const proofNow = () => ({ amr: ['pwd'], authenticatedAt: now(), since: now() });
const issue = (actor: Actor, kind: 'link' | 'api', hours?: number) =>
  kind === 'link' ? issueLink(actor, proofNow()) : issueApiToken(sessionAs(actor), hours);
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

interface Issued {
  longToken: string;
  tokenId: string;
  expiresAt: string;
}

async function issueByCall(): Promise<Issued> {
  const session = await findSession(await startSession(ada, BROWSER));
  const answer = await apiAs(ada, session)('POST', path, { json: { kind: 'api', hours: 2 } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Issued;
}

describe('API tokens', () => {
  test('an API token authenticates calls as the contact who made it, until it expires', async () => {
    const { longToken, expiresAt } = await issueByCall();
    expect(longToken).toMatch(/^[\w-]{43}$/);
    expect((await findTokenSession(longToken))?.actor.contactId).toBe(ada.contactId);
    const end = Date.parse(expiresAt);
    expect(end - now()).toBeGreaterThan(2 * HOUR - MINUTE);
    standAt(end - SECOND);
    expect(await findTokenSession(longToken)).toBeDefined();
    standAt(end + SECOND);
    expect(await findTokenSession(longToken)).toBeUndefined();
  });

  test('an API token is valid for at most twelve hours, whatever is requested', async () => {
    const { expiresAt } = await issue(ada, 'api', 99);
    expect(expiresAt - now()).toBeLessThanOrEqual(12 * HOUR);
    expect((await apiAs(ada)('POST', path, { json: { kind: 'api', hours: 13 } })).status).toBe(422);
  });

  test('an API token is not stored in the database, and is shown once', async () => {
    const { longToken, tokenId } = await issueByCall();
    expect(JSON.stringify(await everyRow())).not.toContain(longToken);
    const listed = await (await apiAs(ada)('GET', path)).text();
    expect(listed).toContain(tokenId);
    for (const secret of [longToken, sha256(longToken)]) expect(listed).not.toContain(secret);
  });

  test('API tokens are listed and revoked by their owner, and by nobody else', async () => {
    const { longToken, tokenId } = await issueByCall();
    expect(await (await apiAs(ben)('GET', path)).text()).not.toContain(tokenId);
    for (const other of [ben, zoe])
      expect((await apiAs(other)('DELETE', `${path}/${tokenId}`)).status).toBe(404);
    expect(await findTokenSession(longToken)).toBeDefined();
    expect((await apiAs(ada)('DELETE', `${path}/${tokenId}`)).status).toBe(200);
    expect(await findTokenSession(longToken)).toBeUndefined();
    expect((await apiAs(ada)('DELETE', `${path}/${tokenId}`)).status).toBe(404);
  });

  test("an API token ends with everything else of its owner, and with nobody else's", async () => {
    const [own, other] = [await issue(ben, 'api'), await issue(zoe, 'api')];
    await endSessionsOf(ben.prismGuid);
    expect([
      await findTokenSession(own.token),
      (await findTokenSession(other.token))?.actor.contactId,
    ]).toEqual([undefined, zoe.contactId]);
    expect((await apiAs(zoe)('DELETE', `${path}/${other.tokenId}`)).status).toBe(200);
  });

  test('the token list shows only API tokens and when they were last used, without link tokens and expired ones', async () => {
    const [used, unused] = [await issue(zoe, 'api', 1), await issue(zoe, 'api', 2)];
    const link = await issue(zoe, 'link');
    await findTokenSession(used.token);
    const listed = async () =>
      (
        (await (await apiAs(zoe)('GET', path)).json()) as {
          tokens: { tokenId: string; lastUsedAt: string | null }[];
        }
      ).tokens
        .map(({ tokenId, lastUsedAt }) => [tokenId, lastUsedAt !== null])
        .toSorted();
    expect(await listed()).toEqual(
      [
        [used.tokenId, true],
        [unused.tokenId, false],
      ].toSorted(),
    );
    expect(
      (await apiAs(zoe)('DELETE', `${path}/${link.tokenId}`)).status,
      'a link is no token of a program',
    ).toBe(404);
    standAt(now() + 61 * MINUTE);
    expect(await listed()).toEqual([[unused.tokenId, false]]);
    expect((await apiAs(zoe)('DELETE', `${path}/${unused.tokenId}`)).status).toBe(200);
  });

  test('an API token cannot make other tokens or switch accounts, and is not a fresh proof', async () => {
    const { longToken } = await issueByCall();
    const session = await findTokenSession(longToken);
    expect((await apiAs(ada, session)('POST', path, { json: { kind: 'api' } })).status).toBe(403);
    expect(
      (
        await apiAs(ada, session)('POST', '/api/security/v1/account-switch', {
          json: { contactId: ada.contactId },
        })
      ).status,
    ).toBe(403);
    expect(() => assertRecentlyAuthenticated(session as NonNullable<typeof session>)).toThrow('STEP_UP');
  });

  test('an API token ends when its program signs out, and with all sessions of the person', async () => {
    const [one, two] = [await issueByCall(), await issueByCall()];
    expect(
      (await apiAs(ada, await findTokenSession(one.longToken))('DELETE', '/api/security/v1/session')).status,
    ).toBe(200);
    expect(await findTokenSession(one.longToken)).toBeUndefined();
    expect(await findTokenSession(two.longToken)).toBeDefined();
    await endSessionsOf(ada.prismGuid);
    expect(await findTokenSession(two.longToken)).toBeUndefined();
  });

  const signIn = async () => {
    const session = await findSession(await startSession(ada, BROWSER));
    if (!session) throw new Error('nobody is signed in');
    return { session, token: (await issueApiToken(session)).token };
  };

  test('an API token ends when the session that issued it is signed out, here or from the list of devices', async () => {
    const [first, second, third] = [await signIn(), await signIn(), await signIn()];
    await endSession(first.session.id);
    await endOwnSession(third.session, second.session.id);
    expect(
      await Promise.all(
        [first, second, third].map(async ({ token }) => (await findTokenSession(token)) !== undefined),
      ),
    ).toEqual([false, false, true]);
  });

  test('an API token ends with its session even if that got a new id after a step-up', async () => {
    const { session, token } = await signIn();
    const renewed = await findSession((await renewSession(session, ['otp'])).token);
    expect(await findTokenSession(token)).toBeDefined();
    await endSession(renewed?.id ?? '');
    expect(await findTokenSession(token)).toBeUndefined();
  });

  test('an API token keeps working while the browser is idle, but no longer than the sign-in may last', async () => {
    const cookie = await startSession(ada, BROWSER);
    standAt(now() + 20 * MINUTE);
    const session = await findSession(cookie);
    const { token, expiresAt } = await issueApiToken(sessionAs(ada, { id: session?.id ?? '' }));
    expect(expiresAt - now()).toBeLessThanOrEqual(12 * HOUR - 20 * MINUTE);
    standAt(now() + HOUR);
    expect(await findSession(cookie), 'the session was left alone').toBeUndefined();
    await sweepSessions();
    expect(await findTokenSession(token)).toBeDefined();
  });

  test('only recently authenticated people can make API tokens, while a link token needs no recent proof', async () => {
    const session = sessionAs(ada, { authenticatedAt: now() - 6 * MINUTE });
    const answer = await apiAs(ada, session)('POST', path, { json: { kind: 'api' } });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('STEP_UP')]);
    expect((await apiAs(ada, session)('POST', path, { json: { kind: 'link' } })).status).toBe(200);
  });

  test('a new API token is announced to its owner by a mail that does not contain it', async () => {
    await mailServer.discard();
    const { token } = await issue(ada, 'api');
    const mails = await mailServer.deliver();
    expect(mails.map(({ recipients, mail }) => [recipients, mail.subject])).toEqual([
      [[ada.emailAddress], 'An API token was created for your account'],
    ]);
    expect(mails[0]?.mail.text).toContain('/profile/security');
    expect(mails[0]?.raw).not.toContain(token);
  });

  test('an API token does not work while the firm is locked', async () => {
    const { longToken } = await issueByCall();
    await lockFirm(firmOne, true);
    expect(await findTokenSession(longToken)).toBeUndefined();
    await lockFirm(firmOne, false);
  });

  test('an API token is accepted in the header with two schemes, but not as a cookie or truncated', () => {
    const token = 'a'.repeat(43);
    for (const authorization of [`LongToken ${token}`, `Bearer ${token}`, `bearer ${token}`])
      expect(apiTokenIn({ authorization })).toBe(token);
    for (const authorization of [
      undefined,
      '',
      token,
      `Basic ${token}`,
      'Bearer short',
      `Bearer ${token}x`,
      `LongToken ${token} ${token}`,
    ])
      expect(apiTokenIn({ ...(authorization !== undefined && { authorization }) })).toBeUndefined();
  });

  test('a person has at most twenty API tokens', async () => {
    for (let i = 0; i < 20; i += 1) await issue(zoe, 'api');
    expect((await apiAs(zoe)('POST', path, { json: { kind: 'api' } })).status).toBe(429);
  });
});

describe('link tokens', () => {
  test('a link token works once, and previewing the link does not use it up', async () => {
    const { token } = await issue(ada, 'link');
    for (let look = 0; look < 3; look += 1) expect((await peekAtLink(token))?.contactId).toBe(ada.contactId);
    expect((await redeemLink(token)).actor.contactId).toBe(ada.contactId);
    for (const none of [token, '', undefined]) expect(await peekAtLink(none)).toBeUndefined();
    await expect(redeemLink(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });

  test('concurrent uses of a link token let one in', async () => {
    const { token } = await issue(ada, 'link');
    const outcomes = await Promise.allSettled([redeemLink(token), redeemLink(token), redeemLink(token)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a link token works for exactly sixty seconds', async () => {
    const [early, late] = [await issue(ada, 'link'), await issue(ada, 'link')];
    const started = now();
    standAt(started + 58 * SECOND);
    expect((await redeemLink(early.token)).actor.contactId).toBe(ada.contactId);
    standAt(started + 61 * SECOND);
    expect(await peekAtLink(late.token)).toBeUndefined();
    await expect(redeemLink(late.token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('a link token does not authenticate calls, and an API token does not open a session', async () => {
    expect(await findTokenSession((await issue(ada, 'link')).token)).toBeUndefined();
    const { token } = await issue(ada, 'api');
    expect(await peekAtLink(token)).toBeUndefined();
    await expect(redeemLink(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('an unknown link token is refused like a used one', async () => {
    for (const token of [undefined, '', 'x', 'a'.repeat(43)])
      await expect(redeemLink(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('a link token does not work while the firm is locked', async () => {
    const { token } = await issueLink(ada, proofNow());
    await lockFirm(firmOne, true);
    await expect(redeemLink(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await lockFirm(firmOne, false);
  });

  test('a link token passes on the proofs and their times, and no more', async () => {
    const proof = { amr: ['pwd', 'otp'], authenticatedAt: now() - 4 * HOUR, since: now() - 5 * HOUR };
    const { token } = await issueLink(ada, proof);
    expect((await redeemLink(token)).proof).toEqual(proof);
  });

  test('a link token expires no later than the session that issued it, however old other sessions are', async () => {
    const sessions = await Promise.all(
      [ada, ben, zoe].map(async (actor) => findSession(await startSession(actor, BROWSER))),
    );
    for (const [place, session] of sessions.entries())
      await db()
        .updateTable('sessions')
        .set({ created_at: 1000 * (place + 1) })
        .where('session_hash', '=', session?.id ?? '')
        .execute();
    expect(await Promise.all(sessions.map(async (session) => session && sessionSince(session)))).toEqual([
      1000, 2000, 3000,
    ]);
  });

  test('only expired link tokens are swept', async () => {
    const [{ token }, { token: live }] = [await issue(ben, 'link'), await issue(ben, 'api', 1)];
    standAt(now() + 61 * SECOND);
    await sweepSessions();
    expect(JSON.stringify((await everyRow())['long_tokens'])).not.toContain(sha256(token));
    expect(await findTokenSession(live)).toBeDefined();
  });
});

test('staff viewing as a contact cannot issue tokens for them', async () => {
  await expect(issue({ ...ada, viewedBy: 'contact_staff' }, 'link')).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});
