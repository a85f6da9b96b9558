import { expect, test } from 'vitest';

process.env['LOGOUT_ORIGINS'] = 'https://www.firm.example, https://other.example:8443';
const { afterLogout } = await import('#features/identity/identity.server.ts');
const to = (logoutUrl: string | null): string | undefined => afterLogout({ theme: { logoutUrl } });

test('a firm sends its people after a sign-out to where the operator allows it', () => {
  expect(to('https://www.firm.example/goodbye?from=portal')).toBe('https://www.firm.example/goodbye?from=portal');
  expect(to('https://other.example:8443')).toBe('https://other.example:8443/');
});

test.each([
  [null],
  [''],
  ['/clientcenter/en-us/'],
  ['http://www.firm.example/'],
  ['https://firm.example/'],
  ['https://www.firm.example.evil.example/'],
  ['https://www.firm.example@evil.example/'],
  ['https://user:pw@www.firm.example/'],
  ['https://www.firm.example:8443/'],
  ['https://other.example/'],
  ['javascript:alert(1)'],
  ['//www.firm.example/'],
])('%j is nowhere', (address) => {
  expect(to(address)).toBeUndefined();
});

test('without a firm people stay in the portal', () => {
  expect(afterLogout(undefined)).toBeUndefined();
});
