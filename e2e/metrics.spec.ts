import { brotliCompressSync } from 'node:zlib';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { FRONT_DOOR, PAGES } from '../src/routes.ts';
import { freePort, startPortal } from './support/portal.ts';
import { pdf } from './support/steps.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own portals

/** Parses the metrics of a scrape into a map of `name{labels}` to value. */
function metricsIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  );
}

test('metrics are correct, and no label contains personal data or an id', async ({ page, trouble }) => {
  trouble.expect(/the portal logged .*"event":"request.failed"/);
  const port = await freePort();
  const silent = await freePort(); // no mail server listens on this port, so mails wait
  const portal = await startPortal({
    METRICS_PORT: String(port),
    DEMO: '1',
    SMTP_URL: `smtp://127.0.0.1:${silent}`,
  });
  const home = `${portal.origin}/clientcenter/en-us/`;
  const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await page.goto(`${home}documents`);
  await signIn(page, PEOPLE.olivia);
  const box = page.locator('#document-list input[name=id]').first();
  await box.waitFor();
  const documentId = String(await box.getAttribute('value'));
  const upload = new URL(
    String(
      await page.locator('form[action*="/api/storage"][action*="/documents"]').first().getAttribute('action'),
    ),
    portal.origin,
  ).pathname;
  const bytes = Buffer.concat([pdf('figures'), Buffer.alloc(2_000_000, 32)]);
  const headers = { Origin: portal.origin };
  for (const name of ['Metrics of Jane Doe.pdf', 'More of Jane Doe.pdf']) {
    expect(
      (
        await page.request.post(`${portal.origin}${upload}?notify=false`, {
          headers,
          multipart: { 'file[]': { name, mimeType: 'application/pdf', buffer: bytes } },
        })
      ).status(),
    ).toBe(200);
  }
  expect(
    (
      await page.request.post(`${portal.origin}${upload}`, {
        headers,
        multipart: { 'file[]': { name: 'Jane Doe.exe', mimeType: 'x/y', buffer: Buffer.from('MZ') } },
      })
    ).status(),
  ).toBe(415);
  const sharedItems = [{ containerType: 'Folder', containerId: '-', documentId }];
  const recipients = [{ emailAddress: 'figures@supplier.example' }];
  const share = () =>
    page.request.post(`${portal.origin}/api/storage/v2/sharing/share`, {
      headers,
      data: { expirationPeriod: 'AfterOneDay', overrides: { subject: 'Metrics' }, recipients, sharedItems },
    });
  expect((await share()).status()).toBe(200);
  for (const stranger of ['jane.doe@supplier.example', `share/${'t'.repeat(43)}`])
    await page.request.get(home + stranger);
  await portal.refuse('shares', `'Jane Doe'`);
  expect((await share()).status()).toBe(500);
  await expect
    .poll(async () => metricsIn(await scrape()).get('portal_jobs_total{kind="mail",outcome="failed"}'))
    .toBeGreaterThan(0);

  const text = await scrape();
  const [mails] = await portal.sql(
    "select count(*) as waiting from jobs where kind = 'mail' and done_at is null",
  );
  const waiting = Number(mails?.['waiting']); // the email of the share, and in working hours the demo's reminders
  expect(waiting).toBeGreaterThan(0);
  const figures = metricsIn(text);
  const counts = (route: string, method: string, status: string): number =>
    figures.get(`portal_http_requests_total{route="${route}",method="${method}",status="${status}"}`) ?? 0;
  const place = upload.replace(/[^/]+\/documents$/, '{id}/documents');
  expect([counts(place, 'POST', '2xx'), counts(place, 'POST', '4xx')]).toEqual([2, 1]);
  expect([
    counts('/api/storage/v2/sharing/share', 'POST', '2xx'),
    counts('/api/storage/v2/sharing/share', 'POST', '5xx'),
  ]).toEqual([1, 1]);
  expect(counts('/[base]/[lang]/auth', 'POST', '3xx')).toBe(1);
  expect(counts('/[base]/[lang]/documents', 'GET', '2xx')).toBe(1);
  expect([counts('/[base]/[lang]/share/[token]', 'GET', '4xx'), counts('other', 'GET', '4xx')]).toEqual([
    1, 1,
  ]);
  expect(figures.get(`portal_http_request_duration_seconds_count{route="${place}",method="POST"}`)).toBe(3);
  const received = figures.get(`portal_http_received_bytes_total{route="${place}"}`) ?? 0;
  expect(received).toBeGreaterThan(2 * bytes.length);
  expect(received).toBeLessThan(2 * bytes.length + 10_000);
  expect(Object.fromEntries(figures) as Record<string, unknown>).toMatchObject({
    portal_http_requests_in_flight: 0,
    portal_database_up: 1,
    portal_outbox_waiting: waiting,
    'portal_jobs_waiting{kind="mail"}': waiting,
    portal_outbox_oldest_seconds: expect.any(Number),
    'portal_log_events_total{level="error",event="request.failed"}': 1,
  });
  expect(figures.get('process_resident_memory_bytes')).toBeGreaterThan(0);

  const described = (await (await fetch(`${portal.origin}/api/openapi.json`)).json()) as { paths: object };
  const routes = new Set([
    '/api/openapi.json',
    '/api/docs',
    ...Object.keys(described.paths),
    ...Object.keys(PAGES),
    ...Object.keys(FRONT_DOOR),
    '/_astro/',
    '/icons.svg',
    '/favicon.svg',
    '/api-docs.css',
    'other',
  ]);
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  expect(
    labels.filter(({ name, value }) => name === 'route' && !routes.has(value)),
    'a route is a pattern of src/routes.ts',
  ).toEqual([]);
  expect(
    labels.filter(({ name, value }) => name !== 'route' && !/^[\w.+-]{1,40}$/.test(value)),
    'a label is a constant of the code',
  ).toEqual([]);
  for (const value of [
    documentId,
    'jane',
    'Jane',
    'example',
    'ttttt',
    'olivia',
    'Olivia',
    DEMO_PASSWORD,
    upload,
    'Metrics',
    '127.0.0.1',
  ])
    expect(text).not.toContain(value);
  expect(text).not.toMatch(/[a-z]{3}_[0-9a-f]{32}|req_/);
  await portal.stop();
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});

