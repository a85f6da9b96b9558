import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { acceptInvitation, invite } from '#features/identity/invitations/invitations.server.ts';
import { sweepResets } from '#features/identity/recovery/reset.server.ts';
import { contactToRescue, issueRescueCode, rescue } from '#features/identity/recovery/rescue.server.ts';
import { createContact } from '#features/base/people/people.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { DAY, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import type * as Passwords from '#platform/security/passwords.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { makeRecoveryCodes } from '#features/identity/second-factors/recovery-codes.server.ts';
import {
  BROWSER,
  everyRow,
  lockFirm,
  makeCast,
  startMailServer,
  person,
  standAt,
} from '../../support/cast.ts';
import '../../../src/app.server.ts';

/** What happens while a password is hashed, and how often one was. */
const hashing = vi.hoisted(() => ({ happens: () => Promise.resolve(), count: 0 }));
vi.mock('#platform/security/passwords.server.ts', async (original) => {
  const real = await original<typeof Passwords>();
  const hashSecret: typeof real.hashSecret = async (secret) => {
    hashing.count += 1;
    await hashing.happens();
    return real.hashSecret(secret);
  };
  return { ...real, hashSecret };
});

const { ada, ben, sam, zoe, firmOne, firmTwo } = await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 2 * HOUR));

const codesOf = async ({ prismGuid }: typeof ada) =>
  (await db().selectFrom('recovery_codes').select('code_hash').where('prism_guid', '=', prismGuid).execute())
    .length;

const by = (actor: typeof grace, authenticatedAt = now()): Session => ({
  id: 'x',
  actor,
  expiresAt: now() + HOUR,
  amr: ['pwd'],
  authenticatedAt,
  termsDue: false,
});
const NEW = 'nine green kettles sing';
const use = (email: string, code: string, password = NEW) =>
  rescue({ email, code, password, network: '192.0.2.9' });
const wrong = { code: 'SIGN_IN_FAILED' };
const matches = async (prismGuid: string, password: string) =>
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

