import { describe, expect, test } from 'vitest';
import { accountsOf, actorOf, createContact } from '#features/base/people/people.server.ts';
import { setSecondStep } from '#features/base/firms/firms.server.ts';
import { namedIn, type Actor, type Named } from '#features/base/people/people.ts';
import { accountFor } from '#features/identity/sessions/accounts.server.ts';
import { findSession, startSession, switchAccount } from '#features/identity/sessions/sessions.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { readCookie } from '#platform/http/cookies.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { BROWSER, lockFirm, makeCast, standAt } from '../../support/cast.ts';

const { ada, ben, sam, zoe, firmOne, firmTwo, clientA, clientB, clientTwo } = await makeCast();
const second = await actorOf(
  await createContact({
    companyId: firmTwo,
    prismGuid: ada.prismGuid,
    fullName: 'Ada of two',
    role: 'member',
  }),
);
await setSecondStep(firmTwo, { who: 'nobody', from: 0 }); // people without a second factor are redirected to set one up instead
const path = '/api/security/v1/account-switch';

async function signedIn(actor = ada) {
  const token = await startSession(actor, BROWSER);
  const session = await findSession(token);
  if (!session) throw new Error('There is no session.');
  return { token, session };
}

describe('the accounts of a user', () => {
  test('a user has one account per firm, and sees only their own', async () => {
    const { accounts } = (await (
      await apiAs(ada)('GET', '/api/security/v1/accounts?active=true&onlyClientCenter=true')
    ).json()) as { accounts: { contactId: string; current: boolean; staff: boolean }[] };
    expect(accounts.map(({ contactId, current, staff }) => [contactId, current, staff]).toSorted()).toEqual(
      [
        [ada.contactId, true, false],
        [second.contactId, false, true],
      ].toSorted(),
    );
    expect(await (await apiAs(ben)('GET', '/api/security/v1/accounts')).json()).toMatchObject({
      accounts: [{ contactId: ben.contactId }],
    });
  });

  test("staff viewing as a user see only that user's account of their own firm", async () => {
    const answer = await apiAs(ada, impersonating(ada, sam))('GET', '/api/security/v1/accounts');
    expect(await answer.json()).toMatchObject({
      accounts: [{ contactId: ada.contactId, companyId: firmOne, current: true }],
    });
  });

  test('accounts of locked firms are left out when only active ones are requested', async () => {
    await lockFirm(firmTwo, true);
    const all: unknown = await (await apiAs(ada)('GET', '/api/security/v1/accounts')).json();
    const active: unknown = await (await apiAs(ada)('GET', '/api/security/v1/accounts?active=true')).json();
    await lockFirm(firmTwo, false);
    expect([all, active]).toMatchObject([
      { accounts: { length: 2 } },
      { accounts: [{ contactId: ada.contactId, active: true }] },
    ]);
    expect(
      (all as { accounts: { companyId: string; active: boolean }[] }).accounts.map(
        ({ companyId, active: isOpen }) => [companyId, isOpen],
      ),
    ).toEqual(
      expect.arrayContaining([
        [firmOne, true],
        [firmTwo, false],
      ]),
    );
  });
});

describe('an address that names a firm or a client', () => {
  const about = async (actor: Actor, named: Named) => (await accountFor(sessionAs(actor), named))?.contactId;

  test('an address opens in the current account if it has access, else in another account of the same person', async () => {
    expect(await about(ada, { firm: firmOne, client: clientA })).toBe(ada.contactId);
    expect(await about(ada, { client: clientA })).toBe(ada.contactId);
    expect(await about(ada, { firm: firmTwo })).toBe(second.contactId);
    expect(await about(ada, { client: clientTwo }), 'staff of the second firm act for all its clients').toBe(
      second.contactId,
    );
    expect(await about(second, { firm: firmOne, client: clientA })).toBe(ada.contactId);
  });

  test.each([
    ['a client of somebody else', { client: clientB }],
    ['a client under the wrong firm', { firm: firmTwo, client: clientA }],
    ['nobody', { client: 'client_0' }],
    ['no firm', { firm: 'firm_0' }],
  ])('an address opens in no account if it names %s', async (_, named) => {
    expect(await about(ada, named)).toBeUndefined();
    expect(await about(ben, { firm: firmTwo })).toBeUndefined();
  });

  test('an address opens in no account of a locked firm, nor in another account for staff viewing as the person', async () => {
    expect(await accountFor(impersonating(ada, sam), { firm: firmTwo })).toBeUndefined();
    expect((await accountFor(impersonating(ada, sam), { client: clientA }))?.contactId).toBe(ada.contactId);
    await lockFirm(firmTwo, true);
    expect(await about(ada, { firm: firmTwo })).toBeUndefined();
    await lockFirm(firmTwo, false);
  });

  test.each([
    ['/clientcenter/en-us/documents', undefined],
    ['/clientcenter/en-us/documents?folder=f', undefined],
    ['/clientcenter/en-us/documents?firm=firm_1&client=client_1', { firm: 'firm_1', client: 'client_1' }],
    ['/clientcenter/en-us/company/client_1', { client: 'client_1' }],
    ['/clientcenter/en-us/company/firm_1', { firm: 'firm_1' }],
    ['/clientcenter/en-us/company/letters-only', undefined],
    [`/clientcenter/en-us/?client=${'x'.repeat(99)}`, { client: 'x'.repeat(60) }],
  ])('the firm and client are read from %s', (address, named) => {
    expect(namedIn(new URL(address, 'https://portal.example'))).toEqual(named);
  });
});

