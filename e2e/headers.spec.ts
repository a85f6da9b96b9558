import { PEOPLE, expect, signIn, test } from './support/test.ts';

/* The security headers of what the portal really sends, by kind of response (threat-model.md T50). */

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
const WITHOUT_ASSETS = {
  ...EVERYWHERE,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy':
    'camera=(self), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
};
const LOCKED = "default-src 'none'; frame-ancestors 'none'";

/** The directives of a content security policy. */
const directivesOf = (policy = ''): Record<string, string> =>
  Object.fromEntries(
    policy
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/))
      .map(([name = '', values = '']) => [name, values]),
  );

test('every kind of response has the headers that isolate the portal from other sites', async ({
  page,
  portal,
}) => {
  const home = `${portal.origin}/clientcenter/en-us`;
  await page.goto('documents');
  await signIn(page, PEOPLE.olivia);
  const asset = await page.locator('script[src*="/_astro/"]').first().getAttribute('src');
  const download = await page.locator('#document-list a[href*="/api/storage/"]').first().getAttribute('href');
  const pages = [`${home}/auth`, `${home}/documents`, `${home}/share/none`, `${home}/nowhere`];
  const others = [
    'healthz',
    'readyz',
    'api/openapi.json',
    'api/security/v1/session',
    'api/nowhere',
    'theme/none',
  ];
  for (const address of [...pages, ...others.map((path) => `${portal.origin}/${path}`)]) {
    const response = await page.request.get(address);
    expect(response.headers(), address).toMatchObject({ ...WITHOUT_ASSETS, 'cache-control': 'no-store' });
    if (!pages.includes(address)) expect(response.headers()['content-security-policy'], address).toBe(LOCKED);
  }
  for (const address of pages) {
    const response = await page.request.get(address);
    const policy = directivesOf(response.headers()['content-security-policy']);
    expect(policy, address).toMatchObject({
      'default-src': "'none'",
      'base-uri': "'none'",
      'object-src': "'none'",
      'frame-ancestors': "'none'",
      'form-action': "'self'",
    });
    expect(`${policy['script-src']} ${policy['style-src']}`, address).not.toMatch(/unsafe|https?:|\*|data:/);
  }
  const refused = await page.request.post(`${home}/auth`, { headers: { Origin: 'https://evil.example' } });
  expect([refused.status(), refused.headers()]).toMatchObject([403, WITHOUT_ASSETS]);
  const file = await page.request.get(new URL(download ?? '', portal.origin).href);
  expect([file.status(), file.headers()]).toMatchObject([
    200,
    { ...WITHOUT_ASSETS, 'content-security-policy': "sandbox; default-src 'none'" },
  ]);
  expect(file.headers()['content-disposition']).toMatch(/^attachment;/);
  const script = await page.request.get(new URL(asset ?? '', portal.origin).href);
  expect([script.status(), script.headers()]).toMatchObject([200, EVERYWHERE]);
});
