import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';

// The configuration is read once at import, so the address of this test's own provider has to be known first.
const server = http.createServer();
await once(server.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.env['PUBLIC_ORIGIN'] = origin;

const { addFactorAtSignIn, startTotpAtSignIn } =
  await import('#features/identity/second-factors/second-factors.server.ts');
const { answerOidc } = await import('#features/identity/sign-in/provider.server.ts');
const { demoCode } = await import('#features/identity/second-factors/totp.server.ts');
const { finishSignIn, goOnAfterSetUp, isEmbedded, setOwnAddress, signInWithPassword, startSignIn } =
  await import('#features/identity/sign-in/sign-in.server.ts');
const { sweepStarted } = await import('#features/identity/sign-in/sweeps.server.ts');
const { renewSigningKey } = await import('#features/identity/sign-in/signing-keys.server.ts');
const { createContact } = await import('#features/base/people/people.server.ts');
const { createFirm } = await import('#features/base/firms/firms.server.ts');
const { DAY, HOUR, MINUTE, now } = await import('#platform/runtime/clock.server.ts');
const { newToken } = await import('#platform/security/crypto.server.ts');
const { db } = await import('#platform/database/database.server.ts');
const { overwriteForwardedHeaders } = await import('#platform/http/http-security.server.ts');
const { encryptFor } = await import('#platform/security/encryption.server.ts');
const { everyRow, lockFirm, makeCast, PASSWORD, person, standAt } = await import('../../support/cast.ts');
const { browse } = await import('../../support/sign-in-browser.ts');
await import('../../../src/app.server.ts');

setOwnAddress(origin);
const tokenAnswers: string[] = [];
server.on('request', (request, response) => {
  overwriteForwardedHeaders(request);
  if (request.url === '/oidc/token') listen(response);
  void answerOidc(request, response);
});
/** Records the tokens that the provider returns for a code. */
function listen(response: http.ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown) => {
    tokenAnswers.push(String(body));
    return end(body);
  }) as typeof response.end;
}
const { ada, zoe, firmOne } = await makeCast();
const locked = await createFirm({
  name: 'Closed Books',
  phone: '',
  email: 'x@closed.example',
  language: 'en-us',
  locked: true,
});
const leo = await person(locked, 'Leo Locked', 'leo@closed.example');
const priya = await person(firmOne, 'Priya Second', 'priya@one.example', { mfaRequired: true });

afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => server.close(() => resolve()));
});

let callers = 0;
const elsewhere = () => `198.51.100.${(callers += 1)}`;
const signIn = (email: string, password = PASSWORD, network = elsewhere()) =>
  signInWithPassword({ email, password, network, lang: 'en-us', returnTo: '/clientcenter/en-us/documents' });
const pendingIn = ({ cookies }: { cookies: string[] }): string =>
  /pending=([\w-]{43})/.exec(cookies.join())?.[1] ?? '';
const hasTicket = ({ cookies }: { cookies: string[] }): boolean =>
  cookies.some((cookie) => /^ticket=[\w-]{43};/.test(cookie));
const refused = { code: 'SIGN_IN_FAILED' };
const sessionCount = async () => (await everyRow())['sessions']?.length;

