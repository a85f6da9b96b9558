import { expect, test } from 'vitest';
import { forgetSignIns } from '#features/identity/sign-in/sweeps.server.ts';
import { invitationRequest } from '#features/identity/invitations/invitations.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeRecoveryCodes } from '#features/identity/second-factors/recovery-codes.server.ts';
import { BROWSER, makeCast, standAt } from '../../support/cast.ts';

const { ada, ben } = await makeCast();

test("a person has at most ten sessions: the eleventh ends their oldest, and nobody else's", async () => {
  const other = await startSession(ben, BROWSER);
  const cookies: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    cookies.push(await startSession(ada, BROWSER));
    standAt(now() + MINUTE);
  }
  const live = await Promise.all(cookies.map(async (cookie) => (await findSession(cookie)) !== undefined));
  expect(live).toEqual([false, ...Array.from({ length: 10 }, () => true)]);
  expect(await findSession(other)).toBeDefined();
});

test('a restore brings back no recovery codes, since some may have been used', async () => {
  await makeRecoveryCodes(ada.prismGuid);
  await forgetSignIns();
  expect(await db().selectFrom('recovery_codes').select('prism_guid').execute()).toEqual([]);
});

test('a name is stored without control characters and characters that change the writing direction', () => {
  const named = (firstName: string) =>
    invitationRequest.safeParse({ emailAddress: 'a@b.example', firstName, lastName: 'Nova', language: 'pt' })
      .data?.firstName;
  expect([
    named('Inês'),
    named('Zoë O’Neil-Łuk'),
    named('In\u0000es'),
    named('In\u202ees'),
    named('In\u2066es'),
  ]).toEqual(['Inês', 'Zoë O’Neil-Łuk', undefined, 'Ines', 'Ines']);
});
