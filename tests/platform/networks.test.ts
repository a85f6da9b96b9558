import { expect, test } from 'vitest';
import { networksAround } from '#platform/http/networks.server.ts';

test('addresses of one IPv6 network belong together in any notation', () => {
  const one = { prefix: '2001:db8:1:2::/64', site: '2001:db8:1::/48' };
  for (const address of [
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0:0:0:9%eth0',
  ]) {
    expect(networksAround(address), address).toEqual(one);
  }
  expect(networksAround('2001:db8:1:3::1')).toEqual({ prefix: '2001:db8:1:3::/64', site: one.site });
  expect(networksAround('2001:db8:2:2::1').site).not.toBe(one.site);
  expect(networksAround('::1')).toEqual({ prefix: '0:0:0:0::/64', site: '0:0:0::/48' });
  expect(networksAround('fe80::1:2:3:4')).toEqual({ prefix: 'fe80:0:0:0::/64', site: 'fe80:0:0::/48' });
});

test('each IPv4 address is a network of its own within its /24', () => {
  expect(networksAround('203.0.113.7')).toEqual({ prefix: '203.0.113.7', site: '203.0.113.0/24' });
  expect(networksAround('203.0.113.8')).toEqual({ prefix: '203.0.113.8', site: '203.0.113.0/24' });
});

test('an invalid address counts as a network of its own', () => {
  for (const text of ['', 'unknown', '::ffff:nonsense'])
    expect(networksAround(text)).toEqual({ prefix: text, site: text });
});
