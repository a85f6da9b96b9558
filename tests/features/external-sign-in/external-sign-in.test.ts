import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  CLIENT,
  DESCRIPTIONS,
  FAULTS,
  startIssuer,
  throughIssuer,
  type Fault,
} from '../../support/issuer.ts';

// The configuration is read once at import, so the issuer has to be known first.
const ORIGIN = 'http://127.0.0.1:4999';
const paths = ['/clientcenter/en-us/auth'];
const logoutPaths = ['/clientcenter/en-us/auth/logout'];
const issuer = await startIssuer({ origin: ORIGIN, paths, logoutPaths });
const other = await startIssuer({ origin: ORIGIN, paths });
Object.assign(process.env, {
  PUBLIC_ORIGIN: ORIGIN,
  OIDC_ISSUER: issuer.address,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_MFA_ACR: 'urn:test:two',
});

const { finishSignIn, isEmbedded, signInWithPassword, startAtIssuer, startSignIn } =
  await import('#features/identity/sign-in/sign-in.server.ts');
const { forgetSignIns } = await import('#features/identity/sign-in/sweeps.server.ts');
const { hasPassword, proveAgain } =
  await import('#features/identity/second-factors/second-factors.server.ts');
const { invite, viewInvitation } = await import('#features/identity/invitations/invitations.server.ts');
const { isIssuerAway, issuerLogout, keepIdToken } =
  await import('#features/identity/external-sign-in/external-sign-in.server.ts');
const { linkIdentity } = await import('#features/identity/credentials/identities.server.ts');
const { config } = await import('#platform/runtime/config.server.ts');
const { now, SECOND } = await import('#platform/runtime/clock.server.ts');
const { db } = await import('#platform/database/database.server.ts');
const { PortalError } = await import('#platform/runtime/errors.server.ts');
const { watchLog } = await import('#platform/monitoring/log.server.ts');
const { everyRow, lockFirm, makeCast, startMailServer, PASSWORD, person, standAt } =
  await import('../../support/cast.ts');
await import('../../../src/app.server.ts');

const { ada, ben, cleo, zoe, clientA, firmOne, firmTwo } = await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const outsider = await person(firmTwo, 'Otis Outside', 'otis@two.example');
const orla = await person(firmTwo, 'Orla Other', 'orla@two.example');
const mailServer = await startMailServer();
const second = await person(firmOne, 'Sol Second', 'sol@one.example', { mfaRequired: true });
const RETURN_TO = '/clientcenter/en-us/documents';
const refused = { code: 'SIGN_IN_FAILED' };
const logged: string[] = [];
watchLog((_, line) => void logged.push(line.event));

/** The issuer's discovery document is cached for ten seconds. */
const askAgain = (): void => standAt(now() + 11 * SECOND);

beforeEach(() => {
  issuer.person.sub = `subject-${randomUUID()}`;
  for (const name of ['email', 'email_verified', 'amr', 'acr', 'auth_time'] as const)
    delete issuer.person[name];
  logged.length = 0;
});
afterEach(async () => {
  issuer.spoil();
  issuer.describeAs();
  linkByEmail(false);
  await db().deleteFrom('identities').execute();
});
afterAll(() => Promise.all([issuer.stop(), other.stop(), mailServer.close()]));

const linkByEmail = (allowed: boolean): void =>
  void Object.assign(config.oidc ?? {}, { linkByEmail: allowed });
const transactionOf = ({ cookies }: { cookies: string[] }): string | undefined =>
  /^signin=([\w-]+)/.exec(cookies[0] ?? '')?.[1];
const identities = async () => (await everyRow())['identities'] ?? [];

/** Sends a browser to the issuer and back. */
async function goAndComeBack(): Promise<{ callback: URL; transaction: string | undefined }> {
  const started = await startSignIn('en-us', RETURN_TO);
  return { callback: await throughIssuer(started.location), transaction: transactionOf(started) };
}
async function signIn() {
  const { callback, transaction } = await goAndComeBack();
  return finishSignIn(callback, transaction);
}

