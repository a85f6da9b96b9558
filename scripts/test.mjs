// npm test: runs all checks, stops at the first step that fails, and shows its output.
// npm test -- lint unit: only those; `quick` is all that need neither a build nor a database server. `postgres` and `nodes`
// repeat `unit` and `e2e` on PostgreSQL and S3.
// npm run test:whole: without the sampling of npm test (tests/support/whole.ts).
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { installed, startPostgres, startS3 } from './services.mjs';
import { build, findChromium, findHeadless, fail, install, isStopping, root, runTool } from './toolchain.mjs';

const RESULTS = path.join(root, 'test-results');
const reportOf = (/** @type {string} */ name) => path.join(RESULTS, `${name}.json`);

/**
 * `run` returns an exit code; `counts` returns how many tests passed and failed, and the names of those that
 * passed only when retried. A step starts together with the one that `beside` names, if that runs too: both leave
 * processors idle.
 * @typedef {import('./toolchain.mjs').Options} Options
 * @typedef {{ passed: number, failed: number, retried: string[] }} Counts
 * @typedef {{ title: string, run: (options: Options) => Promise<number>, counts?: () => Counts, beside?:
 * string }} Step
 * @type {Record<string, Step>}
 */
const STEPS = {
  types: { title: 'Types', run: types },
  lint: { title: 'Lint', run: lint, beside: 'types' },
  format: {
    title: 'Format',
    run: (options) => runTool('prettier', ['--check', '--log-level', 'warn', '.'], options),
    beside: 'types',
  },
  knip: {
    title: 'Dead code',
    run: (options) => runTool('knip', ['--no-progress'], options),
    beside: 'types',
  },
  unit: {
    title: 'Unit and API tests',
    run: (options) => unit('unit', options),
    counts: () => unitCounts('unit'),
  },
  postgres: {
    title: '  on PostgreSQL and S3',
    run: (options) => onServices((given) => unit('postgres', given), options),
    counts: () => unitCounts('postgres'),
  },
  build: { title: 'Build', run: build },
  faults: {
    title: 'Faults and commands',
    run: async (options) => (await build(options)) || unit('faults', options, 'vitest.faults.config.ts'),
    counts: () => unitCounts('faults'),
  },
  e2e: {
    title: 'End to end',
    run: (options) => endToEnd('e2e', options),
    counts: () => e2eCounts('e2e'),
  },
  nodes: {
    title: '  on PostgreSQL and S3',
    run: (options) => onServices((given) => endToEnd('nodes', given), options),
    counts: () => e2eCounts('nodes'),
  },
};

/** The steps of `quick`, about three minutes on two cores. */
const QUICK = ['types', 'lint', 'format', 'knip', 'unit'];
const names = process.argv
  .slice(2)
  .filter((name) => name !== '--whole')
  .flatMap((name) => (name === 'quick' ? QUICK : name));
const whole = process.argv.includes('--whole');
const unknown = names.find((name) => !Object.hasOwn(STEPS, name));
if (unknown) fail(`Unknown step "${unknown}". Steps: quick, ${Object.keys(STEPS).join(', ')}.`);

await install();
mkdirSync(RESULTS, { recursive: true });
const chosen = Object.entries(STEPS).filter(([name]) => names.length === 0 || names.includes(name));
// left by an earlier run; those of steps that do not run now are kept
for (const [name] of chosen) rmSync(reportOf(name), { force: true });
const total = { passed: 0, failed: 0 };
/** @type {Promise<{ url: Record<string, string>, stop: () => Promise<void> } | undefined> | undefined} */
let services;
/** @type {Promise<number> | undefined} */
let synced;
let ok = true;
/** @type {[string, Step][][]} */
const rows = [];
for (const one of chosen) {
  const row = rows.at(-1);
  if (row && one[1].beside === row[0]?.[0]) row.push(one);
  else rows.push([one]);
}
for (const row of rows) {
  const taken = await Promise.all(row.map(([name, step]) => take(name, step, row.length === 1)));
  ok = taken.every(Boolean);
  if (!ok || isStopping()) break;
}
if (ok && total.passed === 0 && chosen.some(([, { counts }]) => counts)) {
  console.error('No tests ran.');
  ok = false;
}
await (await services)?.stop();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(ok && !isStopping() ? 0 : 1);

/**
 * Runs a step and adds its counts. A failed step without tests counts as one failure. A step that runs alone
 * prints its title first.
 *
 * @param {string} name
 * @param {Step} step
 * @param {boolean} isAlone
 */
async function take(name, step, isAlone) {
  const title = step.title.padEnd(26);
  if (isAlone) process.stdout.write(title);
  const log = path.join(RESULTS, `${name}.log`);
  const output = openSync(log, 'w');
  const began = Date.now();
  const code = await step.run({ stdio: ['ignore', output, output] });
  closeSync(output);
  const counted = step.counts?.() ?? { passed: 0, failed: 0, retried: [] };
  const failed = code === 0 ? counted.failed : Math.max(1, counted.failed);
  total.passed += counted.passed;
  total.failed += failed;
  console.log(
    `${isAlone ? '' : title}${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${failed > 0 ? 'FAILED' : step.counts ? `${counted.passed} passed` : 'good'}`,
  );
  for (const name of counted.retried) console.log(`${' '.repeat(28)}passed only when tried again: ${name}`);
  if (failed > 0) console.log(`\n${readFileSync(log, 'utf8')}`);
  return failed === 0;
}

