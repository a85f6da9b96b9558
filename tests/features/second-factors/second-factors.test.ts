import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Overrides } from '../../support/passkeys.ts';

process.env['PUBLIC_ORIGIN'] = 'https://portal.firm.example';

const { base32 } = await import('#features/identity/second-factors/base32.ts');
const { addPasskey, challengeFor, passkeysOf, passkeysWork, proveByPasskey, removePasskey } =
  await import('#features/identity/second-factors/passkeys.server.ts');
const { makeRecoveryCodes, proveByRecoveryCode, recoveryCodesLeft } =
  await import('#features/identity/second-factors/recovery-codes.server.ts');
const { acceptCode, codeOf, hasTotp, proveByTotp, startTotp, stepAt, totpInSetUp } =
  await import('#features/identity/second-factors/totp.server.ts');
await import('../../../src/app.server.ts');
const {
  addFactorAtSignIn,
  addOwnFactor,
  changePassword,
  factorsOf,
  firmOfPending,
  hasPassword,
  prove,
  proveAgain,
  removeOwnFactor,
  renewOwnCodes,
  startOwnTotp,
  startTotpAtSignIn,
  totpToScan,
} = await import('#features/identity/second-factors/second-factors.server.ts');
const { pendingSignIn } = await import('#features/identity/second-factors/pending.server.ts');
const { signInWithPassword, takeSecondStep } = await import('#features/identity/sign-in/sign-in.server.ts');
const { sweepStarted } = await import('#features/identity/sign-in/sweeps.server.ts');
const { createContact } = await import('#features/base/people/people.server.ts');
const { endOtherSessions, listSessions, endOwnSession, renewSession } =
  await import('#features/identity/sessions/devices.server.ts');
const { findSession, startSession } = await import('#features/identity/sessions/sessions.server.ts');
const { MINUTE, now, SECOND } = await import('#platform/runtime/clock.server.ts');
const { config } = await import('#platform/runtime/config.server.ts');
const { sha256 } = await import('#platform/security/crypto.server.ts');
const { db } = await import('#platform/database/database.server.ts');
const { BROWSER, everyRow, lockFirm, makeCast, startMailServer, PASSWORD, person, standAt } =
  await import('../../support/cast.ts');
const { authenticator, created, signed } = await import('../../support/passkeys.ts');

const { ada, ben, cleo, firmOne, firmTwo } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const ORIGIN = 'https://portal.firm.example';
const wrong = { code: 'CODE_WRONG' };
const tell = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'in',
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );

let people = 0;
const somebody = async (mfaRequired = false) =>
  person(firmOne, `Person ${(people += 1)}`, `person-${people}@one.example`, { mfaRequired });
const sessionOf = async (actor: typeof ada) => {
  const session = await findSession(await startSession(actor, BROWSER));
  if (!session) throw new Error('the session of the test did not start');
  return session;
};