describe('a person of an external issuer', () => {
  test('a linked person is signed in as their user and redirected to the page first requested', async () => {
    expect(isEmbedded()).toBe(false);
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    issuer.person.amr = ['pwd', 'hwk'];
    expect(await signIn()).toMatchObject({
      actor: { contactId: ada.contactId },
      returnTo: RETURN_TO,
      amr: ['pwd', 'hwk'],
      idToken: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+$/) as string,
    });
  });

  test('a person whom nobody linked is refused, and no user is created', async () => {
    const users = (await everyRow())['users']?.length;
    Object.assign(issuer.person, { email: 'new@one.example', email_verified: true });
    await expect(signIn()).rejects.toMatchObject({ ...refused, details: { returnTo: RETURN_TO } });
    linkByEmail(true);
    await expect(signIn()).rejects.toMatchObject(refused);
    expect([(await everyRow())['users']?.length, await identities()]).toEqual([users, []]);
  });

  test('a person is identified by issuer and subject: the same subject at another issuer is somebody else', async () => {
    await linkIdentity(ada.prismGuid, other.address, issuer.person.sub);
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  test('a person of an issuer is linked to one user only, and a user to one person', async () => {
    expect(await linkIdentity(ada.prismGuid, issuer.address, 'a')).toBe(true);
    expect(await linkIdentity(ada.prismGuid, issuer.address, 'a')).toBe(true);
    expect([
      await linkIdentity(ben.prismGuid, issuer.address, 'a'),
      await linkIdentity(ada.prismGuid, issuer.address, 'b'),
    ]).toEqual([false, false]);
    expect([
      await linkIdentity(ben.prismGuid, issuer.address, 'b'),
      await linkIdentity(ada.prismGuid, other.address, 'a'),
    ]).toEqual([true, true]);
    expect((await identities()).length).toBe(3);
  });

  test("the database does not store the issuer's subject in readable form", async () => {
    await linkIdentity(ada.prismGuid, issuer.address, 'ada.amber@issuer.example');
    expect(JSON.stringify(await everyRow())).not.toContain('ada.amber');
  });

  test('a person of a locked firm gets an error that says so', async () => {
    await linkIdentity(zoe.prismGuid, issuer.address, issuer.person.sub);
    await lockFirm(zoe.companyId, true);
    await expect(signIn()).rejects.toMatchObject({
      code: 'FIRM_LOCKED_OUT',
      details: { returnTo: RETURN_TO },
    });
    await lockFirm(zoe.companyId, false);
  });

  test('a person of an issuer has no password in the portal', async () => {
    const sent = signInWithPassword({
      email: 'ada@one.example',
      password: 'a long enough phrase',
      network: '192.0.2.9',
      lang: 'en-us',
      returnTo: '/',
    });
    await expect(sent).rejects.toMatchObject(refused);
  });
});

describe('email addresses of an external issuer', () => {
  test('an email address links nobody unless the configuration allows it', async () => {
    Object.assign(issuer.person, { email: 'ada@one.example', email_verified: true });
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  test('a verified email address links its only user once, regardless of case', async () => {
    linkByEmail(true);
    Object.assign(issuer.person, { email: 'ADA@One.Example', email_verified: true });
    expect((await signIn()).actor.contactId).toBe(ada.contactId);
    linkByEmail(false);
    expect((await signIn()).actor.contactId, 'now they are known by issuer and subject').toBe(ada.contactId);
    Object.assign(issuer.person, { email: 'ben@one.example' });
    expect((await signIn()).actor.contactId, 'a new address changes nothing').toBe(ada.contactId);
  });

  test.each([[false], ['true'], ['yes'], [1], [null], [undefined]])(
    'an email address verified by %j links nobody',
    async (verified) => {
      linkByEmail(true);
      Object.assign(issuer.person, {
        email: 'ada@one.example',
        ...(verified !== undefined && { email_verified: verified }),
      });
      await expect(signIn()).rejects.toMatchObject(refused);
      expect(await identities()).toEqual([]);
    },
  );

  test('the email address of a user who is already linked does not link a second person', async () => {
    linkByEmail(true);
    await linkIdentity(ada.prismGuid, issuer.address, 'ada-herself');
    Object.assign(issuer.person, { email: 'ada@one.example', email_verified: true });
    await expect(signIn()).rejects.toMatchObject(refused);
    expect(await identities()).toHaveLength(1);
  });
});

describe('two-step verification by an external issuer', () => {
  test.each([
    ['nothing of it', {}, false],
    ['only a password', { amr: ['pwd'] }, false],
    ['a weaker class', { acr: 'urn:test:one', amr: ['pwd'] }, false],
    ['mfa among the ways', { amr: ['pwd', 'mfa'] }, true],
    ['the class that the configuration names', { acr: 'urn:test:two' }, true],
  ])(
    'a user who needs a second factor signs in only if the issuer confirms it: %s',
    async (_, said, isIn) => {
      await linkIdentity(second.prismGuid, issuer.address, issuer.person.sub);
      Object.assign(issuer.person, said);
      if (isIn) expect((await signIn()).amr).toContain('mfa');
      else
        await expect(signIn()).rejects.toMatchObject({
          code: 'MFA_AUTHENTICATION_REQUIRED',
          details: { returnTo: RETURN_TO },
        });
    },
  );
});

describe('refused sign-ins at an external issuer', () => {
  test.each(Object.keys(FAULTS) as Fault[])('a sign-in is refused because of: %s', async (fault) => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    issuer.spoil(fault);
    await expect(signIn()).rejects.toMatchObject(refused);
    expect(logged).toContain('sign-in.refused');
    issuer.spoil();
    expect((await signIn()).actor.contactId, 'without the fault the same person gets in').toBe(ada.contactId);
  });

  test('a sign-in is refused if its answer, code or browser transaction is used a second time', async () => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    const first = await goAndComeBack();
    await finishSignIn(first.callback, first.transaction);
    await expect(finishSignIn(first.callback, first.transaction)).rejects.toMatchObject(refused);
    const second = await goAndComeBack();
    second.callback.searchParams.set('code', first.callback.searchParams.get('code') ?? '');
    await expect(finishSignIn(second.callback, second.transaction)).rejects.toMatchObject(refused);
  });

  test('a sign-in is refused with the answer of another browser or of none', async () => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    const [attacker, victim] = [await goAndComeBack(), await goAndComeBack()];
    await expect(finishSignIn(attacker.callback, victim.transaction)).rejects.toMatchObject(refused);
    for (const token of [undefined, '', 'x'.repeat(43)])
      await expect(finishSignIn(attacker.callback, token)).rejects.toMatchObject(refused);
  });

  test('a sign-in is refused when two issuers are swapped', async () => {
    other.person.sub = issuer.person.sub;
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    await linkIdentity(ada.prismGuid, other.address, issuer.person.sub);
    const started = await startSignIn('en-us', RETURN_TO);
    const led = new URL(started.location);
    const callback = await throughIssuer(other.address + led.pathname + led.search);
    const mixedUp = new URL(callback);
    mixedUp.searchParams.set('iss', issuer.address);
    for (const answer of [callback, mixedUp]) {
      const again = await startSignIn('en-us', RETURN_TO);
      answer.searchParams.set('state', new URL(again.location).searchParams.get('state') ?? '');
      await expect(finishSignIn(answer, transactionOf(again))).rejects.toMatchObject(refused);
    }
  });
});

