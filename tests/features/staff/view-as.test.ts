import { beforeEach, describe, expect, test } from 'vitest';
import { decideAccess, endSessionsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import {
  endExpiredImpersonation,
  noteImpersonatedRequest,
  personToViewAs,
  startViewing,
} from '#features/office/staff/view-as.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { peopleGrid } from '#features/clients/directory/people-grid.server.ts';
import { HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { API_ROUTES } from '../../../src/api.server.ts';
import { PAGES, denialReason } from '../../../src/routes.ts';
import { ask } from '../../authz/requests.ts';
import {
  BROWSER,
  CANARY,
  client,
  everyRow,
  uploadAs,
  lockFirm,
  makeCast,
  person,
  standAt,
} from '../../support/cast.ts';

const { ada, ben, sam, zoe, tom, firmOne, clientA, projectA } = await makeCast();
const document = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const REASON = 'CANARY-REASON she asked me to look';
const PATH = '/api/security/v1/view-as';

/** A new staff member who may view as contacts, and their cookie. */
let hart: Actor;
let cookie = '';
let people = 0;
beforeEach(async () => {
  await lockFirm(firmOne, false);
  hart = await person(firmOne, 'Eleanor Hart', `hart${(people += 1)}@one.example`, { role: 'owner' });
  cookie = `sid=${await startSession(hart, BROWSER)}`;
});

const view = (as: string, contactId: string, reason = REASON) =>
  ask('post', PATH, as, { json: { contactId, reason } });
const codeOf = ({ status, body }: { status: number; body: string }): [number, string | undefined] => [
  status,
  (JSON.parse(body) as { errors?: { code: string }[] }).errors?.[0]?.code,
];
const given = (answer: { headers: Record<string, string> }): string =>
  (answer.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';
const tokenOf = (as: string): string => as.slice('sid='.length);
const whoIs = async (as: string) => findSession(tokenOf(as));

/** Starts viewing as Ada; returns the cookie. */
async function viewAsAda(): Promise<string> {
  const answer = await view(cookie, ada.contactId);
  expect(answer.status).toBe(200);
  return given(answer);
}

const entries = async (action: string) =>
  (
    await db()
      .selectFrom('audit')
      .selectAll()
      .where('company_id', '=', firmOne)
      .where('action', '=', action)
      .orderBy('seq')
      .execute()
  ).filter(({ actor }) => actor === hart.contactId);

describe('staff viewing as a contact', () => {
  test('staff see what the contact sees, for thirty minutes, and the session shows who is viewing', async () => {
    const started = now();
    const viewing = await viewAsAda();
    const session = await whoIs(viewing);
    expect(session?.actor).toMatchObject({
      contactId: ada.contactId,
      staff: false,
      viewedBy: hart.contactId,
    });
    expect((session?.viewing?.until ?? 0) - started).toBeLessThanOrEqual(30 * MINUTE + SECOND);
    const bindings = JSON.parse((await ask('get', '/api/security/v1/session', viewing)).body) as {
      meta: object;
    };
    expect(bindings.meta).toMatchObject({
      FirstName: 'Ada',
      EmulateePrismGuid: ada.prismGuid,
      PrismGuid: hart.prismGuid,
    });
    expect((await ask('get', '/api/client-center/v1/clients/', viewing)).body).toContain('Amber Bakery');
  });

  test('viewing as a contact starts and ends with a new session id, and the own session keeps its age and proofs', async () => {
    const before = await whoIs(cookie);
    standAt(now() + 2 * MINUTE);
    const viewing = await viewAsAda();
    standAt(now() + 3 * MINUTE);
    const back = given(await ask('delete', PATH, viewing));
    expect(new Set([cookie, viewing, back]).size).toBe(3);
    expect([await whoIs(cookie), await whoIs(viewing)]).toEqual([undefined, undefined]);
    const after = await whoIs(back);
    expect(after?.actor.contactId).toBe(hart.contactId);
    expect([after?.authenticatedAt, after?.amr]).toEqual([before?.authenticatedAt, before?.amr]);
    const row = await db()
      .selectFrom('sessions')
      .select('created_at')
      .where('session_hash', '=', after?.id ?? '')
      .executeTakeFirst();
    expect(row?.created_at).toBe(before?.authenticatedAt);
  });

  test('viewing as a contact is audited with both names, and the reason encrypted for the firm', async () => {
    const viewing = await viewAsAda();
    await ask('delete', PATH, viewing);
    for (const action of ['view.start', 'view.end']) {
      const [entry] = await entries(action);
      expect([entry?.target, JSON.parse(entry?.details ?? '{}')]).toMatchObject([
        ada.contactId,
        { subject: ada.contactId },
      ]);
    }
    expect(JSON.stringify(await everyRow())).not.toContain('CANARY-REASON');
  });

  test('viewing as a contact requires a reason of 10 to 500 characters', async () => {
    for (const reason of ['', 'too short', ' '.repeat(30), 'x'.repeat(501)])
      expect((await view(cookie, ada.contactId, reason)).status).toBe(422);
    expect((await view(cookie, ada.contactId, 'x'.repeat(500))).status).toBe(200);
  });

  test('viewing as a contact requires a step-up if the last proof is more than five minutes old', async () => {
    standAt(now() + 5 * MINUTE + SECOND);
    expect(codeOf(await view(cookie, ada.contactId))).toEqual([403, 'STEP_UP']);
    expect((await whoIs(cookie))?.actor.contactId, 'their session goes on').toBe(hart.contactId);
  });

  test('viewing as a contact is refused during another view, without the right, and with an ended session', async () => {
    const [own, looking] = [await whoIs(cookie), await whoIs(await viewAsAda())];
    const other = await whoIs(`sid=${await startSession(sam, BROWSER)}`);
    if (!own || !looking || !other) throw new Error('A session of this test is not there.');
    const rows = (await everyRow())['views'];
    await expect(personToViewAs(looking, ben.contactId)).rejects.toMatchObject({
      code: 'EMULATION_READ_ONLY',
    });
    await expect(personToViewAs(other, ben.contactId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(
      personToViewAs({ ...other, actor: { ...ada, access: hart.access } }, ben.contactId),
      'a contact is no staff, whatever they are granted',
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(
      startViewing(own, { contactId: ben.contactId, reason: REASON }),
      'it was exchanged for the look',
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await everyRow())['views']).toEqual(rows);
  });

  test('viewing as a contact does not count as a visit of the contact', async () => {
    const never = await person(firmOne, 'Nina Never', `nina${people}@one.example`);
    expect((await view(cookie, never.contactId)).status).toBe(200);
    const query = gridQueryOf(peopleGrid, peopleGrid.parameters.parse({ searchTerm: 'nina never' }));
    expect((await readGrid(peopleGrid, hart, query)).rows).toMatchObject([
      { state: 'new', lastSeenAt: undefined },
    ]);
  });

  test('staff return to their own session with the next page after the time is up', async () => {
    const viewing = await viewAsAda();
    for (let minutes = 10; minutes <= 30; minutes += 10) {
      standAt(now() + 10 * MINUTE);
      if (minutes < 30)
        expect(
          [await whoIs(viewing), await endExpiredImpersonation(tokenOf(viewing))],
          'before that nothing ends it',
        ).toEqual([expect.anything(), undefined]);
    }
    standAt(now() + SECOND);
    expect(await whoIs(viewing)).toBeUndefined();
    const back = await endExpiredImpersonation(tokenOf(viewing));
    expect((await findSession(back))?.actor.contactId).toBe(hart.contactId);
    expect(await endExpiredImpersonation(tokenOf(viewing)), 'only once').toBeUndefined();
    expect(await entries('view.end')).toHaveLength(1);
    for (const none of ['', undefined]) expect(await endExpiredImpersonation(none)).toBeUndefined();
  });
});

describe('an impersonated session', () => {
  test('every unsafe call and page is refused while viewing as a contact, except those that end it', async () => {
    const viewing = await viewAsAda();
    const session = await whoIs(viewing);
    const free: string[] = [];
    for (const route of API_ROUTES.filter(({ method, who }) => method !== 'get' && who !== 'demo')) {
      if (route.whileViewing) free.push(`${route.method} ${route.path}`);
      else
        expect(
          codeOf(
            await ask(route.method, route.path.replaceAll(/\{\w+\}/g, projectA.id), viewing, { json: {} }),
          ),
          route.path,
        ).toEqual([403, 'EMULATION_READ_ONLY']);
    }
    for (const [pattern, guard] of Object.entries(PAGES).filter(([, { who }]) => who !== 'demo')) {
      const code = denialReason(guard, session, { method: 'POST', isDemo: false });
      if (code !== 'EMULATION_READ_ONLY') free.push(pattern);
    }
    // Calls that end the view, one that extends it up to its own limit, searches, which only read, estimates and checks,
    // which store nothing, and reporting a problem.
    expect(free.toSorted()).toEqual([
      '/[base]/[lang]/actions/service-request/mocks/termination',
      '/[base]/[lang]/actions/service-request/mocks/vacation',
      '/[base]/[lang]/auth/continue',
      '/[base]/[lang]/auth/leaving',
      '/[base]/[lang]/auth/logout',
      '/[base]/[lang]/help/report', // a report names the member of staff, too
      '/[base]/[lang]/staff/view-as/end',
      'delete /api/security/v1/session',
      'delete /api/security/v1/view-as',
      'post /api/core/v3/companies/{companyId}/clients/search',
      'post /api/logging/v1/log', // writes to the log of the operator only
      'post /api/notes/v1/comments/search',
      'post /api/security/v1/session/extend',
      'post /api/service-request/v1/requests/{id}/check',
      'post /api/storage/v1/itemmetadata/filter',
    ]);
  });

  test('reading while viewing as a contact marks nothing read, and changes only the own session and the audit log', async () => {
    const others = async (): Promise<Record<string, unknown>> => {
      const { audit: _audit, audit_heads: _heads, sessions: _sessions, limits, ...rows } = await everyRow();
      // Downloads count towards the limit of the staff member (threat-model.md T67), not the contact's.
      return {
        ...rows,
        limits: limits?.filter(
          (row) =>
            !/"limit_key":"download:[^:]/.test(JSON.stringify(row)) &&
            JSON.stringify(row).includes(ada.contactId),
        ),
      };
    };
    const fresh = await client(firmOne, 'Fresh Fields', 'F-9', [ada]);
    const viewing = await viewAsAda();
    const before = await others();
    const fetched = await ask(
      'get',
      `/api/storage/v1/projects/${projectA.id}/documents/${document.id}`,
      viewing,
    );
    expect([fetched.status, fetched.body.startsWith('%PDF')]).toEqual([200, true]);
    for (const clientId of [clientA, fresh])
      expect(
        (await ask('get', `/api/storage/v1/containers/documents?clientId=${clientId}`, viewing)).status,
      ).toBe(200);
    expect(await others()).toEqual(before);
    const adas = `sid=${await startSession(ada, BROWSER)}`;
    await ask('get', `/api/storage/v1/projects/${projectA.id}/documents/${document.id}`, adas);
    expect((await others())['document_reads'], 'the contact themselves mark it read').not.toEqual(
      before['document_reads'],
    );
  });

  test('viewing as a contact is audited once per request, with both people, the route and its target', async () => {
    const session = await whoIs(await viewAsAda());
    if (!session) throw new Error('the look must be alive');
    await noteImpersonatedRequest(session, {
      method: 'GET',
      route: '/api/storage/v1/projects/{id}/documents/{documentId}',
      address: `/api/storage/v1/projects/${projectA.id}/documents/${document.id}?x=secret`,
    });
    await noteImpersonatedRequest(session, { method: 'POST', route: '/x', address: '/x' });
    expect([(await entries('view.read')).length, (await entries('view.refuse')).length]).toEqual([1, 1]);
    const [entry] = await entries('view.read');
    expect([entry?.target, JSON.parse(entry?.details ?? '')]).toEqual([
      ada.contactId,
      {
        subject: ada.contactId,
        route: '/api/storage/v1/projects/{id}/documents/{documentId}',
        about: `${projectA.id} ${document.id}`,
      },
    ]);
  });
});

describe('an impersonation cannot be escaped (threat-model.md T17)', () => {
  test('1: a view cannot be started within a view', async () => {
    const viewing = await viewAsAda();
    expect(codeOf(await view(viewing, ben.contactId))).toEqual([403, 'EMULATION_READ_ONLY']);
    expect((await whoIs(viewing))?.actor.contactId).toBe(ada.contactId);
  });

  test('2: viewing as a contact of another firm is refused exactly as for an unknown contact', async () => {
    const [theirs, nobody] = [
      await view(cookie, zoe.contactId),
      await view(cookie, `contact_${'0'.repeat(32)}`),
    ];
    expect(theirs).toEqual(nobody);
    expect(codeOf(theirs)).toEqual([404, 'NOT_FOUND']);
    expect(theirs.body).not.toContain(CANARY);
    expect(codeOf(await view(cookie, tom.contactId))).toEqual([404, 'NOT_FOUND']);
  });

  test('3: staff cannot view as other staff or themselves', async () => {
    for (const { contactId } of [sam, hart])
      expect(codeOf(await view(cookie, contactId))).toEqual([404, 'NOT_FOUND']);
  });

  test('4: people who are no longer staff lose the view with the next request', async () => {
    const viewing = await viewAsAda();
    await db().updateTable('contacts').set({ staff: 0 }).where('contact_id', '=', hart.contactId).execute();
    expect([(await ask('get', '/api/security/v1/session', viewing)).status, await whoIs(viewing)]).toEqual([
      401,
      undefined,
    ]);
    expect(await endExpiredImpersonation(tokenOf(viewing))).toBeUndefined();
  });

  test('5: the right to view is required at the start, and its removal ends the view', async () => {
    const viewing = await viewAsAda();
    await decideAccess(firmOne, hart.contactId, { kind: 'permission', name: 'ViewAs' }, false);
    expect((await ask('get', '/api/security/v1/session', viewing)).status).toBe(401);
    expect(await entries('view.end')).toHaveLength(1);
    const again = `sid=${await startSession(hart, BROWSER)}`;
    expect(codeOf(await view(again, ada.contactId))).toEqual([403, 'FORBIDDEN']);
    for (const actor of [ada, sam])
      expect(codeOf(await view(`sid=${await startSession(actor, BROWSER)}`, ben.contactId))).toEqual([
        403,
        'FORBIDDEN',
      ]);
  });

  test('6: a view ends once, and of two concurrent exits one gives a session', async () => {
    const viewing = await viewAsAda();
    const session = await whoIs(viewing);
    const answers = await Promise.all([ask('delete', PATH, viewing), ask('delete', PATH, viewing)]);
    expect(answers.map(given).filter((one) => one !== '')).toHaveLength(1);
    expect((await ask('delete', PATH, viewing)).status).toBe(401);
    expect([await whoIs(viewing), session?.viewing?.staff.contactId]).toEqual([undefined, hart.contactId]);
    expect(await entries('view.end')).toHaveLength(1);
  });

  test('7: the cookie of the view is invalid after the exit, and the previous cookie during it', async () => {
    const viewing = await viewAsAda();
    expect((await ask('get', '/api/security/v1/session', cookie)).status).toBe(401);
    await ask('delete', PATH, viewing);
    for (const old of [cookie, viewing])
      expect((await ask('get', '/api/security/v1/session', old)).status).toBe(401);
  });

  test('8: locking the firm ends the view', async () => {
    const viewing = await viewAsAda();
    await lockFirm(firmOne, true);
    expect((await ask('get', '/api/security/v1/session', viewing)).status).toBe(401);
    await lockFirm(firmOne, false);
    expect(await whoIs(viewing)).toBeUndefined();
  });

  test('9: the view of a contact who became staff or moved to another firm ends', async () => {
    const guest = await person(firmOne, 'Gus Guest', `gus${people}@one.example`);
    const viewing = given(await view(cookie, guest.contactId));
    await db().updateTable('contacts').set({ staff: 1 }).where('contact_id', '=', guest.contactId).execute();
    expect((await ask('get', '/api/security/v1/session', viewing)).status).toBe(401);
  });

  test('10: the session of the contact and that of the view share nothing', async () => {
    const adas = `sid=${await startSession(ada, BROWSER)}`;
    const viewing = await viewAsAda();
    await ask('delete', PATH, viewing);
    expect((await whoIs(adas))?.viewing, 'the contact goes on').toBeUndefined();
    expect((await whoIs(adas))?.actor.viewedBy).toBeUndefined();
    expect(JSON.parse((await ask('delete', PATH, adas)).body)).toEqual({ ended: false });
  });

  test('11: signing out ends the view without returning to the own session', async () => {
    const viewing = await viewAsAda();
    expect((await ask('delete', '/api/security/v1/session', viewing)).status).toBe(200);
    for (const old of [viewing, cookie]) expect(await whoIs(old)).toBeUndefined();
    expect(await entries('view.end')).toHaveLength(1);
    const other = `sid=${await startSession(hart, BROWSER)}`;
    const second = given(await view(other, ada.contactId));
    await endSessionsOf(hart.prismGuid);
    expect(await whoIs(second), 'sessions of the staff end with their looks').toBeUndefined();
  });

  test('12: a view ends after its time, and after the twelve hours of the original sign-in', async () => {
    const viewing = await viewAsAda();
    const started = now();
    for (let minutes = 15; minutes <= 30; minutes += 15) {
      standAt(started + minutes * MINUTE);
      await whoIs(viewing);
    }
    standAt(started + 30 * MINUTE + SECOND);
    expect((await ask('get', '/api/security/v1/session', viewing)).status).toBe(401);
    await db()
      .updateTable('sessions')
      .set({ created_at: now() - 12 * HOUR - SECOND })
      .where('session_hash', '=', sha256(tokenOf(viewing)))
      .execute();
    expect([await endExpiredImpersonation(tokenOf(viewing)), await whoIs(viewing)]).toEqual([
      undefined,
      undefined,
    ]);
    const remembered = db()
      .selectFrom('ended_sessions')
      .where('session_hash', '=', sha256(tokenOf(viewing)));
    expect(await remembered.selectAll().execute(), 'no form of the contact is kept for it').toEqual([]);
  });
});

test('an EmulateePrismGuid sent by the caller has no effect anywhere (threat-model.md T18)', async () => {
  const sams = `sid=${await startSession(hart, BROWSER)}`;
  const plain = await ask('get', '/api/security/v1/session', sams);
  const identity = (body: string) =>
    (JSON.parse(body) as { meta: { PrismGuid: string; EmulateePrismGuid: string | null } }).meta;
  const guid = ada.prismGuid;
  const tries = [
    await ask('get', `/api/security/v1/session?EmulateePrismGuid=${guid}&emulateePrismGuid=${guid}`, sams),
    await ask('get', '/api/security/v1/session', `${sams}; EmulateePrismGuid=${guid}; emulatee=${guid}`),
    await ask(
      'get',
      '/api/security/v1/session',
      sams,
      {},
      { EmulateePrismGuid: guid, 'x-emulatee-prism-guid': guid, emulateeprismguid: guid },
    ),
  ];
  for (const answer of tries)
    expect([identity(answer.body).PrismGuid, identity(answer.body).EmulateePrismGuid]).toEqual([
      identity(plain.body).PrismGuid,
      null,
    ]);
  const body = await ask('post', '/api/storage/v1/folders', sams, {
    json: { name: 'Mine', parentId: clientA, parentType: 'Client', EmulateePrismGuid: guid },
  });
  expect(body.status, 'a field that the contract does not know is refused').toBe(422);
});
