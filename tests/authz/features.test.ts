import { expect, test } from 'vitest';
import '../../src/app.server.ts';
import { FEATURES } from '../../src/features/all.server.ts';
import { FEATURES as FEATURE_NAMES } from '../../src/features/dependencies.mjs';
import { ACCESS, joined } from './features.ts';
import { nameOf } from './request-fixtures.ts';

/* What each feature says about its calls and pages is in one file of its own, found by itself. */

const callsOf = new Map(FEATURES.map(({ name, api }) => [name, (api?.routes ?? []).map(nameOf)]));
const ownCalls = new Set([...callsOf.values()].flat());

test('a feature with calls says in its own access.ts who may make them and how', () => {
  for (const [feature, calls] of callsOf) {
    const { rules = {}, requests = {} } = ACCESS[feature] ?? {};
    expect(
      calls.filter((call) => !Object.hasOwn(rules, call) || !Object.hasOwn(requests, call)),
      `Add these calls to \`rules\` and \`requests\` of tests/features/${feature}/access.ts`,
    ).toEqual([]);
  }
});

test('an access.ts is that of a feature, and says nothing of the calls of another one', () => {
  expect(Object.keys(ACCESS).filter((name) => name !== 'portal' && !FEATURE_NAMES.includes(name))).toEqual(
    [],
  );
  for (const [feature, { rules = {}, requests = {}, fuzz }] of Object.entries(ACCESS)) {
    const own = new Set(callsOf.get(feature));
    const named = [
      ...Object.keys(rules),
      ...Object.keys(requests),
      ...Object.keys(fuzz?.notHere ?? {}).map((call) =>
        call.replace(/^[A-Z]+/, (method) => method.toLowerCase()),
      ),
    ];
    expect(
      named.filter((call) => (feature === 'portal' ? ownCalls.has(call) : !own.has(call))),
      `These belong into the access.ts of another feature than ${feature}`,
    ).toEqual([]);
  }
});

test('two features that say something of the same page or call are refused by name', () => {
  const pages = { '/[base]/[lang]/visits': () => ({ status: 200 }) };
  expect(joined('pages', { visits: { pages }, guests: {} })).toEqual(pages);
  expect(() => joined('pages', { visits: { pages }, guests: { pages } })).toThrow(
    /visits is in `pages` of two features: .*tests\/features\/guests\/access\.ts/,
  );
});
