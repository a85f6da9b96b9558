import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';

// The configuration is read once, at import: the address of this test's own provider has to be known before.
const server = http.createServer();
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env['PUBLIC_ORIGIN'] = origin;

const { addFactorAtSignIn, answerOidc, demoCode, finishSignIn, goOnAfterSetUp, isEmbedded, setOwnAddress, signInWithPassword, startSignIn, startTotpAtSignIn, sweepSignIns } = await import('#features/identity/identity.server.ts');
const { createContact } = await import('#features/people/people.server.ts');
const { createFirm } = await import('#features/firms/firms.server.ts');
const { MINUTE, now } = await import('#platform/clock.server.ts');
const { newToken } = await import('#platform/crypto.server.ts');
const { db } = await import('#platform/database.server.ts');
const { ownForwarding } = await import('#platform/front-door.server.ts');
const { everyRow, lockFirm, makeCast, PASSWORD, person, standAt } = await import('../../kit/cast.ts');

setOwnAddress(origin);
server.on('request', (request, response) => {
  ownForwarding(request);
  void answerOidc(request, response);
});
const { ada, zoe, firmOne } = await makeCast();
const locked = await createFirm({ name: 'Closed Books', phone: '', email: 'x@closed.example', language: 'en-us', locked: true });
const leo = await person(locked, 'Leo Locked', 'leo@closed.example');
const priya = await person(firmOne, 'Priya Second', 'priya@one.example', { mfaRequired: true });

afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => server.close(() => resolve()));
});

let callers = 0;
const elsewhere = () => `198.51.100.${(callers += 1)}`;
const signIn = (email: string, password = PASSWORD, network = elsewhere()) => signInWithPassword({ email, password, network, lang: 'en-us', returnTo: '/clientcenter/en-us/documents' });
const pendingIn = ({ cookies }: { cookies: string[] }): string => /pending=([\w-]{43})/.exec(cookies.join())?.[1] ?? '';
const hasTicket = ({ cookies }: { cookies: string[] }): boolean => cookies.some((cookie) => /^ticket=[\w-]{43};/.test(cookie));
const refused = { code: 'SIGN_IN_FAILED' };
const sessionCount = async () => (await everyRow())['sessions']?.length;

/** A browser that keeps cookies and follows redirects up to the sign-in page of the portal. */
async function browse({ location, cookies }: { location: string; cookies: string[] }): Promise<{ callback: URL; jar: Map<string, string> }> {
  const jar = new Map<string, string>();
  const keep = (lines: string[]) => {
    for (const line of lines) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  };
  keep(cookies);
  let next = new URL(location);
  for (let hops = 0; hops < 10 && next.pathname.startsWith('/oidc/'); hops += 1) {
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } });
    keep(answer.headers.getSetCookie());
    const target = answer.headers.get('location');
    if (target === null) throw new Error(`no way on from ${next.pathname}: ${answer.status} ${await answer.text()}`);
    next = new URL(target, next);
  }
  return { callback: next, jar };
}

