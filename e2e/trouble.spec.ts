import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './support/test.ts';

/*
 * Tests the checks of support/test.ts. Each test causes one problem and expects it; if it went unnoticed, the
 * test would fail.
 */

test('a script blocked by the content security policy is noticed', async ({ page, trouble }) => {
  trouble.expect(/the content policy refused inline \(script-src/);
  trouble.expect(/console: .*Content Security Policy/);
  await page.goto('auth');
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "changed"';
    document.body.append(script);
  });
  await expect(page).not.toHaveTitle('changed');
});

test('a script error and a console.error are noticed in a page that a test opened itself', async ({
  browser,
  portal,
  trouble,
}) => {
  trouble.expect(/script error: Error: planted/);
  trouble.expect(/console: planted too/);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${portal.origin}/clientcenter/en-us/auth`);
  await page.evaluate(() => {
    console.error('planted too');
    queueMicrotask(() => {
      throw new Error('planted');
    });
  });
});

test('a missing image, a response of 500 and a request without a response are noticed', async ({
  page,
  context,
  trouble,
}) => {
  trouble.expect(/answered 404: image .*\/no-such\.svg/);
  trouble.expect(/answered 500: document/);
  trouble.expect(/request failed: net::ERR_CONNECTION_RESET/);
  await context.route('**/broken', (route) => route.fulfill({ status: 500, body: 'broken' }));
  await context.route('**/silent', (route) => route.abort('connectionreset'));
  await page.goto('auth');
  await page.evaluate(
    () => new Promise((resolve) => Object.assign(new Image(), { src: '/no-such.svg', onerror: resolve })),
  );
  await page.evaluate(() => fetch('/silent').catch(() => undefined));
  await page.goto('broken');
});

test('a cookie that is readable by scripts or sent by other sites is noticed', async ({ page, trouble }) => {
  trouble.expect(/an open cookie: read of/);
  trouble.expect(/an open cookie: sent of/);
  const server = http.createServer((_, response) =>
    response
      .writeHead(204, {
        'Set-Cookie': [
          'read=1; Path=/; SameSite=Lax',
          'sent=1; Path=/; HttpOnly',
          'good=1; Path=/; HttpOnly; SameSite=Lax',
        ],
      })
      .end(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await page.goto('auth');
  // a 204 has no page to show
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).catch(() => undefined);
  server.close();
});

test.fail('an unexpected problem fails the test', async ({ page }) => {
  await page.goto('auth');
  await page.evaluate(() => console.error('planted, and not named'));
});

test.fail('an expected problem that does not happen fails the test', async ({ page, trouble }) => {
  trouble.expect(/never/);
  await page.goto('auth');
});