test('load times of sampled pages are counted, and pages that are not sampled carry nothing of it', async ({
  page,
  browser,
}) => {
  const port = await freePort();
  const portal = await startPortal({ METRICS_PORT: String(port), DEMO: '1' });
  const documents = `${portal.origin}/clientcenter/en-us/documents`;
  const loads = async (): Promise<number> => {
    const metrics = metricsIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    return [...metrics].reduce(
      (sum, [name, value]) =>
        name.startsWith('portal_page_load_seconds_count{route="/[base]/[lang]/documents",')
          ? sum + value
          : sum,
      0,
    );
  };
  await page.goto(documents);
  await signIn(page, PEOPLE.olivia);
  await expect(page.locator('#load-time')).toBeAttached();
  const script = await page.locator('script[src*="LoadTime"]').getAttribute('src');
  const { body } = await page.request
    .get(`${portal.origin}${script ?? ''}`)
    .then(async (response) => ({ body: await response.body() }));
  expect(brotliCompressSync(body).length, 'bytes of the script').toBeLessThanOrEqual(720);
  await expect.poll(loads, { timeout: 15_000 }).toBe(1);

  const state = await page.context().storageState();
  const quiet = await browser.newContext({ storageState: state, extraHTTPHeaders: { 'Sec-GPC': '1' } });
  const other = await quiet.newPage();
  await other.goto(documents);
  await expect(other.locator('#document-list')).toBeVisible();
  await expect(other.locator('#load-time, script[src*="LoadTime"]')).toHaveCount(0);
  await quiet.close();
  await portal.stop();
});

test('without METRICS_PORT no metrics port is opened and the portal itself serves no metrics', async ({
  page,
}) => {
  const port = await freePort();
  const portal = await startPortal({ METRICS_PORT: '', METRICS_HOST: '127.0.0.1' });
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  await expect(fetch('http://127.0.0.1:9464/metrics')).rejects.toThrow();
  expect((await page.request.get(`${portal.origin}/metrics`)).status()).toBe(404);
  await portal.stop();
});

test('operators see the version in the log and the metrics, and strangers nowhere', async () => {
  const port = await freePort();
  const portal = await startPortal({ METRICS_PORT: String(port), LOG_LEVEL: 'info' });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const [, version = ''] = /^portal_build_info\{version="([^"]+)"\} 1$/m.exec(metrics) ?? [];
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(portal.output()).toContain(`"event":"started","version":"${version}"`);
  const commit = version.split('+')[1]?.slice(0, 8);
  for (const address of [
    'healthz',
    'readyz',
    'clientcenter/en-us/auth',
    'api/openapi.json',
    'api/docs',
    'no',
  ]) {
    const response = await fetch(`${portal.origin}/${address}`);
    const seen = JSON.stringify([...response.headers]) + (await response.text());
    expect(seen, address).not.toContain(version);
    if (commit !== undefined) expect(seen, address).not.toContain(commit);
  }
  await portal.stop();
});