describe('a password at sign-in', () => {
  test('a wrong password and an unknown email address give the same answer', async () => {
    const tell = (work: Promise<unknown>) =>
      work.then(
        () => 'in',
        (error: unknown) => ({ ...(error as object), message: (error as Error).message }),
      );
    const wrong = await tell(signIn('ada@one.example', 'wrong'));
    expect(wrong).toMatchObject(refused);
    for (const email of ['nobody@one.example', 'ada@one.example\u0000', "' or 1=1 --", '%@one.example', ''])
      expect(await tell(signIn(email, 'wrong'))).toEqual(wrong);
  });

  test('the right password starts the flow regardless of the case of the address', async () => {
    const { location, cookies } = await signIn('ADA@One.Example');
    expect(location.startsWith(`${origin}/oidc/auth?`)).toBe(true);
    const query = new URL(location).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(query.get(name)?.length).toBeGreaterThanOrEqual(40);
    for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly(;|$)/);
    for (const cookie of cookies) expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
    expect(location + cookies.join()).not.toContain(PASSWORD);
  });

  test('after ten wrong passwords even the right one must wait, but not from elsewhere', async () => {
    const network = elsewhere();
    for (let i = 0; i < 10; i += 1)
      await expect(signIn('zoe-CANARY-F2@two.example', 'wrong', network)).rejects.toMatchObject(refused);
    await expect(signIn('zoe-CANARY-F2@two.example', PASSWORD, network)).rejects.toMatchObject({
      code: 'TOO_MANY',
      details: { retryAfter: expect.any(Number) as number },
    });
    await expect(signIn('ZOE-canary-f2@two.example', PASSWORD, network)).rejects.toMatchObject({
      code: 'TOO_MANY',
    });
    expect(hasTicket(await signIn('zoe-CANARY-F2@two.example', PASSWORD, elsewhere()))).toBe(true);
    expect(hasTicket(await signIn('ada@one.example', PASSWORD, network))).toBe(true);
    standAt(now() + 15 * MINUTE + 1000);
    expect(hasTicket(await signIn('zoe-CANARY-F2@two.example', PASSWORD, network))).toBe(true);
    expect(zoe.emailAddress).toBe('zoe-CANARY-F2@two.example');
  });

  test('an unknown address is limited alike, so that the wait does not reveal who exists', async () => {
    const network = elsewhere();
    for (let i = 0; i < 10; i += 1)
      await expect(signIn('nobody@one.example', 'wrong', network)).rejects.toMatchObject(refused);
    await expect(signIn('nobody@one.example', 'wrong', network)).rejects.toMatchObject({ code: 'TOO_MANY' });
  });

  test('of many concurrent attempts at most ten check the password', async () => {
    const network = elsewhere();
    const tries = await Promise.all(
      Array.from({ length: 30 }, () =>
        signIn('ada@one.example', 'wrong', network).then(
          () => 'in',
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    );
    expect(tries.filter((code) => code === 'SIGN_IN_FAILED')).toHaveLength(10);
    expect(tries.filter((code) => code === 'TOO_MANY')).toHaveLength(20);
  });

  test('attempts at many addresses from one network are stopped as well', async () => {
    const network = elsewhere();
    const codes = new Set<string>();
    for (let i = 0; i < 150; i += 1)
      codes.add(
        await signIn(`person-${i}@one.example`, 'Summer2026!', network).then(
          () => 'in',
          (error: unknown) => (error as { code: string }).code,
        ),
      );
    expect([...codes].sort()).toEqual(['SIGN_IN_FAILED', 'TOO_MANY']);
  });
});

describe('the identity provider', () => {
  const rows = async (): Promise<number> => (await everyRow())['oidc_payloads']?.length ?? 0;
  const ticketIn = (started: { cookies: string[] }): string =>
    /^ticket=[\w-]{43}/m.exec(started.cookies.join('\n'))?.[0] ?? '';
  const go = async (url: string | URL, cookie = '', init: RequestInit = {}) => {
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      headers: [...answer.headers.keys()],
    };
  };
  const refusedBy = { status: 303, location: '/clientcenter/' };

  test('the provider starts nothing for somebody without a ticket, however long their parameters', async () => {
    const { location } = await startSignIn('en-us', '/');
    const long = new URL(location);
    long.searchParams.set('state', 'x'.repeat(7000));
    const before = await rows();
    for (const cookie of ['', 'ticket=', `ticket=${newToken()}`]) {
      for (const url of [location, long]) expect(await go(url, cookie)).toMatchObject(refusedBy);
    }
    expect(await rows()).toBe(before);
  });

  test('a ticket starts a sign-in up to five times while it is valid', async () => {
    const started = await signIn('ada@one.example');
    const before = await rows();
    for (let i = 0; i < 5; i += 1)
      expect((await go(started.location, ticketIn(started))).location).toContain('/oidc/interaction/');
    const after = await rows();
    expect([after > before, await go(started.location, ticketIn(started)), await rows()]).toMatchObject([
      true,
      refusedBy,
      after,
    ]);
    const late = await signIn('ada@one.example');
    standAt(now() + MINUTE + 1000);
    expect(await go(late.location, ticketIn(late))).toMatchObject(refusedBy);
  });

  test.each(['state', 'nonce'])('the provider refuses a %s longer than 256 characters', async (name) => {
    const started = await signIn('ada@one.example');
    const url = new URL(started.location);
    const before = await rows();
    url.searchParams.set(name, 'x'.repeat(257));
    expect(await go(url, ticketIn(started))).toMatchObject(refusedBy);
    expect(await rows()).toBe(before);
    url.searchParams.set(name, 'x'.repeat(256));
    expect((await go(url, ticketIn(started))).location).toContain('/oidc/interaction/');
  });

  test('the provider returns only what a sign-in needs, to no other site', async () => {
    const answers = (method: string, path: string) =>
      go(`${origin}/oidc${path}`, '', {
        method,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
      });
    const open = [
      await answers('GET', '/jwks'),
      await answers('GET', '/.well-known/openid-configuration'),
      await answers('POST', '/token'),
    ];
    expect(open.map(({ status }) => status)).toEqual([200, 200, 400]);
    const closed = [
      ['OPTIONS', '/jwks'],
      ['OPTIONS', '/token'],
      ['GET', '/me'],
      ['POST', '/auth'],
      ['HEAD', '/auth'],
      ['GET', '/AUTH'],
      ['GET', '/auth/'],
      ['POST', '/request'],
      ['GET', '/session/end'],
      ['GET', '/'],
    ];
    const refusals = await Promise.all(closed.map(([method = '', path = '']) => answers(method, path)));
    expect(refusals.map(({ status }) => status)).toEqual(closed.map(() => 404));
    expect(
      [...open, ...refusals].flatMap(({ headers }) =>
        headers.filter((name) => name.startsWith('access-control-')),
      ),
    ).toEqual([]);
  });
});

