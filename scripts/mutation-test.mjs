// npm run mutation:authz: mutation testing of the authorization tests. Creates mutants of a copy of the sources
// (a scope dropped, a guard dropped, && replaced by ||, a role widened …), runs the tests that reach each one,
// and counts how many mutants they kill.
// --sample 20            only so many, spread evenly
// --only 7,12            only these numbers
// --list                 list the mutants without testing them
// --kinds where,guard    only kinds that start with one of these
// --log FILE             write the results to a file and skip what is in it, to resume an interrupted run
// --most 60              at most so many seconds of tests per mutant, the most promising first; default: all
// --pages                mutants of pages, middleware and request handling instead, each with a build and
//                        e2e/authz.spec.ts
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BaseSequencer, createVitest } from 'vitest/node';
import { outdatedEquivalents } from './mutation/equivalent.mjs';
import { allMutants } from './mutation/kinds.mjs';
import { withSwitches } from './mutation/switches.mjs';
import { findChromium, root } from './toolchain.mjs';

class GivenOrder extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  sort = async (files) => files;
}

/** Timeout of a run in ms, which counts as killed, and the time it then has to stop. */
const RUN_TIMEOUT = 300_000;
const STOP_TIMEOUT = 30_000;
/** Files whose tests are independent of each other: only those that reach the mutant are run. */
const INDEPENDENT = /tests\/authz\/(matrix|tampering)/;
const EDGES = 'tests/authz/edges.test.ts';
/** Tests of the source text, which differs here. */
const SOURCE_TESTS = /tests\/(architecture|gates|words|alerts|deep-links)\.test\.ts$/;

const options = parse(process.argv.slice(2));
const outdated = outdatedEquivalents();
if (outdated.length > 0)
  throw new Error(`scripts/mutation/equivalent.mjs names what no longer exists:\n${outdated.join('\n')}`);
const numbered = allMutants(options.pages).map((mutant, i) => ({ ...mutant, number: i + 1 }));
/** @typedef {typeof numbered[number]} Numbered */
const known = new Set(
  existsSync(options.log)
    ? readFileSync(options.log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).key)
    : [],
);
const wanted = numbered.filter(
  ({ number, kind, key }) =>
    (!options.only || options.only.includes(number)) &&
    (!options.kinds || options.kinds.some((one) => kind.startsWith(one))) &&
    !known.has(key),
);
const chosen = wanted.filter(
  (_, i) =>
    !options.sample ||
    Math.floor((i * options.sample) / wanted.length) !==
      Math.floor(((i - 1) * options.sample) / wanted.length),
);
if (options.list) {
  for (const mutant of chosen) console.log(describe(mutant));
  process.exit(0);
}

