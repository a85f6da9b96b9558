import { describe, expect, test } from 'vitest';
import { requireSecondStep } from '#features/base/access/access.server.ts';
import { createFirm, secondStepOf } from '#features/base/firms/firms.server.ts';
import { removeOwnFactor } from '#features/identity/second-factors/second-factors.server.ts';
import { signInWithPassword } from '#features/identity/sign-in/sign-in.server.ts';
import { createContact } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { saveForm } from '#features/identity/sessions/saved-forms.server.ts';
import { findSession, startSession, switchAccount } from '#features/identity/sessions/sessions.server.ts';
import { findTokenSession, issueApiToken } from '#features/identity/sessions/tokens.server.ts';
import { at, DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { sessionAs } from '../../support/api.ts';
import { BROWSER, lockFirm, makeCast, PASSWORD, person, standAt } from '../../support/cast.ts';

/* A firm decides whose sign-in needs two-step verification, and from when. */

const { ada, sam, zoe, tom, firmOne, firmTwo } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
/** A browser whose person entered a password alone. */
const WEAK = { ...BROWSER, amr: ['pwd'] };
const bySelf = sessionAs(hart);
const requireOf = (who: 'nobody' | 'staff' | 'everybody', from = '') =>
  requireSecondStep(bySelf, { who, from });
const dayIn = (days: number): string => dayOf(now() + days * DAY, 'America/New_York');

/** Where somebody goes after the right password: to set up a second factor, or onwards. */
async function nextStepOf({ emailAddress }: Actor): Promise<'sets up' | 'goes on'> {
  const input = {
    email: emailAddress,
    password: PASSWORD,
    network: '192.0.2.1',
    lang: 'en-us',
    returnTo: '/',
  };
  const { location, cookies } = await signInWithPassword(input);
  const continues = cookies.some((cookie) => cookie.startsWith('ticket='));
  expect(continues).toBe(!location.endsWith('/auth/mfa-required'));
  return continues ? 'goes on' : 'sets up';
}

describe('two-step verification required by the firm', () => {
  test('two-step verification is required of the staff of a new firm, and of no contact', async () => {
    expect(
      await secondStepOf(
        await createFirm({ name: 'New', phone: '', email: 'a@new.example', language: 'en-us' }),
      ),
    ).toEqual({ who: 'staff', from: 0 });
    expect([await nextStepOf(sam), await nextStepOf(ada)]).toEqual(['sets up', 'goes on']);
  });

  test('two-step verification is required of those the firm chooses, from the chosen day, and of nobody in another firm', async () => {
    await requireOf('everybody');
    expect([await nextStepOf(sam), await nextStepOf(ada), await nextStepOf(zoe)]).toEqual([
      'sets up',
      'sets up',
      'goes on',
    ]);
    await requireOf('everybody', dayIn(3));
    expect(await nextStepOf(ada)).toBe('goes on');
    standAt(now() + 3 * DAY + MINUTE);
    expect(await nextStepOf(ada)).toBe('sets up');
    await requireSecondStep(sessionAs(hart), { who: 'nobody', from: '' });
    expect([await nextStepOf(sam), await nextStepOf(ada)]).toEqual(['goes on', 'goes on']);
  });

  test.each([
    ['Pacific/Kiritimati', '2031-05-09T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2031-05-10T11:00:00.000Z'],
  ])('two-step verification is required from the start of the day in %s', async (timeZone, first) => {
    const zoneIs = (zone: string) =>
      db().updateTable('firms').set({ time_zone: zone }).where('company_id', '=', firmOne).execute();
    await zoneIs(timeZone);
    await at(Date.parse('2031-05-01T00:00:00Z'), async () => {
      await requireSecondStep(sessionAs(hart), { who: 'everybody', from: '2031-05-10' });
      const { details } = await db()
        .selectFrom('audit')
        .select('details')
        .where('action', '=', 'firm.second-step')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow();
      expect([(await secondStepOf(firmOne)).from, details]).toEqual([
        Date.parse(first),
        expect.stringContaining('"from":"2031-05-10"'),
      ]);
    });
    await requireSecondStep(sessionAs(hart), { who: 'nobody', from: '' });
    await zoneIs('America/New_York');
  });

  test('sessions and tokens of people who signed in without it end when two-step verification begins', async () => {
    const signIn = async (actor: Actor, more: object = {}): Promise<string> =>
      startSession(actor, { ...WEAK, ...more });
    const viewing = { staff: hart, reason: 'to help with an upload', until: now() + 10 * MINUTE };
    const weak = [await signIn(ada), await signIn(sam), await signIn(ada, { viewing })];
    const goOn = [
      await signIn(ada, { amr: BROWSER.amr }),
      await signIn(ada, { viewing, amr: BROWSER.amr }),
      await signIn(zoe),
    ];
    const tokens: string[] = [];
    for (const sid of [weak[0], goOn[0]])
      tokens.push((await issueApiToken((await findSession(sid)) ?? sessionAs(ada))).token);
    const liveOnes = async () => [
      ...(await Promise.all([...weak, ...goOn].map(async (sid) => (await findSession(sid)) !== undefined))),
      ...(await Promise.all(tokens.map(async (token) => (await findTokenSession(token)) !== undefined))),
    ];
    await db()
      .updateTable('firms')
      .set({ second_step: 'everybody', second_step_from: now() + MINUTE })
      .where('company_id', '=', firmOne)
      .execute();
    expect(await liveOnes()).toEqual([true, true, true, true, true, true, true, true]);
    standAt(now() + 2 * MINUTE);
    expect(await findTokenSession(tokens[0] ?? ''), 'while its session has made no request').toBeUndefined();
    expect(await liveOnes()).toEqual([false, false, false, true, true, true, false, true]);
    const form = new FormData();
    form.append('note', 'typed before');
    expect(await saveForm(weak[0] ?? '', '/', form), 'what was typed is not lost').toBeDefined();
    await requireSecondStep(sessionAs(hart), { who: 'nobody', from: '' });
    expect((await liveOnes()).slice(0, 3), 'they have ended for good').toEqual([false, false, false]);
  });

  test('two-step verification required by one of several firms is needed to enter that firm, also by switching accounts', async () => {
    const contactId = await createContact({
      companyId: firmTwo,
      prismGuid: ada.prismGuid,
      fullName: 'Ada Amber',
    });
    const session = await findSession(await startSession(ada, WEAK));
    if (!session) throw new Error('nobody is signed in');
    await db()
      .updateTable('firms')
      .set({ second_step: 'everybody' })
      .where('company_id', '=', firmTwo)
      .execute();
    expect(await nextStepOf(ada)).toBe('sets up');
    await expect(switchAccount(session, contactId, BROWSER.device)).rejects.toMatchObject({
      code: 'MFA_AUTHENTICATION_REQUIRED',
    });
    expect(
      (await switchAccount({ ...session, amr: ['pwd', 'mfa'] }, contactId, BROWSER.device)).actor.companyId,
    ).toBe(firmTwo);
    await lockFirm(firmTwo, true);
    expect(await nextStepOf(ada), 'a locked firm asks for nothing').toBe('goes on');
    await lockFirm(firmTwo, false);
  });

  test('the last second factor cannot be removed while the firm requires one', async () => {
    await db()
      .insertInto('totp_secrets')
      .values({ prism_guid: tom.prismGuid, secret: '', last_step: 0, created_at: now(), confirmed_at: now() })
      .execute();
    await expect(removeOwnFactor(sessionAs(tom), 'totp')).rejects.toMatchObject({ code: 'LOCKED' });
  });
});

describe('who may require two-step verification', () => {
  test('only recently authenticated people who manage the firm can require two-step verification, and it is in the audit log', async () => {
    for (const actor of [ada, sam, { ...hart, viewedBy: 'contact_x' }]) {
      await expect(requireSecondStep(sessionAs(actor), { who: 'nobody', from: '' })).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    }
    const stale = sessionAs(hart, { authenticatedAt: now() - 6 * MINUTE });
    await expect(requireSecondStep(stale, { who: 'nobody', from: '' })).rejects.toMatchObject({
      code: 'STEP_UP',
    });
    await expect(
      requireSecondStep(sessionAs(hart), { who: 'staff', from: dayIn(400) }),
    ).rejects.toMatchObject({ code: 'INVALID' });
    await requireSecondStep(sessionAs(hart), { who: 'staff', from: dayIn(10) });
    const [entry] = await db()
      .selectFrom('audit')
      .select(['actor', 'details'])
      .where('company_id', '=', firmOne)
      .where('action', '=', 'firm.second-step')
      .orderBy('seq', 'desc')
      .limit(1)
      .execute();
    expect([entry?.actor, JSON.parse(entry?.details ?? '{}')]).toEqual([
      hart.contactId,
      { who: 'staff', from: dayIn(10) },
    ]);
  });
});
