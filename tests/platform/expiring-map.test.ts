import { expect, test } from 'vitest';
import { at } from '#platform/runtime/clock.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';

const START = Date.UTC(2026, 10, 23);

test('an entry of an expiring map is there until its lifetime has passed, and setting it again renews it', () => {
  const map = new ExpiringMap<string>(10);
  at(START, () => map.set('a', 'first', 1000));
  expect(at(START + 999, () => map.get('a'))).toBe('first');
  expect(at(START + 1000, () => map.get('a'))).toBeUndefined();
  at(START + 1500, () => map.set('a', 'second', 1000));
  expect(at(START + 2400, () => map.get('a'))).toBe('second');
  map.delete('a');
  expect(at(START + 2400, () => map.get('a'))).toBeUndefined();
});

test('a full expiring map drops the entry that was set longest ago', () => {
  const map = new ExpiringMap<number>(3);
  for (const [value, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, value, Infinity);
  expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([3, undefined, 2, 4]);
});