const copy = makeCopy();
/** Kills the current run with all its processes. */
let endRun = () => {};
process.on('exit', () => {
  endRun();
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

console.log(`${chosen.length} mutants; first a run without any.`);
const killerOf = await (options.pages ? byJourneys() : byTests());
/** @type {Numbered[]} */
const survivors = [];
/** @type {Record<string, number>} */
const killers = {};
for (const mutant of chosen) {
  const began = Date.now();
  const hangs = setTimeout(() => endRun(), RUN_TIMEOUT);
  const stuck = setTimeout(() => {
    note(mutant, 'a timeout', began);
    console.error(
      'A run timed out and could not be stopped. With --log, the same command continues after it.',
    );
    process.exit(3);
  }, RUN_TIMEOUT + STOP_TIMEOUT);
  const killer = await killerOf(mutant);
  for (const timer of [hangs, stuck]) clearTimeout(timer);
  note(mutant, killer, began);
  if (killer === undefined) survivors.push(mutant);
  else killers[killer] = (killers[killer] ?? 0) + 1;
}
console.log(
  `\n${chosen.length} mutants, ${chosen.length - survivors.length} killed (${Object.entries(killers)
    .map(([killer, count]) => `${count} by ${killer}`)
    .join(', ')}), ${survivors.length} survived.`,
);
for (const mutant of survivors) console.log(`SURVIVED ${describe(mutant)}`);
process.exit(survivors.length > 0 ? 1 : 0);

/** @param {string[]} args */
function parse(args) {
  const value = (/** @type {string} */ name) =>
    args.includes(name) ? args[args.indexOf(name) + 1] : undefined;
  return {
    sample: Number(value('--sample') ?? 0),
    only: value('--only')?.split(',').map(Number),
    kinds: value('--kinds')?.split(','),
    log: value('--log') ?? '',
    most: Number(value('--most') ?? Infinity),
    list: args.includes('--list'),
    pages: args.includes('--pages'),
  };
}

/** @param {Numbered} mutant */
function describe({ number, file, kind, start, end, text }) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const flat = (/** @type {string} */ piece) => piece.replaceAll(/\s+/g, ' ').slice(-160);
  return `#${number} ${file}:${line} ${kind}\n      - ${flat(source.slice(start, end))}\n      + ${flat(text)}`;
}

/** @param {Numbered} mutant @param {string | undefined} killer @param {number} began */
function note(mutant, killer, began) {
  const seconds = (Date.now() - began) / 1000;
  console.log(
    `${killer === undefined ? 'SURVIVED' : `killed by ${killer}`}  ${seconds.toFixed(1)} s  ${describe(mutant)}`,
  );
  if (options.log) appendFileSync(options.log, `${JSON.stringify({ key: mutant.key, killer, seconds })}\n`);
}

/** Copies what the tests need, so that the sources themselves are never changed. */
function makeCopy() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-mutation-'));
  for (const name of [
    'src',
    'tests',
    'locales',
    'e2e',
    'public',
    'scripts',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'astro.config.mjs',
    'playwright.config.ts',
  ])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

/**
 * Puts all mutants behind switches in one copy, and runs all tests once to see which reach which mutants. Each
 * mutant is then tested by those that reach it, the most promising first, until one fails.
 *
 * @returns {Promise<(mutant: Numbered) => Promise<string | undefined>>}
 */
async function byTests() {
  for (const [file, mutants] of Map.groupBy(numbered, (mutant) => mutant.file)) {
    const target = path.join(copy, file);
    writeFileSync(target, withSwitches(file, readFileSync(target, 'utf8'), mutants));
  }
  const folder = path.join(copy, 'mutation');
  mkdirSync(path.join(folder, 'reached'), { recursive: true });
  const activate = (/** @type {number} */ number) =>
    writeFileSync(path.join(folder, 'active'), String(number));
  process.env['MUTATION_DIR'] = folder;
  process.chdir(copy);
  /** @type {string[]} */
  const failing = [];
  const vitest = await createVitest('test', {
    retry: 0,
    root: copy,
    watch: false,
    reporters: [
      {
        onTestModuleEnd: (module) => void (module.ok() || failing.push(path.relative(copy, module.moduleId))),
      },
    ],
    setupFiles: ['tests/support/setup.ts', 'scripts/mutation/setup.ts'].map((file) => path.join(copy, file)),
    testTimeout: 20_000,
    expect: { poll: { timeout: 5000 } },
    sequence: { sequencer: GivenOrder },
  });
  // a test in an endless loop reacts to no other signal
  endRun = () => void spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
  await vitest.standalone();
  /**
   * Runs tests, and returns the file of the first one that fails.
   *
   * @param {import('vitest/node').TestSpecification[]} specifications
   */
  const firstFailing = async (specifications) => {
    // the result of a run also contains files of earlier runs
    failing.length = 0;
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    return failing[0] ?? (unhandledErrors.length > 0 ? 'an error outside of tests' : undefined);
  };

  activate(0);
  const all = (await vitest.globTestSpecifications()).filter(({ moduleId }) => !SOURCE_TESTS.test(moduleId));
  const broken = await firstFailing(all);
  if (broken !== undefined) throw new Error(`${broken} fails without a mutant: fix that first.`);
  /**
   * @type {{ file: string, outsideTests: number[], tests: Record<string, { seconds: number, reached: number[] }> }[]}
   */
  const reached = readdirSync(path.join(folder, 'reached')).map((name) =>
    JSON.parse(readFileSync(path.join(folder, 'reached', name), 'utf8')),
  );
  console.log(
    `The tests reach ${new Set(reached.flatMap(({ outsideTests, tests }) => [...outsideTests, ...Object.values(tests).flatMap((one) => one.reached)])).size} of ${numbered.length} mutants.`,
  );
  // the first file kills most mutants, so a second worker would start for nothing
  Object.assign(vitest.config, { bail: 1, maxWorkers: 1 });

  return async ({ file, number }) => {
    const own = file.replace(/^src/, 'tests').replace(/(\.server)?\.ts$/, '.test.ts');
    const feature = path.dirname(own);
    const found = reached.flatMap(({ file: test, outsideTests, tests }) => {
      const names = Object.keys(tests).filter((name) => tests[name]?.reached.includes(number));
      if (names.length === 0 && !outsideTests.includes(number)) return [];
      const testNames = INDEPENDENT.test(test) && names.length > 0 ? names : undefined;
      const testFile = path.relative(copy, test);
      return [
        {
          test,
          testNames,
          rank:
            testFile === own
              ? 0
              : path.dirname(testFile) === feature || EDGES === testFile
                ? 1
                : names.length > 0
                  ? 2
                  : 3,
          seconds: (testNames ?? Object.keys(tests)).reduce(
            (sum, name) => sum + (tests[name]?.seconds ?? 0),
            1,
          ),
        },
      ];
    });
    let left = options.most;
    const near = found
      .toSorted((a, b) => a.rank - b.rank || a.seconds - b.seconds)
      .filter(({ seconds, rank }) => rank === 0 || (left -= seconds) > 0);
    activate(number);
    return firstFailing(
      near.map(({ test, testNames }) =>
        vitest.getRootProject().createSpecification(test, testNames && { testNames }),
      ),
    );
  };
}

/**
 * Builds each mutant and runs the end-to-end authorization tests against it.
 *
 * @returns {Promise<(mutant: Numbered) => Promise<string | undefined>>}
 */
async function byJourneys() {
  /** @param {Pick<Numbered, 'file'>} mutant */
  const killer = async ({ file }) => {
    if (
      file.endsWith('http-security.server.ts') &&
      !(await succeeds('vitest', ['run', '--bail', '1', 'tests/platform/http-security.test.ts']))
    )
      return 'tests/platform/http-security.test.ts';
    if (!(await succeeds('astro', ['build']))) return 'the build';
    return (await succeeds('playwright', ['test', 'e2e/authz.spec.ts', '-x']))
      ? undefined
      : 'e2e/authz.spec.ts';
  };
  const broken = await killer({ file: '' });
  if (broken !== undefined) throw new Error(`${broken} fails without a mutant: fix that first.`);
  return async (mutant) => {
    const target = path.join(copy, mutant.file);
    const source = readFileSync(target, 'utf8');
    writeFileSync(target, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
    const found = await killer(mutant);
    writeFileSync(target, source);
    return found;
  };
}

/**
 * Runs a tool in the copy; resolves to whether it succeeded.
 *
 * @param {string} tool
 * @param {string[]} args
 * @returns {Promise<boolean>}
 */
function succeeds(tool, args) {
  return new Promise((resolve) => {
    const env = {
      ...process.env,
      PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
      NODE_ENV: tool === 'astro' ? 'production' : 'test',
      CI: '1',
      ASTRO_TELEMETRY_DISABLED: '1',
      CHROMIUM: findChromium() ?? '',
    };
    const child = spawn(path.join(root, 'node_modules/.bin', tool), args, {
      cwd: copy,
      env,
      stdio: 'ignore',
      detached: true,
    });
    endRun = () => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    child.once('exit', (code) => {
      endRun = () => {};
      resolve(code === 0);
    });
  });
}