describe('a password', () => {
  test('that is wrong and an e-mail address that nobody has answer alike', async () => {
    const tell = (work: Promise<unknown>) => work.then(() => 'in', (error: unknown) => ({ ...(error as object), message: (error as Error).message }));
    const wrong = await tell(signIn('ada@one.example', 'wrong'));
    expect(wrong).toMatchObject(refused);
    for (const email of ['nobody@one.example', 'ada@one.example\u0000', "' or 1=1 --", '%@one.example', '']) expect(await tell(signIn(email, 'wrong'))).toEqual(wrong);
  });

  test('that is right starts the flow whatever the letters of the address', async () => {
    const { location, cookies } = await signIn('ADA@One.Example');
    expect(location.startsWith(`${origin}/oidc/auth?`)).toBe(true);
    const query = new URL(location).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)?.length).toBeGreaterThanOrEqual(40);
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly(;|$)/);
    for (const cookie of cookies) expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
    expect(location + cookies.join()).not.toContain(PASSWORD);
  });

  test('may be wrong ten times, then even the right one has to wait; from elsewhere it works', async () => {
    const network = elsewhere();
    for (let i = 0; i < 10; i += 1) await expect(signIn('zoe-CANARY-F2@two.example', 'wrong', network)).rejects.toMatchObject(refused);
    await expect(signIn('zoe-CANARY-F2@two.example', PASSWORD, network)).rejects.toMatchObject({ code: 'TOO_MANY', details: { retryAfter: expect.any(Number) as number } });
    await expect(signIn('ZOE-canary-f2@two.example', PASSWORD, network)).rejects.toMatchObject({ code: 'TOO_MANY' });
    expect(hasTicket(await signIn('zoe-CANARY-F2@two.example', PASSWORD, elsewhere()))).toBe(true);
    expect(hasTicket(await signIn('ada@one.example', PASSWORD, network))).toBe(true);
    standAt(now() + 15 * MINUTE + 1000);
    expect(hasTicket(await signIn('zoe-CANARY-F2@two.example', PASSWORD, network))).toBe(true);
    expect(zoe.emailAddress).toBe('zoe-CANARY-F2@two.example');
  });

  test('of nobody is limited alike: the wait does not tell who exists', async () => {
    const network = elsewhere();
    for (let i = 0; i < 10; i += 1) await expect(signIn('nobody@one.example', 'wrong', network)).rejects.toMatchObject(refused);
    await expect(signIn('nobody@one.example', 'wrong', network)).rejects.toMatchObject({ code: 'TOO_MANY' });
  });

  test('is looked at ten times at most when many tries come at the same moment', async () => {
    const network = elsewhere();
    const tries = await Promise.all(Array.from({ length: 30 }, () => signIn('ada@one.example', 'wrong', network).then(() => 'in', (error: unknown) => (error as { code: string }).code)));
    expect(tries.filter((code) => code === 'SIGN_IN_FAILED')).toHaveLength(10);
    expect(tries.filter((code) => code === 'TOO_MANY')).toHaveLength(20);
  });

  test('tried at one address after the other from one network is stopped as well', async () => {
    const network = elsewhere();
    const codes = new Set<string>();
    for (let i = 0; i < 150; i += 1) codes.add(await signIn(`person-${i}@one.example`, 'Summer2026!', network).then(() => 'in', (error: unknown) => (error as { code: string }).code));
    expect([...codes].sort()).toEqual(['SIGN_IN_FAILED', 'TOO_MANY']);
  });
});

