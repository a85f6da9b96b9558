import { expect, test } from 'vitest';
import { readConfig } from '#platform/config.server.ts';
import { securityTxt } from '#platform/security-txt.server.ts';

const NOON = Date.UTC(2026, 10, 23, 12);

test('the file says whom to tell of a security problem, for how long it holds, and where it lies', () => {
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

test('an address without TLS is never named as the canonical one', () => {
  expect(securityTxt(readConfig({ SECURITY_CONTACT: 'tel:+1-201-555-0123' }), NOON)).not.toContain(
    'Canonical',
  );
});

test('there is no file where nobody is configured', () => {
  expect(securityTxt(readConfig({}), NOON)).toBeUndefined();
});

test.each([
  'security@firm.example',
  'http://firm.example/report',
  'mailto:',
  'mailto:a@firm.example\nContact: mailto:b@evil.example',
  'javascript:alert(1)',
])('%j is refused with what it should look like', (contact) => {
  expect(() => readConfig({ SECURITY_CONTACT: contact })).toThrow(/SECURITY_CONTACT=.* must be like mailto:/);
});