describe('the authorization code flow', () => {
  test('a sign-in gives the right person a session with its methods and redirects to the page first requested', async () => {
    expect(isEmbedded()).toBe(true);
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    expect(callback.origin + callback.pathname).toBe(`${origin}/clientcenter/en-us/auth`);
    const before = await sessionCount();
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({
      actor: { contactId: ada.contactId, companyId: firmOne },
      amr: ['pwd'],
      returnTo: '/clientcenter/en-us/documents',
    });
    expect(await sessionCount()).toBe(before);
  });

  test('a sign-in stores no ticket, transaction or password in readable form', async () => {
    const started = await signIn('ada@one.example');
    const rows = JSON.stringify(await everyRow());
    const secrets = started.cookies.flatMap((cookie) => /=([\w-]{43});/.exec(cookie)?.[1] ?? []);
    expect(secrets).toHaveLength(3);
    for (const secret of [...secrets, PASSWORD]) expect(rows.includes(secret)).toBe(false);
  });

  test('a sign-in stores no authorization code in readable form', async () => {
    const { callback } = await browse(await signIn('ada@one.example'));
    const code = callback.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect(JSON.stringify(await everyRow()).includes(code)).toBe(false);
  });

  test('a person with two firms is signed in to the first one, or to the one not locked', async () => {
    const daniel = await person(locked, 'Daniel Two', 'daniel@two.example');
    standAt(now() + 1000);
    const contactId = await createContact({
      companyId: firmOne,
      prismGuid: daniel.prismGuid,
      fullName: 'Daniel Two',
    });
    const { callback, jar } = await browse(await signIn('daniel@two.example'));
    expect((await finishSignIn(callback, jar.get('signin'))).actor.contactId).toBe(contactId);
    await lockFirm(locked, false);
    const again = await browse(await signIn('daniel@two.example'));
    expect((await finishSignIn(again.callback, again.jar.get('signin'))).actor.contactId).toBe(
      daniel.contactId,
    );
    await lockFirm(locked, true);
  });

  test.each([['the firm is locked', leo.emailAddress, 'FIRM_LOCKED_OUT']])(
    'a sign-in ends with an error when %s',
    async (_, email, code) => {
      const { callback, jar } = await browse(await signIn(email));
      await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject({ code });
    },
  );

  test('a sign-in starts only after the second step for those who need one', async () => {
    const started = await signIn(priya.emailAddress);
    expect([started.location, hasTicket(started)]).toEqual(['/clientcenter/en-us/auth/mfa-required', false]);
    const token = pendingIn(started);
    await expect(goOnAfterSetUp(token, 'en-us'), 'nothing was set up').rejects.toMatchObject({
      code: 'SIGN_IN_FAILED',
    });
    // Whatever another feature thinks of the password, without a second factor the sign-in ends here.
    await db()
      .updateTable('users')
      .set({ mfa_required: 0 })
      .where('prism_guid', '=', priya.prismGuid)
      .execute();
    const { callback, jar } = await browse(await signIn(priya.emailAddress));
    await db()
      .updateTable('users')
      .set({ mfa_required: 1 })
      .where('prism_guid', '=', priya.prismGuid)
      .execute();
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject({
      code: 'MFA_AUTHENTICATION_REQUIRED',
    });
  });

  test('the session records how the person authenticated', async () => {
    const token = pendingIn(await signIn(priya.emailAddress));
    await startTotpAtSignIn(token);
    const code = await demoCode(priya.prismGuid);
    await addFactorAtSignIn(token, { kind: 'totp', code: code ?? '' });
    const { callback, jar } = await browse(await goOnAfterSetUp(token, 'en-us'));
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({
      actor: { contactId: priya.contactId },
      amr: ['pwd', 'otp', 'mfa'],
      returnTo: '/clientcenter/en-us/documents',
    });
  });

  test('a used authorization code is refused', async () => {
    const begun = await signIn('ada@one.example');
    await sweepStarted(); // pending sign-ins are kept
    const first = await browse(begun);
    await sweepStarted();
    await finishSignIn(first.callback, first.jar.get('signin'));
    const second = await browse(await signIn('ada@one.example'));
    const replay = new URL(second.callback);
    replay.searchParams.set('code', first.callback.searchParams.get('code') ?? '');
    await expect(finishSignIn(replay, second.jar.get('signin'))).rejects.toMatchObject(refused);
  });

  test('a used transaction, another state, another browser and a missing one are refused', async () => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    await finishSignIn(callback, jar.get('signin'));
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);

    const forged = await browse(await signIn('ada@one.example'));
    const url = new URL(forged.callback);
    url.searchParams.set('state', newToken());
    await expect(finishSignIn(url, forged.jar.get('signin'))).rejects.toMatchObject(refused);
    expect(
      (await finishSignIn(forged.callback, forged.jar.get('signin'))).actor.contactId,
      'a forged answer does not break a sign-in that is under way',
    ).toBe(ada.contactId);

    const [eve, victim] = [
      await browse(await signIn('zoe-CANARY-F2@two.example')),
      await browse(await signIn('ada@one.example')),
    ];
    await expect(finishSignIn(eve.callback, victim.jar.get('signin'))).rejects.toMatchObject(refused);
    for (const token of [undefined, '', newToken()])
      await expect(finishSignIn(eve.callback, token)).rejects.toMatchObject(refused);
    expect(await sessionCount()).toBe(0);
  });

  test.each([
    ['no code', (url: URL) => url.searchParams.delete('code')],
    [
      'a refusal of the issuer',
      (url: URL) => (url.search = `?error=access_denied&state=${url.searchParams.get('state')}`),
    ],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['a code nobody gave', (url: URL) => url.searchParams.set('code', newToken())],
  ])('an authorization response with %s is refused', async (_, change) => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    change(callback);
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);
  });

  test('an authorization response after ten minutes is refused', async () => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    standAt(now() + 10 * MINUTE + 1000);
    await expect(finishSignIn(callback, jar.get('signin'))).rejects.toMatchObject(refused);
    await signIn('ada@one.example');
    standAt(now() + 11 * MINUTE);
    await sweepStarted();
    const rows = await everyRow();
    expect([rows['login_tickets'], rows['sign_in_transactions']]).toEqual([[], []]);
  });

  test('a sign-in requires the password each time: without a ticket, or with a used one, nobody is signed in', async () => {
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

describe('the signing key', () => {
  const published = async () => {
    const { keys } = (await (await fetch(`${origin}/oidc/jwks`)).json()) as {
      keys: Record<string, string>[];
    };
    for (const key of keys) expect(key, 'nothing secret is published').not.toHaveProperty('d');
    return keys.map(({ kid }) => kid);
  };
  /** Signs somebody in and returns the id of the key that signed the token. */
  const signedWith = async () => {
    const { callback, jar } = await browse(await signIn('ada@one.example'));
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({
      actor: { contactId: ada.contactId },
    });
    const { id_token: token = '' } = JSON.parse(tokenAnswers.at(-1) ?? '') as { id_token?: string };
    return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string })
      .kid;
  };

  test('the signing key is renewed after 90 days, and the previous one is published for another hour', async () => {
    const [first] = await published();
    expect(await signedWith()).toBe(first);
    standAt(now() + 89 * DAY);
    expect(await published()).toEqual([first]);
    standAt(now() + DAY);
    const [second, ...before] = await published();
    expect([second === first, before]).toEqual([false, [first]]);
    expect(await signedWith()).toBe(second);
    standAt(now() + HOUR);
    expect(await published()).toEqual([second]);
    expect(JSON.stringify(await everyRow()), 'it is kept encrypted').not.toContain(String(second));
  });

  test('an operator can renew the signing key at once, also twice in an hour, and previous ones stay published', async () => {
    const [first] = await published();
    const second = await renewSigningKey();
    expect(await published()).toEqual([second, first]);
    expect(await signedWith()).toBe(second);
    const [third, fourth] = await Promise.all([renewSigningKey(), renewSigningKey()]);
    expect(new Set(await published())).toEqual(new Set([third, fourth, second, first]));
    standAt(now() + HOUR);
    expect([third, fourth]).toContain((await published()).join());
  });

  test('the signing key can be renewed in the middle of a sign-in', async () => {
    const started = await signIn('ada@one.example');
    const { callback, jar } = await browse(started);
    await db().deleteFrom('settings').where('name', '=', 'oidc-signing-key').execute();
    expect(await finishSignIn(callback, jar.get('signin'))).toMatchObject({
      actor: { contactId: ada.contactId },
    });
  });

  test('concurrent renewals of a due signing key make one new key', async () => {
    standAt(now() + 90 * DAY);
    const found = await Promise.all(Array.from({ length: 8 }, () => published()));
    expect(new Set(found.map((kids) => kids.join())).size).toBe(1);
  });

  test('a signing key of an earlier version, without a date, is replaced at the next sign-in', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const only = JSON.stringify({
      ...privateKey.export({ format: 'jwk' }),
      use: 'sig',
      alg: 'ES256',
      kid: 'portal-1',
    });
    const value = encryptFor('settings.value', 'oidc-signing-key', only);
    await db().updateTable('settings').set({ value }).where('name', '=', 'oidc-signing-key').execute();
    const [kid, ...before] = await published();
    expect(before).toEqual(['portal-1']);
    expect(await signedWith()).toBe(kid);
  });
});