describe('the way through the provider', () => {
  test('signs the right person in, how, and leads to the page first asked for', async () => {
    expect(isEmbedded()).toBe(true);
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    expect(callback.origin + callback.pathname).toBe(`${origin}/clientcenter/en-us/auth`);
    const before = await sessionCount();
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({ actor: { contactId: ada.contactId, companyId: firmOne }, amr: ['pwd'], returnTo: '/clientcenter/en-us/documents' });
    expect(await sessionCount()).toBe(before);
  });

  test('keeps no ticket, transaction or password in readable form', async () => {
    const started = await signIn('ada@one.example');
    const rows = JSON.stringify(await everyRow());
    const secrets = started.cookies.flatMap((cookie) => /=([\w-]{43});/.exec(cookie)?.[1] ?? []);
    expect(secrets).toHaveLength(2);
    for (const secret of [...secrets, PASSWORD]) expect(rows.includes(secret)).toBe(false);
  });

  test('keeps no authorization code in readable form', async () => {
    const { callback } = await browse(await signIn('ada@one.example'));
    const code = callback.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect(JSON.stringify(await everyRow()).includes(code)).toBe(false);
  });

  test('of a person with two firms leads to the one that was first, or is open', async () => {
    const daniel = await person(locked, 'Daniel Two', 'daniel@two.example');
    standAt(now() + 1000);
    const contactId = await createContact({ companyId: firmOne, prismGuid: daniel.prismGuid, fullName: 'Daniel Two' });
    const { callback, jar } = await browse(await signIn('daniel@two.example'));
    expect((await finishSignIn(callback, jar.get('signin'))).actor.contactId).toBe(contactId);
    await lockFirm(locked, false);
    const again = await browse(await signIn('daniel@two.example'));
    expect((await finishSignIn(again.callback, again.jar.get('signin'))).actor.contactId).toBe(daniel.contactId);
    await lockFirm(locked, true);
  });

  test.each([
    ['the firm is locked', leo.emailAddress, 'FIRM_LOCKED_OUT'],
  ])('ends with a reason when %s', async (_, email, code) => {
    const { callback, jar } = await browse(await signIn(email));
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject({ code });
  });

  test('begins only after the second step for who must have one', async () => {
    const started = await signIn(priya.emailAddress);
    expect([started.location, hasTicket(started)]).toEqual(['/clientcenter/en-us/auth/mfa-required', false]);
    const token = pendingIn(started);
    await expect(goOnAfterSetUp(token, 'en-us'), 'nothing was set up').rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    // Whatever another room of the portal thinks that a password is worth: without a second proof the sign-in ends here.
    await db().updateTable('users').set({ mfa_required: 0 }).where('prism_guid', '=', priya.prismGuid).execute();
    const { callback, jar } = await browse(await signIn(priya.emailAddress));
    await db().updateTable('users').set({ mfa_required: 1 }).where('prism_guid', '=', priya.prismGuid).execute();
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject({ code: 'MFA_AUTHENTICATION_REQUIRED' });
  });

  test('tells the session how the person proved who they are', async () => {
    const token = pendingIn(await signIn(priya.emailAddress));
    await startTotpAtSignIn(token);
    const code = await demoCode(priya.prismGuid);
    await addFactorAtSignIn(token, { kind: 'totp', code: code ?? '' });
    const { callback, jar } = await browse(await goOnAfterSetUp(token, 'en-us'));
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({ actor: { contactId: priya.contactId }, amr: ['pwd', 'otp', 'mfa'], returnTo: '/clientcenter/en-us/documents' });
  });

  test('is closed to a code that was used before', async () => {
    const begun = await signIn('ada@one.example');
    await sweepSignIns(); // what is under way stays
    const first = await browse(begun);
    await sweepSignIns();
    await finishSignIn(first.callback, first.jar.get('signin'));
    const second = await browse(await signIn('ada@one.example'));
    const replay = new URL(second.callback);
    replay.searchParams.set('code', first.callback.searchParams.get('code') ?? '');
    await expect(finishSignIn(replay, second.jar.get('signin'))).rejects.toMatchObject(refused);
  });

  test('is closed to a second use of the same transaction, to another state, to another browser and to none', async () => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    await finishSignIn(callback, jar.get('signin'));
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);

    const forged = await browse(await signIn('ada@one.example'));
    const url = new URL(forged.callback);
    url.searchParams.set('state', newToken());
    await expect(finishSignIn(url, forged.jar.get('signin'))).rejects.toMatchObject(refused);
    expect((await finishSignIn(forged.callback, forged.jar.get('signin'))).actor.contactId, 'a forged answer does not break a sign-in that is under way').toBe(ada.contactId);

    const [eve, victim] = [await browse(await signIn('zoe-CANARY-F2@two.example')), await browse(await signIn('ada@one.example'))];
    await expect(finishSignIn(eve.callback, victim.jar.get('signin'))).rejects.toMatchObject(refused);
    for (const token of [undefined, '', newToken()]) await expect(finishSignIn(eve.callback, token)).rejects.toMatchObject(refused);
    expect(await sessionCount()).toBe(0);
  });

  test.each([
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['a refusal of the issuer', (url: URL) => (url.search = `?error=access_denied&state=${url.searchParams.get('state')}`)],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['a code nobody gave', (url: URL) => url.searchParams.set('code', newToken())],
  ])('is closed to an answer with %s', async (_, change) => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    change(callback);
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);
  });

  test('is closed after ten minutes', async () => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    standAt(now() + 10 * MINUTE + 1000);
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);
    await signIn('ada@one.example');
    standAt(now() + 11 * MINUTE);
    await sweepSignIns();
    const rows = await everyRow();
    expect([rows['login_tickets'], rows['sign_in_transactions']]).toEqual([[], []]);
  });

  test('asks for the password each time: without its ticket, or with a used one, nobody gets in', async () => {
    const bare = await browse(await startSignIn('en-us', '/'));
    expect(bare.callback.searchParams.get('code')).toBeNull();
    const started = await signIn('ada@one.example');
    await browse(started);
    const ticket = started.cookies.filter((cookie) => cookie.startsWith('ticket='));
    const again = await startSignIn('en-us', '/');
    const replayed = await browse({ ...again, cookies: [...again.cookies, ...ticket] });
    expect(replayed.callback.searchParams.get('code')).toBeNull();
    const late = await signIn('ada@one.example');
    standAt(now() + MINUTE);
    expect((await browse(late)).callback.searchParams.get('code'), 'with one whose time is over').toBeNull();
  });
});
