// npm test: everything that must hold; it stops at the first step that fails and shows what that step said.
// npm test -- lint unit: only those.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, findChromium, giveUp, install, isStopping, root, run, runTool } from './toolchain.mjs';

const RESULTS = path.join(root, 'test-results');
const UNIT = path.join(RESULTS, 'unit.json');
const E2E = path.join(RESULTS, 'e2e.json');

/**
 * `run` gives an exit code, `counts` reads how many tests passed and failed.
 * @typedef {import('./toolchain.mjs').Options} Options
 * @typedef {{ passed: number, failed: number }} Counts
 * @typedef {{ title: string, run: (options: Options) => Promise<number>, counts?: () => Counts }} Step
 * @type {Record<string, Step>}
 */
const STEPS = {
  types: { title: 'Types', run: (options) => runTool('astro', ['check'], options) },
  lint: { title: 'Lint', run: lint },
  knip: { title: 'Dead code', run: (options) => runTool('knip', ['--no-progress'], options) },
  unit: {
    title: 'Unit and API tests',
    run: (options) => runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${UNIT}`], options),
    counts: () => report(UNIT, ({ numPassedTests, numFailedTests }) => ({ passed: numPassedTests, failed: numFailedTests })),
  },
  build: { title: 'Build', run: build },
  e2e: { title: 'End to end', run: endToEnd, counts: () => report(E2E, ({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected })) },
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(STEPS, name));
if (unknown) giveUp(`There is no step "${unknown}". Steps: ${Object.keys(STEPS).join(', ')}.`);

await install();
mkdirSync(RESULTS, { recursive: true });
for (const file of [UNIT, E2E]) rmSync(file, { force: true }); // of a run that was broken off
const chosen = Object.entries(STEPS).filter(([name]) => names.length === 0 || names.includes(name));
const total = { passed: 0, failed: 0 };
let ok = true;
for (const [name, step] of chosen) {
  ok = await take(name, step);
  if (!ok || isStopping()) break;
}
if (ok && total.passed === 0 && chosen.some(([, { counts }]) => counts)) {
  console.error('Not one test ran.');
  ok = false;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(ok && !isStopping() ? 0 : 1);

/** Takes one step and adds what it counted; a step without tests of its own that fails counts as one. @param {string} name @param {Step} step */
async function take(name, step) {
  process.stdout.write(`${step.title.padEnd(20)}`);
  const log = path.join(RESULTS, `${name}.log`);
  const output = openSync(log, 'w');
  const began = Date.now();
  const code = await step.run({ stdio: ['ignore', output, output] });
  closeSync(output);
  const counted = step.counts?.() ?? { passed: 0, failed: 0 };
  const failed = code === 0 ? counted.failed : Math.max(1, counted.failed);
  total.passed += counted.passed;
  total.failed += failed;
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${failed > 0 ? 'FAILED' : step.counts ? `${counted.passed} passed` : 'good'}`);
  if (failed > 0) console.log(`\n${readFileSync(log, 'utf8')}`);
  return failed === 0;
}

/** Counts from a report. @param {string} file @param {(report: any) => Counts} counts */
function report(file, counts) {
  return existsSync(file) ? counts(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 0 };
}

/** @param {Options} options */
async function lint(options) {
  // The linter needs the types that Astro generates.
  const code = existsSync(path.join(root, '.astro', 'types.d.ts')) ? 0 : await runTool('astro', ['sync'], options);
  return code || runTool('eslint', ['.', '--max-warnings', '0'], options);
}

/** @param {Options} options */
async function endToEnd(options) {
  const browser = findChromium() ?? (await installChromium(options));
  if (browser) return runTool('playwright', ['test'], { ...options, env: { CHROMIUM: browser } });
  giveUp('\nThere is no Chromium for the end-to-end tests. Run `npx playwright install --with-deps chromium`, or set CHROMIUM to the path of a Chrome or Chromium.');
}

/** @param {Options} options */
async function installChromium(options) {
  await runTool('playwright', ['install', 'chromium'], options);
  if (!findChromium() && process.getuid?.() === 0 && existsSync('/etc/debian_version')) await run('apt-get', ['install', '-y', 'chromium'], options);
  return findChromium();
}
