import { startOwnPostgres } from '../scripts/services.mjs';
import { GRACE } from '../tests/support/whole.ts';
import { startPortal } from './support/portal.ts';
import { expect, PEOPLE, signIn, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own portal

test('the portal survives the loss of its database: pages and calls say so, and all works within a second after it is back', async ({
  page,
}) => {
  const cluster = await startOwnPostgres();
  const portal = await startPortal({ DATABASE_URL: cluster.url });
  await page.goto(`${portal.origin}/clientcenter/en-us/documents`);
  await signIn(page, PEOPLE.olivia);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documents');
  // wait for images too, so that no request is in flight when the database stops
  await page.waitForLoadState();
  const ask = (address: string) => page.request.get(portal.origin + address);
  const cookieless = (address: string) => fetch(portal.origin + address);

  await cluster.halt();
  for (const address of ['/clientcenter/en-us/documents', '/api/clientcenter/v1/session', '/readyz']) {
    const answer = await ask(address);
    expect(answer.status(), address).toBe(503);
    expect(answer.headers()['retry-after'], address).toBe('1');
  }
  const page503 = await cookieless('/clientcenter/pt/auth');
  expect(page503.status).toBe(503);
  expect(page503.headers.get('retry-after')).toBe('1');
  expect(await page503.text()).toContain('lang="pt-BR"');
  expect(await (await ask('/api/storage/v1/documents/constraints')).json()).toEqual({
    errors: [{ code: 'UNAVAILABLE', reason: 'UNAVAILABLE' }],
  });
  expect((await ask('/healthz')).status()).toBe(200);

  await cluster.resume();
  await expect(async () => expect((await ask('/readyz')).status()).toBe(200)).toPass({
    timeout: 1000 + GRACE,
    intervals: [50],
  });
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documents');
  await portal.stop();
  await cluster.stop();
});