describe('switching accounts', () => {
  test('switching accounts starts a new session as the other contact and invalidates the old cookie', async () => {
    const { token, session } = await signedIn();
    const answer = await apiAs(ada, session)('POST', path, { json: { contactId: second.contactId } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { contactId: second.contactId, companyId: firmTwo, staff: true },
    ]);
    const cookies = answer.headers.getSetCookie();
    const fresh = readCookie(cookies.find((cookie) => cookie.startsWith('sid='))?.split(';')[0], 'sid');
    expect(fresh).not.toBe(token);
    expect(await findSession(token)).toBeUndefined();
    expect((await findSession(fresh))?.actor).toMatchObject({
      contactId: second.contactId,
      companyId: firmTwo,
      staff: true,
    });
    expect(cookies.some((cookie) => cookie.startsWith('client=;'))).toBe(true);
  });

  test.each([
    ['a contact of somebody else in the same firm', () => ben.contactId],
    ['a contact of somebody else in another firm', () => zoe.contactId],
    ['nobody', () => 'contact_nobody'],
  ])('switching to %s answers "not found", and the session continues', async (_, contactId) => {
    const { token, session } = await signedIn();
    expect((await apiAs(ada, session)('POST', path, { json: { contactId: contactId() } })).status).toBe(404);
    expect((await findSession(token))?.actor.contactId).toBe(ada.contactId);
  });

  test('switching to a locked firm answers "not found"', async () => {
    const { token, session } = await signedIn();
    await lockFirm(firmTwo, true);
    await expect(switchAccount(session, second.contactId, BROWSER.device)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await lockFirm(firmTwo, false);
    expect(await findSession(token)).toBeDefined();
  });

  test('switching accounts neither renews a proof nor prolongs the sign-in, however old other sessions are', async () => {
    const { session } = await signedIn();
    const started = now();
    await db()
      .updateTable('sessions')
      .set({ created_at: started - 11 * HOUR })
      .where('session_hash', '!=', session.id)
      .execute();
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      standAt(started + minutes * MINUTE);
      await db()
        .updateTable('sessions')
        .set({ last_seen_at: now() })
        .where('session_hash', '=', session.id)
        .execute();
    }
    const { token } = await switchAccount(session, second.contactId, BROWSER.device);
    expect((await findSession(token))?.authenticatedAt).toBe(session.authenticatedAt);
    standAt(started + 12 * HOUR + SECOND);
    expect(await findSession(token)).toBeUndefined();
  });

  test('switching accounts is in the audit log of the firm that was left', async () => {
    const { session } = await signedIn();
    await switchAccount(session, second.contactId, BROWSER.device);
    const rows = await db()
      .selectFrom('audit')
      .select(['actor', 'action', 'target'])
      .where('company_id', '=', firmOne)
      .where('action', '=', 'session.switch')
      .orderBy('seq', 'desc')
      .limit(1)
      .execute();
    expect(rows).toEqual([{ actor: ada.contactId, action: 'session.switch', target: second.contactId }]);
  });

  test('the next sign-in enters the account used last', async () => {
    await startSession(ada, BROWSER);
    expect((await accountsOf(ada.prismGuid))[0]?.contactId).toBe(ada.contactId);
    const { session } = await signedIn();
    await switchAccount(session, second.contactId, BROWSER.device);
    expect((await accountsOf(ada.prismGuid))[0]?.contactId).toBe(second.contactId);
    const bens = await actorOf(
      await createContact({ companyId: firmTwo, prismGuid: ben.prismGuid, fullName: 'Ben of two' }),
    );
    await startSession(bens, BROWSER);
    expect(
      [(await accountsOf(ben.prismGuid))[0]?.contactId, (await accountsOf(ada.prismGuid))[0]?.contactId],
      'each their own',
    ).toEqual([bens.contactId, second.contactId]);
  });

  test('switching accounts is refused while viewing as a contact', async () => {
    const { session } = await signedIn();
    await expect(
      switchAccount(
        { ...session, viewing: { staff: zoe, until: now() + HOUR } },
        second.contactId,
        BROWSER.device,
      ),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
