// npm run fuzz: runs the full fuzz suite with a new seed each time and prints its measurements; npm test runs
// a small one.
// npm run fuzz -- --requests 20000 --only "<name of a test>"; FUZZ_SEED=<number> reproduces the findings of a
// seed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build, findChromium, fail, install, root, runTool } from './toolchain.mjs';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, only: { type: 'string' } },
});
if (!/^[1-9]\d{2,8}$/.test(values.requests))
  fail(`--requests ${values.requests} cannot be used: give a number from 100.`);

const REPORT = path.join(root, 'test-results', 'fuzz.jsonl');
const seed = process.env['FUZZ_SEED'] ?? String(Math.floor(Math.random() * 2 ** 30));
const only = values.only?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const options = {
  env: { FUZZ_REQUESTS: values.requests, FUZZ_SEED: seed, FUZZ_REPORT: REPORT, CHROMIUM: findChromium() },
};

await install();
const built = await build();
if (built !== 0) process.exit(built);
mkdirSync(path.dirname(REPORT), { recursive: true });
rmSync(REPORT, { force: true });
console.log(`${values.requests} requests, FUZZ_SEED=${seed}`);
const began = Date.now();
const inProcess = await runTool(
  'vitest',
  ['run', 'tests/fuzz', '--no-file-parallelism', ...(only ? ['-t', only] : [])],
  options,
);
const overTheWire = await runTool(
  'playwright',
  ['test', 'e2e/fuzz.spec.ts', '--reporter=line', '--pass-with-no-tests', ...(only ? ['-g', only] : [])],
  options,
);
reportMetrics((Date.now() - began) / 1000);
process.exit(inProcess || overTheWire);

/** @param {number} seconds */
function reportMetrics(seconds) {
  const lines = existsSync(REPORT) ? readFileSync(REPORT, 'utf8').trim().split('\n') : [];
  if (lines.length === 0) fail(`Nothing was hunted. Is there a test named ${JSON.stringify(values.only)}?`);
  /**
   * @type {{ name: string, requests: number, seconds: number, p50: number, p99: number, findings: number }[]}
   */
  const hunts = lines.map((line) => JSON.parse(line));
  console.log(
    `\n${'requests'.padStart(9)} ${'seconds'.padStart(8)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)} ${'findings'.padStart(8)}`,
  );
  for (const hunt of hunts)
    console.log(
      `${String(hunt.requests).padStart(9)} ${[hunt.seconds, hunt.p50, hunt.p99].map((value) => value.toFixed(1).padStart(8)).join(' ')} ${String(hunt.findings).padStart(8)}  ${hunt.name}`,
    );
  const sum = (/** @type {'requests' | 'findings'} */ what) =>
    hunts.reduce((total, hunt) => total + hunt[what], 0);
  console.log(`\n${sum('requests')} requests in ${seconds.toFixed(0)} s, ${sum('findings')} findings`);
}