/** Reads the counts of a report. @param {string} file @param {(report: any) => Counts} counts */
function report(file, counts) {
  return existsSync(file)
    ? counts(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failed: 0, retried: [] };
}

/** @param {Options} options */
async function types(options) {
  return (await sync(options)) || runTool('astro', ['check', '--noSync'], options);
}

/** @param {Options} options */
async function lint(options) {
  // allocates many short-lived objects: a tenth of its time was garbage collection
  const roomy = { NODE_OPTIONS: '--max-semi-space-size=64' };
  return (await sync(options)) || runTool('eslint', ['.', '--max-warnings', '0'], { ...options, env: roomy });
}

/**
 * Generates Astro's types once, which type check and linter read at the same time.
 *
 * @param {Options} options
 */
function sync(options) {
  synced ??= runTool('astro', ['sync'], options);
  return synced;
}

/**
 * Runs a Vitest suite, with its results in the step's report.
 *
 * @param {string} name
 * @param {Options} options
 * @param {string} [config]
 */
function unit(name, options, config = 'vitest.config.ts') {
  return runTool(
    'vitest',
    [
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportOf(name)}`,
    ],
    onSqlite(options),
  );
}

/** @param {string} name */
function unitCounts(name) {
  return report(reportOf(name), ({ numPassedTests, numFailedTests, testResults }) => ({
    passed: numPassedTests,
    failed: numFailedTests,
    retried: testResults
      .flatMap((/** @type {any} */ file) => file.assertionResults)
      .filter((/** @type {any} */ test) => test.status === 'passed' && test.failureMessages.length > 0)
      .map((/** @type {any} */ test) => test.fullName),
  }));
}

/** @param {string} name */
function e2eCounts(name) {
  return report(reportOf(name), ({ stats, suites }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    retried: flakyIn(suites),
  }));
}

/** The titles of end-to-end tests that passed only when retried. @param {any[]} suites @returns {string[]} */
function flakyIn(suites) {
  return suites.flatMap((suite) => [
    ...flakyIn(suite.suites ?? []),
    ...suite.specs
      .filter((/** @type {any} */ spec) =>
        spec.tests.some((/** @type {any} */ test) => test.status === 'flaky'),
      )
      .map((/** @type {any} */ spec) => `${spec.file}: ${spec.title}`),
  ]);
}

/**
 * Removes services named in the environment, unless the options set them.
 *
 * @param {Options} options
 * @returns {Options}
 */
function onSqlite({ env, ...options }) {
  return {
    ...options,
    env: { TEST_DATABASE_URL: undefined, TEST_S3_URL: undefined, WHOLE: whole ? '1' : undefined, ...env },
  };
}

/**
 * Runs a step on PostgreSQL and S3, which start with the first step that needs them. If they are not
 * available, the step is skipped, but fails in CI.
 * @param {(options: Options) => Promise<number>} step @param {Options} options
 */
async function onServices(step, options) {
  services ??= startServices();
  const url = (await services)?.url;
  if (url) return step({ ...options, env: url });
  return process.env['CI'] ? 1 : 0;
}

async function startServices() {
  const started = await Promise.allSettled([startPostgres(), startS3()]);
  const reasons = started.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  const [postgres, s3] = started.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  const stop = async () => void (await Promise.all([postgres?.stop(), s3?.stop()]));
  if (postgres && s3) return { url: { TEST_DATABASE_URL: postgres.url, TEST_S3_URL: s3.url }, stop };
  await stop();
  console.log(
    `\n${reasons.join('\n')}\n${process.env['CI'] ? 'In CI these tests must run.' : 'Without it the tests on PostgreSQL and S3 are left out.'}`,
  );
  return undefined;
}

/**
 * Runs the journeys on a build of the current sources, which is made first unless it is up to date.
 *
 * @param {string} name
 * @param {Options} options
 */
async function endToEnd(name, options) {
  const code = await build(options);
  if (code !== 0) return code;
  if (!findHeadless() && !(await installed('chromium-headless-shell')) && !findChromium())
    await runTool('playwright', ['install', 'chromium'], options);
  const browser = findHeadless() ?? findChromium();
  if (browser)
    return runTool(
      'playwright',
      ['test'],
      onSqlite({ ...options, env: { CHROMIUM: browser, E2E_REPORT: reportOf(name), ...options.env } }),
    );
  fail(
    '\nThere is no Chromium for the end-to-end tests. Run `npx playwright install --with-deps chromium`, or set CHROMIUM to the path of a Chrome or Chromium.',
  );
}
