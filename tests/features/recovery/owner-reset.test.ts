import { afterAll, expect, test } from 'vitest';
import { resetOwner } from '#features/identity/recovery/owner-reset.server.ts';
import { resetPassword } from '#features/identity/recovery/reset.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { makeRecoveryCodes } from '#features/identity/second-factors/recovery-codes.server.ts';
import { BROWSER, makeCast, startMailServer, PASSWORD, person, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, sam, firmOne } = await makeCast();
const hart = await person(firmOne, 'Eleanor Hart', 'hart@one.example', { role: 'owner' });
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const NEW = 'nine green kettles sing';
const matches = async (password: string): Promise<boolean> => {
  const row = await db()
    .selectFrom('users')
    .select('password_hash')
    .where('prism_guid', '=', hart.prismGuid)
    .executeTakeFirstOrThrow();
  return secretMatches(password, row.password_hash);
};
const tokenOf = (link: string | undefined): string =>
  /\/auth\/reset\/([\w-]{43})$/.exec(link ?? '')?.[1] ?? '';
const use = (link: string | undefined, password = NEW) =>
  resetPassword({ token: tokenOf(link), password, network: '192.0.2.9' });

test('a locked-out owner gets a link from the operator that sets a new password once and invalidates everything old', async () => {
  const session = await startSession(hart, BROWSER);
  for (const { prismGuid } of [hart, sam]) await makeRecoveryCodes(prismGuid);
  const link = await resetOwner('HART@one.example');
  expect([await matches(PASSWORD), await findSession(session)]).toEqual([false, undefined]);
  const codes = await db().selectFrom('recovery_codes').select('prism_guid').distinct().execute();
  expect(codes).toEqual([{ prism_guid: sam.prismGuid }]);
  const [told] = await mailServer.deliver();
  expect([told?.recipients, told?.mail.subject]).toEqual([
    [hart.emailAddress],
    'Your access to the portal was reset',
  ]);
  expect(told?.raw).not.toContain(tokenOf(link));
  const [entry] = await db()
    .selectFrom('audit')
    .select(['company_id', 'actor', 'target'])
    .where('action', '=', 'owner.reset')
    .execute();
  expect(entry).toEqual({ company_id: firmOne, actor: 'operator', target: hart.prismGuid });
  await use(link);
  expect(await matches(NEW)).toBe(true);
  await expect(use(link, 'another kettle of red fish')).rejects.toMatchObject({ code: 'GONE' });
  await mailServer.discard();
});

test('the reset link of an owner is invalid after an hour and after a newer one was made', async () => {
  const [first, second] = [await resetOwner(hart.emailAddress), await resetOwner(hart.emailAddress)];
  await expect(use(first)).rejects.toMatchObject({ code: 'GONE' });
  standAt(now() + HOUR + 1000);
  await expect(use(second)).rejects.toMatchObject({ code: 'GONE' });
  await mailServer.discard();
});

test('the operator cannot make a reset link for a contact or an unknown address', async () => {
  for (const email of [ada.emailAddress, 'nobody@one.example'])
    expect(await resetOwner(email)).toBeUndefined();
  expect(await findSession(await startSession(ada, BROWSER))).toBeDefined();
});