/** The bytes behind base32, as an authenticator app decodes the key. */
function unbase32(text: string): Buffer {
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
const appOf = async (prismGuid: string): Promise<Buffer> =>
  unbase32((await totpInSetUp(prismGuid, 'Maple & Hart', 'x@one.example'))?.key ?? '');
const codeNow = (secret: Buffer, later = 0): string => codeOf(secret, stepAt(now()) + later);

/** A person with an authenticator app confirmed half a minute ago. */
async function withApp(mfaRequired = false) {
  const actor = await somebody(mfaRequired);
  await startTotp(actor.prismGuid);
  const secret = await appOf(actor.prismGuid);
  await proveByTotp(actor.prismGuid, codeNow(secret), true);
  standAt(now() + 60 * SECOND);
  return { actor, secret };
}

describe('authenticator codes', () => {
  // RFC 6238, appendix B (SHA-1, eight digits)
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('authenticator codes match RFC 6238 at %i seconds', (seconds, code) => {
    expect(codeOf(Buffer.from('12345678901234567890'), stepAt(seconds * SECOND), 8)).toBe(code);
  });

  // RFC 4226, appendix D
  test.each(
    ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map(
      (code, step) => [step, code] as const,
    ),
  )('authenticator codes match RFC 4226 at step %i', (step, code) => {
    expect(codeOf(Buffer.from('12345678901234567890'), step)).toBe(code);
  });

  // RFC 4648, section 10
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('base32 of %j is %j', (text, letters) => {
    expect(base32(Buffer.from(text))).toBe(letters);
  });

  test('authenticator codes count only after the app was confirmed, and the key is never stored readable', async () => {
    const { prismGuid } = await somebody();
    await startTotp(prismGuid);
    const shown = await totpInSetUp(prismGuid, 'Maple & Hart', 'ada+tax@one.example');
    expect(shown?.key).toMatch(/^[A-Z2-7]{32}$/);
    expect(shown?.address).toBe(
      `otpauth://totp/Maple%20%26%20Hart:ada%2Btax%40one.example?secret=${shown?.key ?? ''}&issuer=Maple%20%26%20Hart&algorithm=SHA1&digits=6&period=30`,
    );
    const secret = unbase32(shown?.key ?? '');
    await expect(proveByTotp(prismGuid, codeNow(secret))).rejects.toMatchObject(wrong);
    expect(await hasTotp(prismGuid)).toBe(false);
    await proveByTotp(prismGuid, codeNow(secret), true);
    expect([await hasTotp(prismGuid), await totpInSetUp(prismGuid, 'x', 'y')]).toEqual([true, undefined]);
    await expect(startTotp(prismGuid)).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
    const rows = JSON.stringify(await everyRow());
    for (const form of [
      shown?.key ?? '-',
      secret.toString('hex'),
      secret.toString('base64'),
      secret.toString('base64url'),
    ])
      expect(rows.includes(form)).toBe(false);
  });

  test('an authenticator code may be one step early or late but not two, and may contain spaces', async () => {
    for (const [later, isIn] of [
      [-2, false],
      [-1, true],
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      const { actor, secret } = await withApp();
      standAt(stepAt(now()) * 30 * SECOND + 30 * SECOND);
      expect(
        await acceptCode(actor.prismGuid, ` ${codeNow(secret, later).replace(/^.../, '$& ')} `),
        String(later),
      ).toBe(isIn);
    }
  });

  test('an authenticator code works once, as does the one before, and of fifty concurrent uses one is accepted', async () => {
    const { actor, secret } = await withApp();
    const code = codeNow(secret);
    const together = await Promise.all(Array.from({ length: 50 }, () => acceptCode(actor.prismGuid, code)));
    expect(together.filter(Boolean)).toHaveLength(1);
    expect(await acceptCode(actor.prismGuid, code)).toBe(false);
    expect(await acceptCode(actor.prismGuid, codeNow(secret, -1))).toBe(false);
    expect(await acceptCode(actor.prismGuid, codeNow(secret, 1))).toBe(true);
  });

  test('of fifty concurrent sign-ins with one authenticator code one is accepted', async () => {
    const { actor, secret } = await withApp();
    const code = codeNow(secret);
    const together = await Promise.all(
      Array.from({ length: 50 }, () => tell(proveByTotp(actor.prismGuid, code))),
    );
    expect(together.filter((each) => each === 'in')).toHaveLength(1);
  });

  test('after five wrong authenticator codes even the right one must wait, without affecting other accounts', async () => {
    const [{ actor, secret }, other] = [await withApp(), await withApp()];
    for (let i = 0; i < 5; i += 1)
      await expect(proveByTotp(actor.prismGuid, '12345')).rejects.toMatchObject(wrong);
    await expect(proveByTotp(actor.prismGuid, codeNow(secret))).rejects.toMatchObject({ code: 'TOO_MANY' });
    await proveByTotp(other.actor.prismGuid, codeNow(other.secret));
    standAt(now() + 15 * MINUTE + SECOND);
    await proveByTotp(actor.prismGuid, codeNow(secret));
  });
});

describe('confirming the password', () => {
  test('a password is requested again from people who have one', async () => {
    const [actor, other] = [await somebody(), await somebody()];
    await db()
      .updateTable('users')
      .set({ password_hash: null })
      .where('prism_guid', '=', other.prismGuid)
      .execute();
    expect([await hasPassword(actor.prismGuid), await hasPassword(other.prismGuid)]).toEqual([true, false]);
  });

  test('after ten wrong confirmations in 15 minutes even the right password must wait', async () => {
    const actor = await somebody();
    const bring = (password: string) => prove(actor.prismGuid, { kind: 'password', password }, undefined);
    for (let i = 0; i < 10; i += 1) await expect(bring('not this one')).rejects.toMatchObject(wrong);
    await expect(bring(PASSWORD)).rejects.toMatchObject({ code: 'TOO_MANY' });
    standAt(now() + 15 * MINUTE + SECOND);
    expect(await bring(PASSWORD)).toEqual(['pwd']);
  });
});

describe('recovery codes', () => {
  test('there are ten recovery codes of 24 letters, never stored readable, each valid once in any notation for its owner only', async () => {
    const codes = await makeRecoveryCodes(ada.prismGuid);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{24}$/);
    const rows = JSON.stringify(await everyRow());
    for (const code of codes) expect(rows.includes(code)).toBe(false);
    const [first = '', second = ''] = codes;
    await expect(proveByRecoveryCode(ben.prismGuid, first)).rejects.toMatchObject(wrong);
    await proveByRecoveryCode(ada.prismGuid, first.toLowerCase().replace(/(.{4})/g, '$1 '));
    await expect(proveByRecoveryCode(ada.prismGuid, first)).rejects.toMatchObject(wrong);
    expect(await recoveryCodesLeft(ada.prismGuid)).toBe(9);
    const race = await Promise.all(
      Array.from({ length: 9 }, () => tell(proveByRecoveryCode(ada.prismGuid, second))),
    );
    expect(race.filter((each) => each === 'in')).toHaveLength(1);
  });

  test('new recovery codes invalidate the old ones', async () => {
    const [old = ''] = await makeRecoveryCodes(cleo.prismGuid);
    const [others = ''] = await makeRecoveryCodes(ben.prismGuid);
    const [fresh = ''] = await makeRecoveryCodes(cleo.prismGuid);
    await expect(proveByRecoveryCode(cleo.prismGuid, old)).rejects.toMatchObject(wrong);
    await proveByRecoveryCode(cleo.prismGuid, fresh);
    await proveByRecoveryCode(ben.prismGuid, others);
  });

  test('after ten wrong recovery codes in 15 minutes even a right one must wait', async () => {
    const actor = await somebody();
    const [code = ''] = await makeRecoveryCodes(actor.prismGuid);
    for (let tries = 0; tries < 10; tries += 1)
      await expect(proveByRecoveryCode(actor.prismGuid, 'A'.repeat(24))).rejects.toMatchObject(wrong);
    await expect(proveByRecoveryCode(actor.prismGuid, code)).rejects.toMatchObject({ code: 'TOO_MANY' });
    standAt(now() + 16 * MINUTE);
    await proveByRecoveryCode(actor.prismGuid, code);
  });

  test('using or making recovery codes is announced by a mail that does not contain them', async () => {
    const { actor } = await withApp();
    await mailServer.discard();
    const codes = await renewOwnCodes(await sessionOf(actor));
    await prove(actor.prismGuid, { kind: 'recovery-code', code: codes[0] ?? '' }, undefined);
    const mails = await mailServer.deliver();
    expect(mails.map(({ mail, recipients }) => [mail.subject, recipients])).toEqual([
      ['You have new recovery codes', [actor.emailAddress]],
      ['A recovery code was used', [actor.emailAddress]],
    ]);
    for (const { raw } of mails) for (const code of codes) expect(raw.includes(code)).toBe(false);
    expect(mails[1]?.mail.text).toContain('If this wasn’t you');
  });
});

describe('passkeys', () => {
  beforeEach(async () => void (await db().deleteFrom('limits').execute()));
  const fresh = async (): Promise<string> => (await challengeFor('192.0.2.7')).challenge;
  const withPasskey = async () => {
    const [actor, own, challenge] = [await somebody(), authenticator(), await fresh()];
    await addPasskey(actor.prismGuid, 'Firefox on Linux', created(own, challenge), challenge);
    return { actor, own };
  };

  test('passkey challenges are limited to 60 a minute from one network', async () => {
    for (let asked = 0; asked < 60; asked += 1) await challengeFor('192.0.2.66');
    await expect(challengeFor('192.0.2.66')).rejects.toMatchObject({ code: 'TOO_MANY' });
    expect((await challengeFor('192.0.2.67')).challenge).toBeDefined();
  });

  test('passkeys are offered if the portal has a domain name, not at an IP address', () => {
    for (const origin of ['http://192.0.2.1:8080', 'http://[2001:db8::1]']) {
      Object.assign(config, { origin });
      expect(passkeysWork(), origin).toBe(false);
    }
    Object.assign(config, { origin: ORIGIN });
    expect(passkeysWork()).toBe(true);
  });

  test('a passkey identifies its owner and counts its uses', async () => {
    const [{ actor, own }, other, open] = [await withPasskey(), await withPasskey(), await fresh()];
    for (const counter of [1, 7]) {
      const challenge = await fresh();
      expect(await proveByPasskey(signed(own, challenge, { counter }), challenge)).toBe(actor.prismGuid);
    }
    expect(await passkeysOf(actor.prismGuid)).toMatchObject([
      { id: own.id, name: 'Firefox on Linux', usedAt: expect.any(Number) as number },
    ]);
    const challenge = await fresh();
    await expect(
      proveByPasskey(signed(own, challenge, { counter: 7 }), challenge),
      'a copy that counts behind',
    ).rejects.toMatchObject(wrong);
    expect(await passkeysOf(other.actor.prismGuid), 'of the others nothing is noted').toMatchObject([
      { usedAt: null },
    ]);
    expect(
      await proveByPasskey(signed(other.own, open, { counter: 1 }), open),
      'whose challenges stay, too',
    ).toBe(other.actor.prismGuid);
    const together = await Promise.all(
      [await fresh(), await fresh()].map((both) =>
        tell(proveByPasskey(signed(own, both, { counter: 9 }), both)),
      ),
    );
    expect(together.toSorted(), 'a copy that counts alike').toEqual(['CODE_WRONG', 'in']);
  });

  test.each<[string, Overrides]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for the same host without TLS', { origin: 'http://portal.firm.example' }],
    ['for another domain', { domain: 'firm.example' }],
    ['without a finger, face or PIN', { flags: 0x41 }],
    ['for signing in', { type: 'webauthn.get' }],
  ])('a passkey registration %s is refused', async (_, overrides) => {
    const [own, challenge] = [authenticator(), await fresh()];
    await expect(
      addPasskey(ada.prismGuid, 'x', created(own, challenge, overrides), challenge),
    ).rejects.toMatchObject(wrong);
    expect(await passkeysOf(ada.prismGuid)).toEqual([]);
  });

  test.each<[string, Overrides]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another domain', { domain: 'evil.example' }],
    ['without a finger, face or PIN', { flags: 0x01 }],
    ['while nobody was there', { flags: 0x04 }],
    ['by making a key', { type: 'webauthn.create' }],
    ['with another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
  ])('a passkey signature %s is refused', async (_, overrides) => {
    const { own } = await withPasskey();
    const challenge = await fresh();
    await expect(proveByPasskey(signed(own, challenge, overrides), challenge)).rejects.toMatchObject(wrong);
  });

  test('passkeys are removed one by one by their owner and by nobody else', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    const challenge = await fresh();
    const second = authenticator();
    await addPasskey(mine.actor.prismGuid, 'Safari on iPhone', created(second, challenge), challenge);
    expect([
      await removePasskey(mine.actor.prismGuid, theirs.own.id),
      await removePasskey(mine.actor.prismGuid, mine.own.id),
    ]).toEqual([false, true]);
    expect([
      (await passkeysOf(mine.actor.prismGuid)).map(({ id }) => id),
      (await passkeysOf(theirs.actor.prismGuid)).map(({ id }) => id),
    ]).toEqual([[second.id], [theirs.own.id]]);
  });

  test('a passkey answers one challenge once, in the same browser, within five minutes, for the same person', async () => {
    const { actor, own } = await withPasskey();
    const [one, two] = [await fresh(), await fresh()];
    await sweepStarted();
    expect(await proveByPasskey(signed(own, one), one)).toBe(actor.prismGuid);
    await expect(proveByPasskey(signed(own, one), one), 'a second time').rejects.toMatchObject(wrong);
    await expect(proveByPasskey(signed(own, one), two), 'another challenge').rejects.toMatchObject(wrong);
    for (const none of [undefined, '', 'A'.repeat(43)])
      await expect(proveByPasskey(signed(own, String(none)), none)).rejects.toMatchObject(wrong);
    const late = await fresh();
    standAt(now() + 5 * MINUTE + SECOND);
    await expect(proveByPasskey(signed(own, late), late), 'too late').rejects.toMatchObject(wrong);
    const other = await fresh();
    await expect(
      proveByPasskey(signed(own, other), other, ada.prismGuid),
      'somebody else',
    ).rejects.toMatchObject(wrong);
    for (const junk of [
      '',
      '{}',
      'null',
      '[]',
      JSON.stringify({ id: own.id, type: 'public-key', response: {} }),
    ])
      await expect(proveByPasskey(junk, await fresh())).rejects.toMatchObject(wrong);
  });

  test('a passkey works that was stored before keys were read from the authenticator', async () => {
    for (const algorithm of ['ES256', 'RS256'] as const) {
      const [actor, own, challenge] = [await somebody(), authenticator(algorithm), await fresh()];
      await db()
        .insertInto('passkeys')
        .values({
          credential_id: own.id,
          prism_guid: actor.prismGuid,
          name: 'Chrome on Windows',
          public_key: own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
          algorithm,
          counter: 0,
          created_at: now(),
          used_at: null,
        })
        .execute();
      expect(await proveByPasskey(signed(own, challenge), challenge)).toBe(actor.prismGuid);
    }
  });

  test('a passkey is that of the authenticator, whatever key its page names', async () => {
    const [actor, own, challenge] = [await somebody(), authenticator(), await fresh()];
    const answer = JSON.parse(created(own, challenge)) as { response: Record<string, unknown> };
    const foreign = authenticator();
    answer.response['publicKey'] = foreign.publicKey
      .export({ type: 'spki', format: 'der' })
      .toString('base64url');
    await addPasskey(actor.prismGuid, 'x', JSON.stringify(answer), challenge);
    const [mine, theirs] = [await fresh(), await fresh()];
    expect(await proveByPasskey(signed(own, mine), mine)).toBe(actor.prismGuid);
    await expect(proveByPasskey(signed({ ...foreign, id: own.id }, theirs), theirs)).rejects.toMatchObject(
      wrong,
    );
  });
});