describe('a step-up at an external issuer', () => {
  const again = { kind: 'step-up' } as const;
  const seconds = (): number => Math.floor(now() / SECOND);

  test('a step-up asks the issuer to authenticate again, and counts from the time the issuer reports', async () => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    const started = await startSignIn('en-us', RETURN_TO, again);
    const query = new URL(started.location).searchParams;
    expect([query.get('prompt'), query.get('max_age')]).toEqual(['login', '0']);
    issuer.person.auth_time = seconds() - 4;
    const callback = await throughIssuer(started.location);
    const proof = await finishSignIn(callback, transactionOf(started));
    expect(proof).toMatchObject({ isStepUp: true, authenticatedAt: issuer.person.auth_time * SECOND });
  });

  test.each([
    ['says nothing of when', () => null],
    ['says that it was an hour ago', () => seconds() - 3600],
    ['says that it was a minute ago', () => seconds() - 60],
  ])('a step-up is refused if the issuer %s', async (_, time) => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    issuer.person.auth_time = time();
    const started = await startSignIn('en-us', RETURN_TO, again);
    const callback = await throughIssuer(started.location);
    await expect(finishSignIn(callback, transactionOf(started))).rejects.toMatchObject({
      ...refused,
      details: { isStepUp: true, returnTo: RETURN_TO },
    });
  });

  test('a step-up is required right after a sign-in if the issuer does not report its time', async () => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    for (const [said, believed] of [
      [null, 0],
      [seconds() - 3600, (seconds() - 3600) * SECOND],
    ] as const) {
      issuer.person.auth_time = said;
      expect((await signIn()).authenticatedAt).toBe(believed);
    }
  });

  test('a step-up does not accept a proof that only the portal knows', async () => {
    const proving = proveAgain(ada.prismGuid, { kind: 'password', password: PASSWORD }, undefined);
    await expect(proving).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('invitations with an external issuer', () => {
  let invitations = 0;
  async function invited(emailAddress = `invited-${(invitations += 1)}@one.example`) {
    const names = { firstName: 'Ivo', lastName: 'Invited', language: 'en-gb' as const };
    await invite(grace, { emailAddress, ...names, clientIds: [clientA] });
    const mail = (await mailServer.deliver()).at(-1)?.mail.text ?? '';
    return { emailAddress, token: /\/auth\/invitation\/([\w-]{43})\b/.exec(mail)?.[1] ?? '' };
  }
  async function accept(token: string) {
    const started = await startSignIn('en-us', RETURN_TO, { kind: 'invitation', token });
    expect(JSON.stringify(await everyRow()), 'the link is encrypted').not.toContain(token);
    return finishSignIn(await throughIssuer(started.location), transactionOf(started));
  }
  const userCount = async () => (await everyRow())['users']?.length ?? 0;

  test('an invited person who signs in at the issuer becomes a contact of the firm without a password, and is recognized later', async () => {
    const { token, emailAddress } = await invited();
    const { actor, hasJoined } = await accept(token);
    expect([hasJoined, actor]).toMatchObject([
      true,
      { companyId: firmOne, fullName: 'Ivo Invited', emailAddress, staff: false },
    ]);
    expect(await hasPassword(actor.prismGuid)).toBe(false);
    expect(await viewInvitation(token)).toBeUndefined();
    const again = await signIn();
    expect([again.actor.contactId, again.hasJoined]).toEqual([actor.contactId, false]);
  });

  test('an invitation to a known address that has never signed in at the issuer adds that person', async () => {
    const { token } = await invited(zoe.emailAddress);
    const { actor } = await accept(token);
    expect(actor).toMatchObject({ prismGuid: zoe.prismGuid, companyId: firmOne });
  });

  test('an invited person known at the issuer stays the same user, whatever the address', async () => {
    await linkIdentity(outsider.prismGuid, issuer.address, issuer.person.sub);
    const before = await userCount();
    const { actor } = await accept((await invited()).token);
    expect([actor.prismGuid, actor.companyId, await userCount()]).toEqual([
      outsider.prismGuid,
      firmOne,
      before,
    ]);
  });

  test.each([
    [
      'somebody else of this portal',
      async () => void (await linkIdentity(cleo.prismGuid, issuer.address, issuer.person.sub)),
    ],
    [
      'a stranger, and the person is somebody there already',
      async () => void (await linkIdentity(orla.prismGuid, issuer.address, 'their-own')),
    ],
  ])('an invitation does not let anybody in as %s', async (_, arrange) => {
    await arrange();
    const { token } = await invited(orla.emailAddress);
    const before = [await userCount(), await identities()];
    await expect(accept(token)).rejects.toMatchObject({ ...refused, details: { because: 'other' } });
    expect([await userCount(), await identities(), (await viewInvitation(token))?.emailAddress]).toEqual([
      ...before,
      orla.emailAddress,
    ]);
  });

  test('an invited person who returns after the invitation was revoked gets an error that says so', async () => {
    const { token } = await invited();
    const started = await startSignIn('en-us', RETURN_TO, { kind: 'invitation', token });
    await db()
      .updateTable('invitations')
      .set({ revoked_at: now() })
      .where('revoked_at', 'is', null)
      .execute();
    const callback = await throughIssuer(started.location);
    await expect(finishSignIn(callback, transactionOf(started))).rejects.toMatchObject({
      details: { because: 'gone' },
    });
  });
});

describe('the connection to an issuer', () => {
  beforeEach(askAgain);

  test("the issuer's discovery document is fetched once for many sign-ins, and only as many start as the limit of a network allows", async () => {
    const address = '/.well-known/openid-configuration';
    const before = issuer.asked.get(address) ?? 0;
    const codes = new Set<string>();
    for (let i = 0; i < 130; i += 1) {
      const to = { lang: 'en-us', returnTo: '/', network: '192.0.2.77' };
      await startAtIssuer(to).then(
        () => codes.add('begun'),
        (error: unknown) => codes.add((error as { code: string }).code),
      );
    }
    expect([issuer.asked.get(address), [...codes]]).toEqual([before + 1, ['begun', 'TOO_MANY']]);
    expect((await everyRow())['sign_in_transactions']?.length).toBeLessThan(200);
    await expect(
      startAtIssuer({ lang: 'en-us', returnTo: '/', network: '192.0.2.78' }),
    ).resolves.toBeDefined();
  });

  test('a sign-in cannot start while the issuer is unavailable, and works when it is back', async () => {
    await issuer.goAway();
    const away = await startSignIn('en-us', '/').catch((error: unknown) => error);
    expect([away, isIssuerAway(away), logged]).toMatchObject([
      { code: 'UNAVAILABLE' },
      true,
      ['issuer.away'],
    ]);
    expect(isIssuerAway(new PortalError('UNAVAILABLE')), 'the portal itself is busy').toBe(false);
    await issuer.comeBack();
    expect((await startSignIn('en-us', '/')).location).toContain(issuer.address);
  });

  test('the discovery document is fetched by a node on which no sign-in was started', async () => {
    await linkIdentity(ada.prismGuid, issuer.address, issuer.person.sub);
    const { callback, transaction } = await goAndComeBack();
    vi.resetModules();
    const elsewhere = await import('#features/identity/sign-in/sign-in.server.ts');
    const nodesDatabase = await import('#platform/database/database.server.ts');
    expect((await elsewhere.finishSignIn(callback, transaction)).actor.contactId).toBe(ada.contactId);
    await nodesDatabase.closeDatabase();
  });

  test.each(Object.keys(DESCRIPTIONS) as (keyof typeof DESCRIPTIONS)[])(
    'an issuer whose discovery document has %s is treated as unavailable',
    async (description) => {
      issuer.describeAs(description);
      const away = await startSignIn('en-us', '/').catch((error: unknown) => error);
      expect(isIssuerAway(away)).toBe(true);
    },
  );

  test('the issuer gets the parameters of the code flow, with new values each time', async () => {
    const queries = await Promise.all(
      [1, 2].map(async () => new URL((await startSignIn('en-us', '/')).location).searchParams),
    );
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(queries.map((query) => query.get(name))).size).toBe(2);
    expect(
      queries.map((query) => [
        query.get('code_challenge_method'),
        query.get('redirect_uri'),
        query.get('response_type'),
      ]),
    ).toEqual(Array(2).fill(['S256', `${ORIGIN}/clientcenter/en-us/auth`, 'code']));
  });
});

describe('sign-out with an external issuer', () => {
  beforeEach(askAgain);
  const back = `${ORIGIN}/clientcenter/en-us/auth/logout`;
  afterEach(() => void Object.assign(config.oidc ?? {}, { logout: 'issuer', logoutUrl: undefined }));

  test('a sign-out continues at the issuer with the id token of this session, once', async () => {
    await linkIdentity(cleo.prismGuid, issuer.address, issuer.person.sub);
    const { idToken = '' } = await signIn();
    await keepIdToken('session-of-cleo', idToken);
    expect(JSON.stringify(await everyRow()), 'it is encrypted').not.toContain(idToken.slice(0, 40));
    const address = new URL((await issuerLogout('session-of-cleo', back)) ?? '');
    expect([address.origin + address.pathname, Object.fromEntries(address.searchParams)]).toEqual([
      `${issuer.address}/session/end`,
      { client_id: CLIENT.id, post_logout_redirect_uri: back, id_token_hint: idToken },
    ]);
    const again = new URL((await issuerLogout('session-of-cleo', back)) ?? '');
    expect(again.searchParams.has('id_token_hint')).toBe(false);
  });

  test('the id token for the sign-out is dropped after a restore', async () => {
    await keepIdToken('session-of-cleo', 'token');
    await forgetSignIns();
    expect(
      new URL((await issuerLogout('session-of-cleo', back)) ?? '').searchParams.has('id_token_hint'),
    ).toBe(false);
  });

  test('a sign-out at an issuer without end_session_endpoint goes to its logout URL with client_id and returnTo', async () => {
    const plain = await startIssuer({ origin: ORIGIN, paths, withoutLogout: true });
    Object.assign(config.oidc ?? {}, {
      issuer: plain.address,
      logoutUrl: 'https://issuer.example/v2/logout',
    });
    expect(await issuerLogout('x', back)).toBe(
      `https://issuer.example/v2/logout?client_id=${CLIENT.id}&returnTo=${encodeURIComponent(back)}`,
    );
    Object.assign(config.oidc ?? {}, { logoutUrl: undefined });
    expect(await issuerLogout('x', back)).toBeUndefined();
    Object.assign(config.oidc ?? {}, { issuer: issuer.address });
    await plain.stop();
  });

  test('a sign-out ends in the portal if configured so or if the issuer is unavailable', async () => {
    Object.assign(config.oidc ?? {}, { logout: 'local' });
    expect(await issuerLogout('x', back)).toBeUndefined();
    Object.assign(config.oidc ?? {}, { logout: 'issuer' });
    await issuer.goAway();
    expect(await issuerLogout('x', back)).toBeUndefined();
    await issuer.comeBack();
  });
});
