import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';

/*
 * Activates a mutant for a test file, or, without one, records which mutants its tests reach
 * (scripts/mutation-test.mjs).
 */
const folder = process.env['MUTATION_DIR'] ?? '';
const active = Number(readFileSync(path.join(folder, 'active'), 'utf8'));
const hook = globalThis as { isMutant?: (number: number) => boolean };
const outsideTests = new Set<number>();
const tests: Record<string, { seconds: number; reached: number[] }> = {};
let reached = outsideTests;
let began = 0;

hook.isMutant = (number) => {
  reached.add(number);
  return number === active;
};

beforeEach(() => {
  reached = new Set();
  began = performance.now();
});

afterEach(({ task }) => {
  if (active === 0)
    tests[task.fullTestName] = { seconds: (performance.now() - began) / 1000, reached: [...reached] };
  reached = outsideTests;
});

afterAll(() => {
  if (active !== 0) return;
  mkdirSync(path.join(folder, 'reached'), { recursive: true });
  writeFileSync(
    path.join(folder, 'reached', `${randomUUID()}.json`),
    JSON.stringify({ file: expect.getState().testPath, outsideTests: [...outsideTests], tests }),
  );
});
