import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setCookie } from '#platform/http/cookies.server.ts';
import { type Flash, packFlash, unpackFlash } from '#platform/http/flash.server.ts';

/** The size of a cookie for a browser: name, value and attributes together (RFC 6265bis, section 5.6). */
const MAX_OF_A_BROWSER = 4096;

const message = (changed: Partial<Flash> = {}): Flash => ({
  type: 'info',
  namespace: 'documents',
  key: 'uploadDocumentsFailedWarning',
  vars: { count: 2, name: 'Balanço 👋.pdf' },
  items: [],
  ...changed,
});
const refused = (count: number, name = (number: number) => `${number}.exe`): Flash['items'] =>
  Array.from({ length: count }, (_, number) => ({ name: name(number), codes: ['EMPTY'] }));

test('a flash message arrives unchanged on the next page', () => {
  const text = message({ items: refused(3) });
  expect(unpackFlash(packFlash(text))).toEqual(text);
});

test.each([0, 1, 10, 50, 51, 55, 100, 1000])(
  'after an upload of %i refused files, the page shows what happened',
  (count) => {
    const packed = packFlash(message({ items: refused(count) }));
    const arrived = unpackFlash(packed);
    expect(arrived).toMatchObject({
      type: 'info',
      namespace: 'documents',
      key: 'uploadDocumentsFailedWarning',
      vars: { count: 2 },
    });
    expect(arrived?.items).toEqual(refused(count).slice(0, arrived?.items.length));
    expect(arrived?.items.length).toBeGreaterThanOrEqual(Math.min(count, 20));
  },
);

test.each([
  ['short names', refused(51, () => 'a')],
  ['names of 255 bytes', refused(50, () => 'a'.repeat(255))],
  ['names of 255 bytes that are all emoji', refused(50, () => '😀'.repeat(63))],
  ['a name longer than a cookie', refused(1, () => 'a'.repeat(5000))],
])('a list of %s fits into a cookie', (_, items) => {
  const packed = packFlash(message({ items }));
  expect(setCookie('flash', packed, 60).length).toBeLessThanOrEqual(MAX_OF_A_BROWSER);
  expect(unpackFlash(packed)).toMatchObject({ key: 'uploadDocumentsFailedWarning' });
});

test('the longest document name fits into a flash message', () => {
  for (const name of ['a'.repeat(255), '😀'.repeat(63), '"'.repeat(255), '\u2028'.repeat(85)])
    expect(unpackFlash(packFlash(message({ vars: { name, count: 1 } })))?.vars['name']).toBe(name);
});

test('an encoded flash message is safe in a cookie', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const packed = packFlash(message({ vars: { name } }));
      expect(packed).toMatch(/^[\w-]+$/);
      expect(unpackFlash(packed)?.vars['name']).toBe(name.toWellFormed());
    }),
  );
});

test.each([
  ['nothing', undefined],
  ['an empty one', ''],
  ['noise', '%%%'],
  ['text', 'hello'],
  ['JSON that is no message', Buffer.from('[]').toString('base64url')],
  ['null', Buffer.from('null').toString('base64url')],
  [
    'another kind of alert',
    Buffer.from(JSON.stringify({ ...message(), type: 'script' })).toString('base64url'),
  ],
  [
    'another room',
    Buffer.from(JSON.stringify({ ...message(), namespace: '../errors' })).toString('base64url'),
  ],
  [
    'a key that is no text',
    Buffer.from(JSON.stringify({ ...message(), key: { a: 1 } })).toString('base64url'),
  ],
  [
    'a key without an end',
    Buffer.from(JSON.stringify({ ...message(), key: 'a'.repeat(101) })).toString('base64url'),
  ],
  [
    'a list without an end',
    Buffer.from(JSON.stringify({ ...message(), items: refused(51) })).toString('base64url'),
  ],
  [
    'values that are no text',
    Buffer.from(JSON.stringify({ ...message(), vars: { name: ['a'] } })).toString('base64url'),
  ],
])('a tampered flash cookie shows nothing (%s)', (_, value) => {
  expect(unpackFlash(value)).toBeUndefined();
});
