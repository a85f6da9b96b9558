import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './support/test.ts';

/*
 * The watch of support/test.ts sees what it must see. Each test provokes one trouble and names it; were it not
 * seen, the test would fail.
 */

test('a script that the content policy refuses is seen', async ({ page, trouble }) => {
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

test('an error of a script is seen in a page that a test opened itself, and so is a console.error', async ({
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

test('a picture that is not there, an answer of 500 and a request that nobody answers are seen', async ({
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

test('a cookie that scripts may read, or that other sites send along, is seen', async ({ page, trouble }) => {
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
  // there is no page to show
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).catch(() => undefined);
  server.close();
});

test.fail('a trouble that the test does not name fails it', async ({ page }) => {
  await page.goto('auth');
  await page.evaluate(() => console.error('planted, and not named'));
});

test.fail('a trouble that is named and does not come fails the test', async ({ page, trouble }) => {
  trouble.expect(/never/);
  await page.goto('auth');
});
