import { expect, test } from 'vitest';
import { welcomeText } from '#features/demo/demo/demo.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import {
  createFirstOwner,
  firstOwnerIsOpen,
  firstOwnerLink,
} from '#features/identity/invitations/first-owner.server.ts';
import { accountsOf } from '#features/base/people/people.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { isTimeZone, timeZoneNamed } from '#platform/text/time-zones.ts';
import { everyRow } from '../../support/cast.ts';

await migrate();
const owner = {
  firmName: 'New Ledger',
  phone: '+1 312 555 0142',
  firstName: 'Olga',
  lastName: 'Owner',
  email: 'olga@new.example',
  password: 'nine green kettles sing',
  timeZone: 'Asia/Kolkata',
};
const tokenIn = (link = ''): string =>
  /^http:\/\/127\.0\.0\.1:4999\/clientcenter\/en-us\/auth\/first-owner\/([\w-]{43})$/.exec(link)?.[1] ?? '';

test('the first owner of an empty portal names the firm and themselves with the link of the latest start, once', async () => {
  const [older, link] = [tokenIn(await firstOwnerLink()), await firstOwnerLink()];
  const token = tokenIn(link);
  expect(welcomeText(link)).toContain(link);
  expect(welcomeText()).not.toContain('first-owner');
  expect(JSON.stringify(await everyRow()).includes(token)).toBe(false);
  for (let looks = 0; looks < 3; looks += 1)
    expect([
      await firstOwnerIsOpen(older),
      await firstOwnerIsOpen(token),
      await firstOwnerIsOpen(''),
    ]).toEqual([false, true, false]);
  await expect(createFirstOwner(older, 'fr', owner)).rejects.toMatchObject({ code: 'GONE' });
  for (const password of ['short', 'password12345', 'New Ledger 2026'])
    await expect(createFirstOwner(token, 'fr', { ...owner, password })).rejects.toMatchObject({
      code: 'INVALID',
    });

  const others = (await everyRow())['settings']?.filter(
    (row) => !JSON.stringify(row).includes(sha256(token)),
  );
  const outcomes = await Promise.allSettled([
    createFirstOwner(token, 'fr', owner),
    createFirstOwner(token, 'fr', { ...owner, email: 'eve@new.example' }),
  ]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect([
    (await everyRow())['firms']?.length,
    (await everyRow())['users']?.length,
    (await everyRow())['sessions']?.length,
  ]).toEqual([1, 1, 0]);
  expect((await everyRow())['settings'], 'only the link is used up').toEqual(others);
  const { prism_guid: prismGuid, password_hash: hash } = await db()
    .selectFrom('users')
    .select(['prism_guid', 'password_hash'])
    .executeTakeFirstOrThrow();
  expect([
    await secretMatches(owner.password, hash),
    JSON.stringify(await everyRow()).includes(owner.password),
  ]).toEqual([true, false]);
  const [account] = await accountsOf(prismGuid);
  const { timeZone } = await firmOf(account?.companyId ?? '');
  expect([timeZone, isTimeZone(timeZone)], 'that of their browser').toEqual([
    timeZoneNamed('Asia/Kolkata'),
    true,
  ]);
  expect(account).toMatchObject({ staff: true, fullName: 'Olga Owner', language: 'fr' });
  for (const right of ['ManageContacts', 'ManageFirm', 'ViewAs'] as const)
    expect(account?.access.permissions.has(right)).toBe(true);

  expect(await firstOwnerLink(), 'there is a firm now').toBeUndefined();
  await expect(createFirstOwner(token, 'fr', owner)).rejects.toMatchObject({ code: 'GONE' });
});
