import { describe, expect, test } from 'vitest';
import { PERMISSIONS } from '#features/people/people.ts';
import { findSession, endSession, startSession, sweepSessions } from '#features/session/session.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { BROWSER, CANARY, everyRow, lockFirm, makeCast, person, standAt } from '../../support/cast.ts';

const { ada, ben, sam, zoe, firmOne, firmTwo } = await makeCast();
const sessions = async () => (await everyRow())['sessions'] ?? [];

describe('a session', () => {
  test('is the contact who signed in, and nobody else', async () => {
    const [adas, bens] = [await startSession(ada, BROWSER), await startSession(ben, BROWSER)];
    expect((await findSession(adas))?.actor).toMatchObject({
      contactId: ada.contactId,
      companyId: firmOne,
      staff: false,
    });
    expect((await findSession(bens))?.actor.contactId).toBe(ben.contactId);
    expect(JSON.stringify(await findSession(adas))).not.toContain(CANARY);
  });

  test('has a cookie of 256 bits that stands nowhere in the database', async () => {
    const token = await startSession(ada, BROWSER);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(await everyRow()).includes(token)).toBe(false);
    expect((await findSession(token))?.id).toBe(sha256(token));
    expect(await startSession(ada, BROWSER)).not.toBe(token);
  });

  test('is never that of a cookie which somebody else chose', async () => {
    const preset = newToken();
    const before = await sessions();
    for (const cookie of [preset, '', undefined, 'x', sha256(preset)])
      expect(await findSession(cookie)).toBeUndefined();
    expect(await sessions()).toEqual(before);
    const token = await startSession(ada, BROWSER);
    expect(await findSession(preset)).toBeUndefined();
    expect(await findSession(sha256(token))).toBeUndefined();
  });

  test('ends on the server: the cookie is worth nothing afterwards, the other sessions go on', async () => {
    const [one, two] = [await startSession(ada, BROWSER), await startSession(ada, BROWSER)];
    await endSession(sha256(one));
    expect(await findSession(one)).toBeUndefined();
    expect((await findSession(two))?.actor.contactId).toBe(ada.contactId);
  });

  test('ends after thirty minutes without a request, to the second', async () => {
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

  test('lives for thirty minutes after the last request, however soon that came after the one before', async () => {
    const token = await startSession(ada, BROWSER);
    standAt(now() + 59 * SECOND);
    const last = await findSession(token);
    standAt((last?.expiresAt ?? 0) - 5 * SECOND);
    expect(await findSession(token)).toBeDefined();
  });

  test('ends after twelve hours, to the second, however busy', async () => {
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

  test('is swept away once nobody can use it', async () => {
    await startSession(ada, BROWSER);
    standAt(now() + 31 * MINUTE);
    const live = await startSession(ben, BROWSER);
    await sweepSessions();
    expect(await sessions()).toHaveLength(1);
    expect(await findSession(live)).toBeDefined();
  });

  test('is none for a contact of a locked firm; other firms work on', async () => {
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

  test('that a locked firm ended stays ended when the firm is opened again', async () => {
    const token = await startSession(ada, BROWSER);
    await lockFirm(firmOne, true);
    expect(await findSession(token)).toBeUndefined();
    await lockFirm(firmOne, false);
    expect(await findSession(token)).toBeUndefined();
  });

  test('loses with the next request what was taken away: the staff right, the contact', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example', { staff: true });
    const token = await startSession(guest, BROWSER);
    await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', guest.contactId).execute();
    expect((await findSession(token))?.actor.staff).toBe(false);
  });
});

describe('the session call', () => {
  test('tells who is signed in, with which rights and until when, and no secret', async () => {
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
          ...Object.fromEntries(PERMISSIONS.map((name) => [name, false])),
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

  test('tells staff apart', async () => {
    expect(await (await apiAs(sam)('GET', '/api/security/v1/session')).json()).toMatchObject({
      bindings: { FeatureResourcePermissions: { DefaultClient: false, DefaultStaff: true } },
    });
  });

  test('signs out: the row is gone, the cookie is dropped, the browser forgets', async () => {
    const token = await startSession(ada, BROWSER);
    const answer = await apiAs(ada, await findSession(token))('DELETE', '/api/security/v1/session');
    expect([answer.status, await answer.json()]).toEqual([200, { ended: true }]);
    expect(answer.headers.get('set-cookie')).toMatch(/^sid=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.headers.get('clear-site-data')).toContain('"storage"');
    expect(await findSession(token)).toBeUndefined();
  });
});
