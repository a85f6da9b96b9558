import { afterAll, expect, test } from 'vitest';
import { userByEmail } from '#features/credentials/users.server.ts';
import { accountsOf } from '#features/people/people.server.ts';
import { createFirmFor } from '#features/recovery/new-firm.server.ts';
import { resetPassword } from '#features/recovery/reset.server.ts';
import { migrate } from '#platform/database.server.ts';
import { secretMatches } from '#platform/passwords.server.ts';
import { startMailServer } from '../../support/cast.ts';

await migrate();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const PHRASE = 'nine green kettles sing';
const una = { email: 'una@second.example', firstName: 'Una', lastName: 'Owner' };

test('the operator creates a firm, whose owner sets a password with the mailed link once', async () => {
  const link = await createFirmFor({ ...una, firmName: 'Second Ledger' });
  const token = /\/auth\/reset\/([\w-]{43})$/.exec(link ?? '')?.[1] ?? '';
  const [mail] = await mailServer.deliver();
  expect(mail?.recipients).toEqual(['una@second.example']);
  expect(mail?.mail.text).toContain(token);
  await resetPassword({ token, password: PHRASE, network: '192.0.2.1' });
  await expect(resetPassword({ token, password: PHRASE, network: '192.0.2.1' })).rejects.toMatchObject({
    code: 'GONE',
  });
  const user = await userByEmail(una.email);
  expect(await secretMatches(PHRASE, user?.password_hash ?? '')).toBe(true);
  const accounts = await accountsOf(user?.prism_guid ?? '');
  expect(accounts).toMatchObject([{ fullName: 'Una Owner', role: 'owner', hasAllClients: true }]);
});

test('somebody who has an account owns the new firm with it, and their password stays', async () => {
  await mailServer.deliver();
  const before = await userByEmail(una.email);
  expect(await createFirmFor({ ...una, firmName: 'Third Ledger' })).toBeUndefined();
  const [mail] = await mailServer.deliver();
  expect(mail?.mail.text).not.toContain('/auth/reset/');
  expect(await userByEmail(una.email)).toEqual(before);
  expect(await accountsOf(before?.prism_guid ?? '')).toHaveLength(2);
});