describe('a sign-in with two-step verification', () => {
  const signIn = (email: string) =>
    signInWithPassword({
      email,
      password: PASSWORD,
      network: `198.51.100.${(people += 1) % 250}`,
      lang: 'en-us',
      returnTo: '/clientcenter/en-us/documents?x=1',
    });
  const pendingIn = (cookies: string[]): string => /pending=([\w-]{43})/.exec(cookies.join('\n'))?.[1] ?? '';
  const hasTicket = (cookies: string[]): boolean =>
    cookies.some((cookie) => /ticket=[\w-]{43};/.test(cookie));

  test('a password alone gives neither ticket nor session, and the sign-in continues once after the second factor', async () => {
    const { actor, secret } = await withApp();
    const started = await signIn(actor.emailAddress);
    expect(started.location).toBe('/clientcenter/en-us/auth/second-step');
    expect([hasTicket(started.cookies), (await everyRow())['login_tickets']]).toEqual([false, []]);
    const token = pendingIn(started.cookies);
    await expect(
      takeSecondStep(token, { kind: 'totp', code: '12345' }, undefined, 'en-us'),
    ).rejects.toMatchObject(wrong);
    const done = await takeSecondStep(token, { kind: 'totp', code: codeNow(secret) }, undefined, 'en-us');
    expect([done.location.startsWith(`${ORIGIN}/oidc/auth?`), hasTicket(done.cookies)]).toEqual([true, true]);
    expect((await everyRow())['login_tickets']).toMatchObject([
      { prism_guid: actor.prismGuid, amr: '["pwd","otp","mfa"]' },
    ]);
    standAt(now() + MINUTE);
    await expect(
      takeSecondStep(token, { kind: 'totp', code: codeNow(secret) }, undefined, 'en-us'),
    ).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
    for (const none of [undefined, '', 'x'])
      await expect(
        takeSecondStep(none, { kind: 'totp', code: codeNow(secret) }, undefined, 'en-us'),
      ).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
  });

  test('a pending second step shows the theme of a firm of the person that is not locked', async () => {
    await createContact({ companyId: firmTwo, prismGuid: ben.prismGuid, fullName: 'Ben Birch' });
    for (const [closed, open] of [
      [firmOne, firmTwo],
      [firmTwo, firmOne],
    ] as const) {
      await lockFirm(closed, true);
      expect(await firmOfPending({ prismGuid: ben.prismGuid, amr: [], returnTo: '/' })).toBe(open);
      await lockFirm(closed, false);
    }
  });

  test('a pending second step expires after ten minutes, and is not swept before', async () => {
    const { actor, secret } = await withApp();
    const token = pendingIn((await signIn(actor.emailAddress)).cookies);
    await sweepStarted();
    expect(
      await db()
        .selectFrom('pending_sign_ins')
        .selectAll()
        .where('pending_hash', '=', sha256(token))
        .execute(),
    ).toHaveLength(1);
    standAt(now() + 10 * MINUTE + SECOND);
    await expect(
      takeSecondStep(token, { kind: 'totp', code: codeNow(secret) }, undefined, 'en-us'),
    ).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
  });

  test('a pending second step admits those who must have a second factor and have none, and nobody else', async () => {
    const actor = await somebody(true);
    const started = await signIn(actor.emailAddress);
    expect(started.location).toBe('/clientcenter/en-us/auth/mfa-required');
    const [token, second] = [
      pendingIn(started.cookies),
      pendingIn((await signIn(actor.emailAddress)).cookies),
    ];
    await startTotpAtSignIn(token);
    const meanwhile = pendingIn((await signIn((await somebody(true)).emailAddress)).cookies);
    const codes = await addFactorAtSignIn(token, {
      kind: 'totp',
      code: codeNow(await appOf(actor.prismGuid)),
    });
    expect(codes).toHaveLength(10);
    expect(
      (await pendingSignIn(meanwhile))?.amr,
      'somebody else who signs in at this moment has proved nothing by it',
    ).toEqual(['pwd']);
    for (const late of [second, token]) {
      await expect(startTotpAtSignIn(late)).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
      await expect(addFactorAtSignIn(late, { kind: 'totp', code: '000000' })).rejects.toMatchObject({
        code: 'SIGN_IN_FAILED',
      });
    }
    const { actor: set } = await withApp(true);
    const late = pendingIn((await signIn(set.emailAddress)).cookies);
    await expect(startTotpAtSignIn(late)).rejects.toMatchObject({ code: 'SIGN_IN_FAILED' });
  });
});