describe('rescue codes', () => {
  test('a rescue code sets a new password once, requires new second factors, ends all sessions, and is announced by mail', async () => {
    for (const { prismGuid } of [ada, ben]) await makeRecoveryCodes(prismGuid);
    const session = await startSession(ada, BROWSER);
    const { code, expiresAt } = await issueRescueCode(by(grace), ada.contactId);
    expect(code).toMatch(/^(\d{4} ){9}\d{4}$/);
    expect(expiresAt - now()).toBeGreaterThan(DAY - HOUR);
    const [told] = await mailServer.deliver();
    expect([told?.recipients, told?.mail.subject]).toEqual([
      [ada.emailAddress],
      'A one-time access code was created for you',
    ]);
    expect(told?.raw.replace(/\D/g, '')).not.toContain(code.replace(/\D/g, ''));
    expect(JSON.stringify(await everyRow()).includes(code)).toBe(false);
    await use('ADA@one.example', code.replaceAll(' ', ''));
    expect(await matches(ada.prismGuid, NEW)).toBe(true);
    expect([await codesOf(ada), await codesOf(ben)]).toEqual([0, 10]);
    expect(await findSession(session)).toBeUndefined();
    expect((await mailServer.deliver()).map(({ mail }) => mail.subject)).toEqual([
      'Your password was changed',
    ]);
    await expect(use(ada.emailAddress, code, 'another kettle of red fish')).rejects.toMatchObject(wrong);
    const actions = (
      await db()
        .selectFrom('audit')
        .select(['action', 'actor'])
        .where('company_id', '=', firmOne)
        .orderBy('seq')
        .execute()
    ).filter(({ action }) => action.startsWith('rescue'));
    expect(actions).toEqual([
      { action: 'rescue.issue', actor: grace.contactId },
      { action: 'rescue.use', actor: ada.contactId },
    ]);
  });

  test('a rescue code that is wrong, expired, replaced or for an unknown address is refused in the same way', async () => {
    const first = await issueRescueCode(by(grace), ben.contactId);
    const second = await issueRescueCode(by(grace), ben.contactId);
    const tell = (work: Promise<unknown>) =>
      work.then(
        () => 'in',
        (error: unknown) => ({ ...(error as object) }),
      );
    const said = [
      await tell(use(ben.emailAddress, first.code)),
      await tell(use('nobody@one.example', second.code)),
      await tell(use(ben.emailAddress, '0000')),
      await tell(use(ada.emailAddress, second.code)),
    ];
    standAt(now() + DAY);
    said.push(await tell(use(ben.emailAddress, second.code)));
    expect(new Set(said.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(said[0]).toMatchObject(wrong);
    await mailServer.discard();
  });

  test('a rescue code can be tried five times in an hour, whether or not the address is known', async () => {
    const { code } = await issueRescueCode(by(grace), ben.contactId);
    for (const email of [ben.emailAddress, 'nobody@one.example']) {
      for (let i = 0; i < 5; i += 1) await expect(use(email, '1111 2222')).rejects.toMatchObject(wrong);
      await expect(use(email, code)).rejects.toMatchObject({ code: 'TOO_MANY' });
    }
    standAt(now() + HOUR + 1000);
    await use(ben.emailAddress, code);
    await mailServer.discard();
  });

  test('rescue codes can be tried sixty times in a minute from one network, for any number of addresses', async () => {
    for (let i = 0; i < 60; i += 1)
      await expect(
        rescue({ email: `nobody${i}@one.example`, code: '1', password: NEW, network: '192.0.2.10' }),
      ).rejects.toMatchObject(wrong);
    await expect(
      rescue({ email: 'nobody@one.example', code: '1', password: NEW, network: '192.0.2.10' }),
    ).rejects.toMatchObject({ code: 'TOO_MANY' });
    await expect(
      rescue({ email: 'nobody@one.example', code: '1', password: NEW, network: '192.0.2.11' }),
    ).rejects.toMatchObject(wrong);
  });

  test('using a rescue code does not affect that of somebody else', async () => {
    const [first, second] = [
      await issueRescueCode(by(grace), ada.contactId),
      await issueRescueCode(by(grace), ben.contactId),
    ];
    await use(ada.emailAddress, first.code);
    await sweepResets();
    await use(ben.emailAddress, second.code);
    await mailServer.discard();
  });

  test('concurrent uses of a rescue code let one person in', async () => {
    const { code } = await issueRescueCode(by(grace), ben.contactId);
    const said = await Promise.allSettled(
      Array.from({ length: 4 }, (_, i) => use(ben.emailAddress, code, `${NEW} ${i}`)),
    );
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await mailServer.discard();
  });

  test('a rescue code reports a password that is not allowed even for an unknown address', async () => {
    for (const email of [ben.emailAddress, 'nobody@one.example'])
      await expect(use(email, '1', 'short')).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('a password that is not allowed does not use up the rescue code', async () => {
    const { code } = await issueRescueCode(by(grace), ben.contactId);
    await expect(use(ben.emailAddress, code, 'short')).rejects.toMatchObject({
      code: 'INVALID',
      details: { password: 'tooShort' },
    });
    await expect(use(ben.emailAddress, code, 'Ben Birch 2026')).rejects.toMatchObject({
      code: 'INVALID',
      details: { password: 'personal' },
    });
    await use(ben.emailAddress, code);
    await mailServer.discard();
  });

  test('a rescue code does not work while the firm is locked', async () => {
    const { code } = await issueRescueCode(by(grace), ben.contactId);
    await lockFirm(firmOne, true);
    await expect(use(ben.emailAddress, code)).rejects.toMatchObject(wrong);
    await lockFirm(firmOne, false);
    await use(ben.emailAddress, code);
    await mailServer.discard();
  });

  test('a rescue code does not work once the person also belongs to another firm or is staff', async () => {
    const eve = await person(firmOne, 'Eve Early', 'eve@early.example');
    const { code } = await issueRescueCode(by(grace), eve.contactId);
    await createContact({ companyId: firmTwo, prismGuid: eve.prismGuid, fullName: 'Eve Early' });
    await expect(use(eve.emailAddress, code)).rejects.toMatchObject(wrong);
    const fay = await person(firmOne, 'Fay Fast', 'fay@one.example');
    const forFay = await issueRescueCode(by(grace), fay.contactId);
    await db().updateTable('contacts').set({ staff: 1 }).where('contact_id', '=', fay.contactId).execute();
    await expect(use(fay.emailAddress, forFay.code)).rejects.toMatchObject(wrong);
    for (const { prismGuid } of [eve, fay]) expect(await matches(prismGuid, NEW)).toBe(false);
    await mailServer.discard();
  });

  test.each([
    [
      'joins another firm',
      ({ prismGuid, fullName }: typeof ada) => createContact({ companyId: firmTwo, prismGuid, fullName }),
    ],
    [
      'becomes staff',
      ({ contactId }: typeof ada) =>
        db().updateTable('contacts').set({ staff: 1 }).where('contact_id', '=', contactId).execute(),
    ],
  ])('a rescue code does not work if, while it is used, the person %s', async (what, happens) => {
    const hal = await person(firmOne, 'Hal Hasty', `${what.length}@hasty.example`);
    const { code } = await issueRescueCode(by(grace), hal.contactId);
    hashing.happens = async () => void (await happens(hal));
    await expect(use(hal.emailAddress, code)).rejects.toMatchObject(wrong);
    hashing.happens = () => Promise.resolve();
    expect(await matches(hal.prismGuid, NEW)).toBe(false);
    await mailServer.discard();
  });

  test('no password is hashed for somebody who may not be rescued', async () => {
    const jo = await person(firmOne, 'Jo Joint', 'jo@joint.example');
    const { code } = await issueRescueCode(by(grace), jo.contactId);
    await createContact({ companyId: firmTwo, prismGuid: jo.prismGuid, fullName: 'Jo Joint' });
    const before = hashing.count;
    await expect(use(jo.emailAddress, code)).rejects.toMatchObject(wrong);
    expect(hashing.count).toBe(before);
    await mailServer.discard();
  });

  test('a rescue code is invalid once the person accepts an invitation of another firm', async () => {
    const ivy = await person(firmOne, 'Ivy Inn', 'ivy@inn.example');
    const { code } = await issueRescueCode(by(grace), ivy.contactId);
    await mailServer.discard();
    const gus = await person(firmTwo, 'Gus Gate', 'gus@two.example', { role: 'owner' });
    await invite(gus, {
      emailAddress: ivy.emailAddress,
      firstName: 'Ivy',
      lastName: 'Inn',
      language: 'en-us',
      clientIds: [],
    });
    const [message] = await mailServer.deliver();
    await acceptInvitation(/invitation\/([\w-]{43})/.exec(message?.mail.text ?? '')?.[1] ?? '', {
      actor: ivy,
    });
    expect(
      await db()
        .selectFrom('rescue_codes')
        .select('contact_id')
        .where('prism_guid', '=', ivy.prismGuid)
        .execute(),
    ).toEqual([]);
    await expect(use(ivy.emailAddress, code)).rejects.toMatchObject(wrong);
  });

  test('rescue codes are made by authorized staff for contacts of their own firm only: not for staff or people of two firms', async () => {
    for (const actor of [ada, sam])
      await expect(issueRescueCode(by(actor), ben.contactId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const id of [zoe.contactId, 'contact_none'])
      await expect(issueRescueCode(by(grace), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(issueRescueCode(by(grace), sam.contactId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const dan = await person(firmOne, 'Dan Double', 'dan@two.example');
    await createContact({ companyId: firmTwo, prismGuid: dan.prismGuid, fullName: 'Dan Double' });
    await expect(issueRescueCode(by(grace), dan.contactId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(
      issueRescueCode(by(grace, now() - 6 * MINUTE), ben.contactId),
      'who has not proved lately who they are does so first',
    ).rejects.toMatchObject({ code: 'STEP_UP' });
    for (const actor of [ada, sam])
      await expect(contactToRescue(actor, { contactId: ben.contactId })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    expect((await contactToRescue(grace, { contactId: ben.contactId })).emailAddress).toBe(ben.emailAddress);
    await expect(contactToRescue(grace, { contactId: zoe.contactId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await contactToRescue(grace, { email: 'BEN@one.example' })).contactId).toBe(ben.contactId);
    for (const email of [zoe.emailAddress, 'nobody@one.example'])
      await expect(contactToRescue(grace, { email })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await mailServer.deliver()).toEqual([]);
  });
});
