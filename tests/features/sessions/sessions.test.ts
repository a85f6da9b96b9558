import { describe, expect, test } from 'vitest';
import { accessNames } from '#features/base/people/access-settings.server.ts';
import {
  findSession,
  endSession,
  startSession,
  sweepSessions,
} from '#features/identity/sessions/sessions.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { BROWSER, CANARY, everyRow, lockFirm, makeCast, person, standAt } from '../../support/cast.ts';

const { ada, ben, sam, zoe, firmOne, firmTwo } = await makeCast();
const sessions = async () => (await everyRow())['sessions'] ?? [];

describe('sessions', () => {
  test('a session belongs to the contact who signed in, and nobody else', async () => {
    const [adas, bens] = [await startSession(ada, BROWSER), await startSession(ben, BROWSER)];
    expect((await findSession(adas))?.actor).toMatchObject({
      contactId: ada.contactId,
      companyId: firmOne,
      staff: false,
    });
    expect((await findSession(bens))?.actor.contactId).toBe(ben.contactId);
    expect(JSON.stringify(await findSession(adas))).not.toContain(CANARY);
  });

  test('a session cookie has 256 bits that are not stored in the database', async () => {
    const token = await startSession(ada, BROWSER);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(await everyRow()).includes(token)).toBe(false);
    expect((await findSession(token))?.id).toBe(sha256(token));
    expect(await startSession(ada, BROWSER)).not.toBe(token);
  });

  test('a session never uses a cookie value chosen by somebody else', async () => {
    const preset = newToken();
    const before = await sessions();
    for (const cookie of [preset, '', undefined, 'x', sha256(preset)])
      expect(await findSession(cookie)).toBeUndefined();
    expect(await sessions()).toEqual(before);
    const token = await startSession(ada, BROWSER);
    expect(await findSession(preset)).toBeUndefined();
    expect(await findSession(sha256(token))).toBeUndefined();
  });

  test('signing out ends the session on the server, and other sessions continue', async () => {
    const [one, two] = [await startSession(ada, BROWSER), await startSession(ada, BROWSER)];
    await endSession(sha256(one));
    expect(await findSession(one)).toBeUndefined();
    expect((await findSession(two))?.actor.contactId).toBe(ada.contactId);
  });

  test('a session expires after exactly thirty minutes without a request', async () => {
    const [early, late] = [await startSession(ada, BROWSER), await startSession(ada, BROWSER)];
    const started = now();
    const ended = async (): Promise<unknown[]> =>
      db()
        .selectFrom('ended_sessions')
        .select('session_hash')
        .where('session_hash', 'in', [sha256(early), sha256(late)])
        .execute();
    standAt(started + 30 * MINUTE - SECOND);
    expect(await findSession(early)).toBeDefined();
    expect(await ended(), 'one that lives is not remembered as one that ended').toEqual([]);
    standAt(started + 30 * MINUTE + SECOND);
    expect(await findSession(late)).toBeUndefined();
    expect(await findSession(early)).toBeDefined();
    expect(await ended()).toEqual([{ session_hash: sha256(late) }]);
    standAt(started);
    expect(await findSession(late), 'it is gone for good').toBeUndefined();
  });

  test('each request extends a session by thirty minutes, however soon after the one before', async () => {
    const token = await startSession(ada, BROWSER);
    standAt(now() + 59 * SECOND);
    const last = await findSession(token);
    standAt((last?.expiresAt ?? 0) - 5 * SECOND);
    expect(await findSession(token)).toBeDefined();
  });

  test('a session expires after exactly twelve hours, however busy', async () => {
    const [early, late] = [await startSession(ada, BROWSER), await startSession(ada, BROWSER)];
    const started = now();
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      standAt(started + minutes * MINUTE);
      expect(await findSession(early)).toBeDefined();
      expect(await findSession(late)).toBeDefined();
    }
    standAt(started + 12 * HOUR - SECOND);
    expect((await findSession(early))?.expiresAt).toBeLessThanOrEqual(started + 12 * HOUR);
    standAt(started + 12 * HOUR + SECOND);
    expect(await findSession(late)).toBeUndefined();
  });

  test('expired sessions are swept', async () => {
    await startSession(ada, BROWSER);
    standAt(now() + 31 * MINUTE);
    const live = await startSession(ben, BROWSER);
    await sweepSessions();
    expect(await sessions()).toHaveLength(1);
    expect(await findSession(live)).toBeDefined();
  });

  test('a contact of a locked firm has no session, and other firms are not affected', async () => {
    const [adas, sams, zoes] = [
      await startSession(ada, BROWSER),
      await startSession(sam, BROWSER),
      await startSession(zoe, BROWSER),
    ];
    await lockFirm(firmOne, true);
    try {
      expect([await findSession(adas), await findSession(sams)]).toEqual([undefined, undefined]);
      expect((await findSession(zoes))?.actor.companyId).toBe(firmTwo);
    } finally {
      await lockFirm(firmOne, false);
    }
  });

  test('a session ended by locking the firm stays ended when the firm is unlocked', async () => {
    const token = await startSession(ada, BROWSER);
    await lockFirm(firmOne, true);
    expect(await findSession(token)).toBeUndefined();
    await lockFirm(firmOne, false);
    expect(await findSession(token)).toBeUndefined();
  });

  test('a session loses removed rights with the next request: the staff permission, the contact', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example', { role: 'member' });
    const token = await startSession(guest, BROWSER);
    await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', guest.contactId).execute();
    expect((await findSession(token))?.actor.staff).toBe(false);
  });
});

describe('the session call', () => {
  test('the session call returns who is signed in, their rights and the expiry, and no secret', async () => {
    const token = await startSession(ada, BROWSER);
    const session = await findSession(token);
    const answer = await apiAs(ada, session)('GET', '/api/security/v1/session');
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual({
      meta: {
        PrismGuid: ada.prismGuid,
        FirstName: 'Ada',
        LastName: 'Amber',
        EmailAddress: 'ada@one.example',
        SessionExpiresDateTime: new Date(session?.expiresAt ?? 0).toISOString(),
        EmulateePrismGuid: null,
      },
      bindings: {
        ApplicationConfiguration: { CompanyId: firmOne, ContactId: ada.contactId },
        FeatureResourcePermissions: {
          ...Object.fromEntries(accessNames('permission').map((name) => [name, false])),
          DefaultClient: true,
          ccVnext: true,
        },
        InfrastructureAccessControls: [
          'AddFolder',
          'DocumentDeepLink',
          'TaskDeepLink',
          'ShowClientDocsReadToggle',
          'ShowClientCenterNewTaskList',
        ],
      },
    });
    for (const secret of [token, session?.id ?? '-']) expect(text.includes(secret)).toBe(false);
  });

  test('the session call distinguishes staff', async () => {
    expect(await (await apiAs(sam)('GET', '/api/security/v1/session')).json()).toMatchObject({
      bindings: { FeatureResourcePermissions: { DefaultClient: false, DefaultStaff: true } },
    });
  });

  test("signing out removes the row and the cookie and clears the browser's data", async () => {
    const token = await startSession(ada, BROWSER);
    const answer = await apiAs(ada, await findSession(token))('DELETE', '/api/security/v1/session');
    expect([answer.status, await answer.json()]).toEqual([200, { ended: true }]);
    expect(answer.headers.get('set-cookie')).toMatch(/^sid=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.headers.get('clear-site-data')).toContain('"storage"');
    expect(await findSession(token)).toBeUndefined();
  });
});