describe('changes of sign-in methods', () => {
  test('changing sign-in methods requires a proof of the last five minutes, else STEP_UP', async () => {
    const { actor } = await withApp();
    const session = await sessionOf(actor);
    standAt(now() + 5 * MINUTE + SECOND);
    const changes = [
      () => startOwnTotp(session),
      () => addOwnFactor(session, { kind: 'totp', code: '123456' }),
      () => removeOwnFactor(session, 'totp'),
      () => renewOwnCodes(session),
      () => changePassword(session, { current: PASSWORD, next: 'seven grey lakes sing' }),
    ];
    for (const change of changes) expect(await tell(change())).toBe('STEP_UP');
    const elsewhere = await sessionOf(actor);
    const renewed = await findSession((await renewSession(session, ['otp', 'mfa'])).token);
    expect(renewed).toMatchObject({
      amr: ['pwd', 'otp', 'mfa'],
      authenticatedAt: expect.any(Number) as number,
    });
    expect(renewed?.id).not.toBe(session.id);
    expect(await listSessions(elsewhere), 'the other one goes on').toHaveLength(2);
    if (renewed) await renewOwnCodes(renewed);
    await expect(renewSession(session, [])).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('removing the last second factor is refused if the firm requires one, otherwise it removes the recovery codes too', async () => {
    const { actor: must } = await withApp(true);
    const session = await sessionOf(must);
    await expect(removeOwnFactor(session, 'totp')).rejects.toMatchObject({ code: 'LOCKED' });
    expect((await factorsOf(must.prismGuid)).totp).toBe(true);
    const { actor } = await withApp();
    const own = await sessionOf(actor);
    await renewOwnCodes(own);
    await expect(removeOwnFactor(own, 'a-passkey-of-somebody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await removeOwnFactor(own, 'totp');
    expect(await factorsOf(actor.prismGuid)).toEqual({ totp: false, passkeys: [], codesLeft: 0 });
    expect((await factorsOf(must.prismGuid)).totp, 'the app of somebody else').toBe(true);
    expect(await totpToScan(actor.prismGuid, 'Maple & Hart')).toBeUndefined();
    await startOwnTotp(own);
    expect(await totpToScan(actor.prismGuid, 'Maple & Hart')).toMatchObject({
      key: expect.any(String) as string,
      address: expect.stringContaining(encodeURIComponent(actor.emailAddress)) as string,
    });
    for (const change of [
      () => removeOwnFactor(own, 'totp'),
      () => removeOwnFactor(own, 'totp'),
      () => renewOwnCodes(own),
    ])
      expect(await tell(change()), 'an app that is being set up is none yet').toBe('NOT_FOUND');
    expect(await factorsOf(actor.prismGuid)).toEqual({ totp: false, passkeys: [], codesLeft: 0 });
  });

  test('removing one of two second factors is allowed even if the firm requires one', async () => {
    const { actor } = await withApp(true);
    const [session, { challenge }] = [await sessionOf(actor), await challengeFor('192.0.2.8')];
    await addPasskey(actor.prismGuid, 'Firefox on Linux', created(authenticator(), challenge), challenge);
    await removeOwnFactor(session, 'totp');
    const { totp, passkeys } = await factorsOf(actor.prismGuid);
    expect([totp, passkeys.length]).toEqual([false, 1]);
  });

  test('changing the password ends all other sessions, is announced by mail, and invalidates the old password', async () => {
    const actor = await somebody();
    const [here, there] = [await sessionOf(actor), await startSession(actor, BROWSER)];
    await mailServer.discard();
    await expect(
      changePassword(here, { current: 'not this one', next: 'seven grey lakes sing' }),
    ).rejects.toMatchObject(wrong);
    await expect(changePassword(here, { current: PASSWORD, next: PASSWORD })).rejects.toMatchObject({
      code: 'INVALID',
      details: { password: 'same' },
    });
    await expect(changePassword(here, { current: PASSWORD, next: 'short' })).rejects.toMatchObject({
      code: 'INVALID',
      details: { password: 'tooShort' },
    });
    expect(await findSession(there)).toBeDefined();
    const ofOthers = async () => [
      await db().selectFrom('users').selectAll().where('prism_guid', '!=', actor.prismGuid).execute(),
      await db()
        .selectFrom('pending_sign_ins')
        .selectAll()
        .where('prism_guid', '!=', actor.prismGuid)
        .execute(),
    ];
    const before = await ofOthers();
    expect(before[1], 'somebody is signing in').not.toEqual([]);
    await changePassword(here, { current: PASSWORD, next: 'seven grey lakés sing' });
    expect([await findSession(there), (await listSessions(here)).map(({ isThisOne }) => isThisOne)]).toEqual([
      undefined,
      [true],
    ]);
    expect(await ofOthers()).toEqual(before);
    expect((await mailServer.deliver()).map(({ mail }) => mail.subject)).toEqual([
      'Your password was changed',
    ]);
    expect(await tell(prove(actor.prismGuid, { kind: 'password', password: PASSWORD }, undefined))).toBe(
      'CODE_WRONG',
    );
    expect(
      await prove(
        actor.prismGuid,
        { kind: 'password', password: 'seven grey lakés sing'.normalize('NFD') },
        undefined,
      ),
    ).toEqual(['pwd']);
  });
});

describe('a step-up', () => {
  test('a step-up requires the second factor of those who have one, and the password of the others', async () => {
    const plain = await somebody();
    const password = { kind: 'password', password: PASSWORD } as const;
    expect(await proveAgain(plain.prismGuid, password, undefined)).toEqual(['pwd']);
    const { actor, secret } = await withApp();
    expect(await tell(proveAgain(actor.prismGuid, password, undefined))).toBe('MFA_AUTHENTICATION_REQUIRED');
    const code = { kind: 'totp', code: codeNow(secret) } as const;
    expect(await proveAgain(actor.prismGuid, code, undefined)).toEqual(['otp', 'mfa']);
  });
});

describe('the devices of a person', () => {
  test("the devices of a person are listed by name and ended one by one or all at once, and nobody else's", async () => {
    const [actor, other] = [await somebody(), await somebody()];
    const agent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1';
    const phone = await startSession(actor, {
      amr: ['pwd'],
      device: { userAgent: agent, network: '203.0.113.9' },
    });
    const tablet = await startSession(actor, {
      amr: ['pwd'],
      device: { userAgent: '', network: '203.0.113.10' },
    });
    const [here, stranger] = [await sessionOf(actor), await sessionOf(other)];
    const listed = await listSessions(here);
    expect(listed).toHaveLength(3);
    expect(listed.find(({ network }) => network === '203.0.113.9')).toMatchObject({
      browser: 'Safari',
      system: 'iOS',
      isThisOne: false,
    });
    expect(listed.find(({ isThisOne }) => isThisOne)).toMatchObject({
      id: here.id,
      browser: 'Firefox',
      system: 'Linux',
      network: '192.0.2.1',
    });
    await expect(endOwnSession(stranger, sha256(phone))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await findSession(phone)).toBeDefined();
    await endOwnSession(here, sha256(phone));
    expect(await findSession(phone)).toBeUndefined();
    expect(await endOtherSessions(here)).toBe(1);
    expect(await findSession(tablet)).toBeUndefined();
    expect(await listSessions(stranger)).toHaveLength(1);
  });

  test('the devices of a person are not shown to staff who view as them', async () => {
    const viewing = {
      ...(await sessionOf(await somebody())),
      viewing: { staff: ada, until: now() + MINUTE },
    };
    await expect(listSessions(viewing)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(endOtherSessions(viewing)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
