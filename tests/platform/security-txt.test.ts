import { expect, test } from 'vitest';
import { readConfig } from '#platform/runtime/config.server.ts';
import { securityTxt } from '#platform/http/security-txt.server.ts';

const NOON = Date.UTC(2026, 10, 23, 12);

test('security.txt names the contact, its expiry date and its URL', () => {
  const config = readConfig({
    PUBLIC_ORIGIN: 'https://portal.example',
    SECURITY_CONTACT: 'mailto:security@firm.example, https://firm.example/report',
  });
  expect(securityTxt(config, NOON)).toBe(
    [
      'Contact: mailto:security@firm.example',
      'Contact: https://firm.example/report',
      'Expires: 2027-05-22T00:00:00Z',
      'Preferred-Languages: en, es, fr, pt',
      'Canonical: https://portal.example/.well-known/security.txt',
      '',
    ].join('\n'),
  );
});

test('an address without TLS is never the canonical URL of security.txt', () => {
  expect(securityTxt(readConfig({ SECURITY_CONTACT: 'tel:+1-201-555-0123' }), NOON)).not.toContain(
    'Canonical',
  );
});

test('there is no security.txt without a configured contact', () => {
  expect(securityTxt(readConfig({}), NOON)).toBeUndefined();
});

test.each([
  'security@firm.example',
  'http://firm.example/report',
  'mailto:',
  'mailto:a@firm.example\nContact: mailto:b@evil.example',
  'javascript:alert(1)',
])('%j is refused with an error that shows the expected format', (contact) => {
  expect(() => readConfig({ SECURITY_CONTACT: contact })).toThrow(/SECURITY_CONTACT=.* must be like mailto:/);
});
