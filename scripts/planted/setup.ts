import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';

/* Which planted fault this file runs with, and, without any, which of them its tests come by (scripts/plant-faults.mjs). */
const folder = process.env['PLANTED'] ?? '';
const active = Number(readFileSync(path.join(folder, 'active'), 'utf8'));
const planted = globalThis as { planted?: (number: number) => boolean };
const outside = new Set<number>();
const tests: Record<string, { seconds: number; reached: number[] }> = {};
let seen = outside;
let began = 0;

planted.planted = (number) => {
  seen.add(number);
  return number === active;
};

beforeEach(() => {
  seen = new Set();
  began = performance.now();
});

afterEach(({ task }) => {
  if (active === 0) tests[task.fullTestName] = { seconds: (performance.now() - began) / 1000, reached: [...seen] };
  seen = outside;
});

afterAll(() => {
  if (active !== 0) return;
  mkdirSync(path.join(folder, 'reached'), { recursive: true });
  writeFileSync(path.join(folder, 'reached', `${randomUUID()}.json`), JSON.stringify({ file: expect.getState().testPath, outside: [...outside], tests }));
});
