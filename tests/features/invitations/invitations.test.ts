import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  acceptInvitation,
  invite,
  listInvitations,
  revokeInvitation,
  sendAgain,
  viewInvitation,
} from '#features/identity/invitations/invitations.server.ts';
import { forgetSignIns } from '#features/identity/sign-in/sweeps.server.ts';
import { accountsOf, clientIdsOf } from '#features/base/people/people.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { hashSecret, secretMatches } from '#platform/security/passwords.server.ts';
import { apiAs } from '../../support/api.ts';
import {
  client,
  everyRow,
  lockFirm,
  makeCast,
  startMailServer,
  person,
  standAt,
} from '../../support/cast.ts';

vi.mock(import('#platform/security/passwords.server.ts'), { spy: true });

const { ada, sam, zoe, firmOne, firmTwo, clientA, clientB, clientTwo } = await makeCast();
const grace = await person(firmOne, 'Grace Gate', 'grace@one.example', { role: 'owner' });
const olaf = await person(firmTwo, 'Olaf CANARY-F2', 'olaf@two.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(() => standAt(now() + 25 * HOUR));

const PHRASE = 'nine green kettles sing';
const request = (emailAddress: string, more: object = {}) => ({
  emailAddress,
  firstName: 'Nia',
  lastName: 'Newcomer',
  language: 'en-gb' as const,
  clientIds: [clientA],
  ...more,
});
async function invited(
  emailAddress: string,
  more: object = {},
  by = grace,
): Promise<{ token: string; invitationId: string }> {
  const { invitationId } = await invite(by, request(emailAddress, more));
  return { invitationId, token: await tokenSent() };
}
async function tokenSent(): Promise<string> {
  const mails = await mailServer.deliver();
  return /\/auth\/invitation\/([\w-]{43})\b/.exec(mails.at(-1)?.mail.text ?? '')?.[1] ?? '';
}
const userOf = async (name: string) =>
  (await db().selectFrom('users').select('prism_guid').where('first_name', '=', name).execute()).map(
    ({ prism_guid: prismGuid }) => prismGuid,
  );
const rowOf = (invitationId: string) =>
  db().selectFrom('invitations').selectAll().where('invitation_id', '=', invitationId).executeTakeFirst();
const over = { code: 'GONE' };

describe('invitations', () => {
  test('an invitation is mailed in the chosen language, and accepting it makes a contact for the chosen clients', async () => {
    await invite(grace, request('nia@new.example', { firstName: 'Nia', clientIds: [clientA, clientB] }));
    const [mail] = await mailServer.deliver();
    expect(mail?.recipients).toEqual(['nia@new.example']);
    expect(mail?.mail.subject).toBe('Maple & Hart invited you to their client portal');
    expect(mail?.mail.text).toContain('http://127.0.0.1:4999/clientcenter/en-gb/auth/invitation/');
    const token = /invitation\/([\w-]{43})/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    for (let looks = 0; looks < 3; looks += 1)
      expect(await viewInvitation(token)).toEqual({
        kind: 'new',
        isStaff: false,
        companyId: firmOne,
        emailAddress: 'nia@new.example',
        firstName: 'Nia',
      });
    await acceptInvitation(token, { password: PHRASE });
    const [prismGuid = ''] = await userOf('Nia');
    const [account] = await accountsOf(prismGuid);
    expect(account).toMatchObject({
      companyId: firmOne,
      staff: false,
      fullName: 'Nia Newcomer',
      language: 'en-gb',
    });
    if (!account) throw new Error('there is no account');
    expect((await clientIdsOf(account).execute()).map(({ client_id: id }) => id).toSorted()).toEqual(
      [clientA, clientB].toSorted(),
    );
    expect((await everyRow())['sessions'], 'nobody is signed in by it').toEqual([]);
    const { password_hash: hash } = await db()
      .selectFrom('users')
      .select('password_hash')
      .where('prism_guid', '=', prismGuid)
      .executeTakeFirstOrThrow();
    expect([await secretMatches(PHRASE, hash), JSON.stringify(await everyRow()).includes(PHRASE)]).toEqual([
      true,
      false,
    ]);
    expect(await viewInvitation(token)).toBeUndefined();
    await expect(acceptInvitation(token, { password: PHRASE })).rejects.toMatchObject(over);
    const actions = (
      await db()
        .selectFrom('audit')
        .select('action')
        .where('company_id', '=', firmOne)
        .orderBy('seq')
        .execute()
    ).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['invitation.send', 'invitation.accept']);
  });

  test('an invitation is invalid after 72 hours, after it was revoked or replaced, and while the firm is locked', async () => {
    const aged = await invited('old@new.example');
    standAt(now() + 72 * HOUR);
    const back = await invited('back@new.example');
    await revokeInvitation(grace, back.invitationId);
    const again = await invited('again@new.example');
    await sendAgain(grace, again.invitationId);
    const newest = await tokenSent();
    const twice = await invited('twice@new.example');
    const backRow = await rowOf(back.invitationId);
    standAt(now() + HOUR);
    await invited('back@new.example');
    expect(await rowOf(back.invitationId), 'what was taken back stays as it was').toEqual(backRow);
    const other = await invited('TWICE@new.example');
    for (const { token } of [aged, back, again, twice]) {
      expect(await viewInvitation(token)).toBeUndefined();
      await expect(acceptInvitation(token, { password: PHRASE })).rejects.toMatchObject(over);
    }
    for (const token of [newest, other.token]) expect(await viewInvitation(token)).toBeDefined();
    await lockFirm(firmOne, true);
    expect(await viewInvitation(newest)).toBeUndefined();
    await lockFirm(firmOne, false);
    expect(
      (await listInvitations(grace))
        .slice(0, 6)
        .map(({ emailAddress, state }) => `${emailAddress} ${state}`)
        .toSorted(),
    ).toEqual(
      [
        'again@new.example open',
        'back@new.example open',
        'back@new.example revoked',
        'old@new.example expired',
        'twice@new.example revoked',
        'TWICE@new.example open',
      ].toSorted(),
    );
    await expect(sendAgain(grace, back.invitationId)).rejects.toMatchObject(over);
  });

  test('a password that is not allowed does not use up the invitation', async () => {
    const { token } = await invited('picky@new.example', { firstName: 'Picabia' });
    for (const [password, why] of [
      ['short', 'tooShort'],
      ['Picabia-Newcomer', 'personal'],
      ['Maple & Hart 26', 'personal'],
      ['password12345', 'common'],
    ] as const) {
      await expect(acceptInvitation(token, { password })).rejects.toMatchObject({
        code: 'INVALID',
        details: { password: why },
      });
    }
    expect(await userOf('Picabia')).toEqual([]);
    await acceptInvitation(token, { password: PHRASE });
    expect(await userOf('Picabia')).toHaveLength(1);
  });

  test('an invitation to an existing user is accepted only by them, signed in, and becomes another account of theirs', async () => {
    const { token } = await invited(zoe.emailAddress);
    expect(await viewInvitation(token)).toMatchObject({ kind: 'account' });
    for (const by of [
      { password: PHRASE },
      { actor: undefined },
      { actor: ada },
      { actor: { ...zoe, viewedBy: 'contact_x' } },
    ]) {
      await expect(acceptInvitation(token, by)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    await acceptInvitation(token, { actor: zoe });
    expect((await accountsOf(zoe.prismGuid)).map(({ companyId }) => companyId).toSorted()).toEqual(
      [firmOne, firmTwo].toSorted(),
    );
    await expect(acceptInvitation(token, { actor: zoe })).rejects.toMatchObject(over);
  });

  test('accepting an invitation twice at the same moment makes one contact', async () => {
    const { token } = await invited('race@new.example', { firstName: 'Racer' });
    const outcomes = await Promise.allSettled([
      acceptInvitation(token, { password: PHRASE }),
      acceptInvitation(token, { password: `${PHRASE} too` }),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await userOf('Racer')).toHaveLength(1);
  });

  test('an invitation leaves out clients that were deleted or moved meanwhile', async () => {
    const gone = await client(firmOne, 'Gone Works', 'G-1', []);
    const { token } = await invited('left@new.example', { firstName: 'Lefty', clientIds: [gone, clientA] });
    await db().deleteFrom('clients').where('client_id', '=', gone).execute();
    await acceptInvitation(token, { password: PHRASE });
    const [prismGuid = ''] = await userOf('Lefty');
    const [account] = await accountsOf(prismGuid);
    expect(account && (await clientIdsOf(account).execute()).map(({ client_id: id }) => id)).toEqual([
      clientA,
    ]);
  });

  test('an invitation requires the right to invite, clients of the own firm, and somebody who is not a contact yet', async () => {
    for (const actor of [ada, sam]) {
      await expect(invite(actor, request('x@new.example'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(listInvitations(actor)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    const { invitationId } = await invited('right@new.example');
    for (const actor of [ada, sam])
      for (const change of [sendAgain, revokeInvitation])
        await expect(change(actor, invitationId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const clientIds of [[clientTwo], [clientA, 'client_none']])
      await expect(invite(grace, request('x@new.example', { clientIds }))).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    await expect(invite(grace, request('ADA@one.example'))).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
    expect(await mailServer.deliver()).toEqual([]);
  });

  test('an invitation of another firm cannot be seen, sent again or revoked', async () => {
    const { invitationId, token } = await invited('ours@new.example');
    for (const id of [invitationId, 'invitation_none']) {
      await expect(sendAgain(olaf, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(revokeInvitation(olaf, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await listInvitations(olaf)).toEqual([]);
    expect(await viewInvitation(token)).toBeDefined();
  });

  test('a newer invitation does not affect one of another firm to the same address', async () => {
    const { token } = await invited('both@new.example', { clientIds: [clientTwo] }, olaf);
    await invited('both@new.example');
    expect(await viewInvitation(token)).toBeDefined();
  });

  test('an invitation revoked or replaced while it is accepted is invalid', async () => {
    const changes = [revokeInvitation, sendAgain];
    for (const [place, change] of changes.entries()) {
      const { token, invitationId } = await invited(`meanwhile${place}@new.example`, {
        firstName: `Meanwhile${place}`,
      });
      const isHashing = Promise.withResolvers<void>();
      const isChanged = Promise.withResolvers<void>();
      vi.mocked(hashSecret).mockImplementationOnce(async () => {
        isHashing.resolve();
        await isChanged.promise;
        return 'a hash that is not used';
      });
      const accepting = Promise.allSettled([acceptInvitation(token, { password: PHRASE })]);
      await isHashing.promise;
      await change(grace, invitationId);
      isChanged.resolve();
      expect([await accepting, await userOf(`Meanwhile${place}`)]).toMatchObject([
        [{ status: 'rejected', reason: over }],
        [],
      ]);
    }
    await mailServer.discard();
  });

  test('an invitation that may have been used before a restore is invalid after it, and the others are unchanged', async () => {
    const [open, back, used] = [
      await invited('open@new.example'),
      await invited('taken@new.example'),
      await invited('used@new.example', { firstName: 'Uma' }),
    ];
    await revokeInvitation(grace, back.invitationId);
    await acceptInvitation(used.token, { password: PHRASE });
    const before = await Promise.all([back, used].map(({ invitationId }) => rowOf(invitationId)));
    standAt(now() + HOUR);
    await forgetSignIns();
    expect(await Promise.all([back, used].map(({ invitationId }) => rowOf(invitationId)))).toEqual(before);
    expect(await viewInvitation(open.token)).toBeUndefined();
  });

  test('an invitation stores neither address nor token in readable form', async () => {
    const { token } = await invited('encrypted@new.example');
    const rows = JSON.stringify(await everyRow());
    for (const secret of [token, 'encrypted@new.example']) expect(rows.includes(secret)).toBe(false);
  });

  test('a person can send at most 200 invitations a day', async () => {
    const { invitationId } = await invited('one-of-many@new.example');
    await db()
      .insertInto('limits')
      .values({ limit_key: `invite:${grace.contactId}`, used: 200, resets_at: now() + DAY })
      .onConflict((conflict) =>
        conflict.column('limit_key').doUpdateSet({ used: 200, resets_at: now() + DAY }),
      )
      .execute();
    await expect(sendAgain(grace, invitationId)).rejects.toMatchObject({ code: 'TOO_MANY' });
    await expect(invite(grace, request('many@new.example'))).rejects.toMatchObject({ code: 'TOO_MANY' });
  });
});

describe('the invitation calls', () => {
  const path = '/api/security/v1/invitations';

  test('the invitation calls invite, list and revoke', async () => {
    const call = apiAs(grace);
    const made = await call('POST', path, { json: request('called@new.example') });
    const body = (await made.json()) as { invitationId: string };
    expect([made.status, body]).toMatchObject([
      200,
      { emailAddress: 'called@new.example', state: 'open', clientIds: [clientA] },
    ]);
    expect(await (await call('GET', path)).json()).toMatchObject({
      invitations: expect.arrayContaining([body]) as unknown,
    });
    const trail = async () =>
      (
        await db()
          .selectFrom('audit')
          .select('seq')
          .where('action', '=', 'invitation.revoke')
          .where('target', '=', body.invitationId)
          .execute()
      ).length;
    for (let times = 0; times < 2; times += 1)
      expect([
        await (await call('DELETE', `${path}/${body.invitationId}`)).json(),
        await trail(),
      ]).toMatchObject([{ state: 'revoked' }, 1]);
    await mailServer.discard();
  });

  test.each([
    ['no address', { emailAddress: 'nobody' }],
    ['no name', { firstName: ' ' }],
    ['a language we do not have', { language: 'nl' }],
    ['a field nobody knows', { staff: true }],
    ['a header in the address', { emailAddress: 'a@b.example\r\nBcc: c@d.example' }],
  ])('an invitation with %s is refused', async (_, more) => {
    expect((await apiAs(grace)('POST', path, { json: request('x@new.example', more) })).status).toBe(422);
    expect(await mailServer.deliver()).toEqual([]);
  });

  test('the invitation calls are refused to contacts and to staff without the right', async () => {
    for (const actor of [ada, sam])
      for (const [method, address] of [
        ['GET', path],
        ['POST', path],
        ['DELETE', `${path}/x`],
      ] as const)
        expect(
          (await apiAs(actor)(method, address, method === 'POST' ? { json: request('x@new.example') } : {}))
            .status,
        ).toBe(403);
  });
});
