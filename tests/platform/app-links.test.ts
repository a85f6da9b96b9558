import { expect, test } from 'vitest';
import { appLinkFile } from '#platform/http/app-links.server.ts';
import { readConfig } from '#platform/runtime/config.server.ts';

const FINGERPRINT = Array.from({ length: 32 }, (_, i) => i.toString(16).padStart(2, '0').toUpperCase()).join(
  ':',
);
const given = readConfig({
  APPLE_APP_IDS: 'ABCDE12345.example.portal',
  ANDROID_APPS: `example.portal=${FINGERPRINT}`,
});

test("the configured mobile apps may open the portal's deep links and nothing else", () => {
  expect(appLinkFile('apple-app-site-association', given)).toEqual({
    applinks: {
      details: [
        { appIDs: ['ABCDE12345.example.portal'], components: [{ '/': '/clientcenter/*/.well-known/*' }] },
      ],
    },
  });
  expect(appLinkFile('assetlinks.json', given)).toEqual([
    {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: {
        namespace: 'android_app',
        package_name: 'example.portal',
        sha256_cert_fingerprints: [FINGERPRINT],
      },
    },
  ]);
});

test('association files exist only for configured apps', () => {
  for (const name of ['apple-app-site-association', 'assetlinks.json'])
    expect(appLinkFile(name, readConfig({}))).toBeUndefined();
  for (const name of ['', 'security.txt', '..', '__proto__'])
    expect(appLinkFile(name, given)).toBeUndefined();
});

test.each([
  { APPLE_APP_IDS: 'example.portal' },
  { ANDROID_APPS: 'example.portal' },
  { ANDROID_APPS: 'example.portal=AB:CD' },
])('%j is refused with what it should look like', (env) => {
  expect(() => readConfig(env)).toThrow(/must be like/);
});
