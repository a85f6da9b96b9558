import { startPortal } from './support/portal.ts';
import { expect, test } from './support/test.ts';

test('security.txt is served only where a contact is configured', async ({ portal }) => {
  const own = await startPortal({ SECURITY_CONTACT: 'mailto:security@firm.example' });
  const answer = await fetch(`${own.origin}/.well-known/security.txt?from=scanner`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toMatch(
    /^Contact: mailto:security@firm\.example\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\n/,
  );
  await own.stop();
  for (const address of ['/.well-known/security.txt', '/.well-known/security.txt/x', '/security.txt'])
    expect((await fetch(portal.origin + address)).status, address).toBe(404);
});
