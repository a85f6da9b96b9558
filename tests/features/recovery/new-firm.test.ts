import { afterAll, expect, test } from 'vitest';
import { linkIdentity } from '#features/identity/credentials/identities.server.ts';
import { userByEmail } from '#features/identity/credentials/users.server.ts';
import { accountsOf } from '#features/base/people/people.server.ts';
import { createFirmFor } from '#features/identity/recovery/new-firm.server.ts';
import { resetIsOpen, resetPassword } from '#features/identity/recovery/reset.server.ts';
import { migrate } from '#platform/database/database.server.ts';
import { secretMatches } from '#platform/security/passwords.server.ts';
import { startMailServer } from '../../support/cast.ts';
import '../../../src/app.server.ts';

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

test('someone who has an account owns the new firm with it, and their password stays', async () => {
  await mailServer.deliver();
  const before = await userByEmail(una.email);
  expect(await createFirmFor({ ...una, firmName: 'Third Ledger' })).toBeUndefined();
  const [mail] = await mailServer.deliver();
  expect(mail?.mail.text).not.toContain('/auth/reset/');
  expect(await userByEmail(una.email)).toEqual(before);
  expect(await accountsOf(before?.prism_guid ?? '')).toHaveLength(2);
});

test('an owner who cannot sign in yet gets a new link to the same firm, and the former one stops working', async () => {
  const owner = { ...una, email: 'olaf@second.example', firmName: 'Fifth Ledger' };
  const [first, second] = [await createFirmFor(owner), await createFirmFor(owner)];
  const tokenIn = (link: string | undefined): string => link?.split('/').at(-1) ?? '';
  expect(await resetIsOpen(tokenIn(first))).toBe(false);
  expect(await resetIsOpen(tokenIn(second))).toBe(true);
  const guid = (await userByEmail(owner.email))?.prism_guid ?? '';
  expect(await accountsOf(guid)).toHaveLength(1);
  await resetPassword({ token: tokenIn(second), password: PHRASE, network: '192.0.2.1' });
  await expect(createFirmFor(owner)).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
  expect(await accountsOf(guid)).toHaveLength(1);
});

test('an owner who signs in at an issuer is told so by email, with a link until they are linked there', async () => {
  await mailServer.deliver();
  const issuer = { address: 'https://login.example', host: 'login.example' };
  const owner = { ...una, email: 'ilse@second.example' };
  const link = await createFirmFor({ ...owner, firmName: 'Sixth Ledger' }, { issuer });
  const [first] = await mailServer.deliver();
  expect(first?.mail.text).toContain('Sign in with your account at login.example');
  expect(first?.mail.text).toContain(link);

  const guid = (await userByEmail(owner.email))?.prism_guid ?? '';
  await linkIdentity(guid, issuer.address, 'ilse');
  expect(await createFirmFor({ ...owner, firmName: 'Seventh Ledger' }, { issuer })).toBeUndefined();
  const [second] = await mailServer.deliver();
  expect(second?.mail.text).toContain('Sign in as usual');
});
