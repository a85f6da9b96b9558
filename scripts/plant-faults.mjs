// npm run faults:authz: the test of the authorization tests. It plants one authorization fault at a time into a copy of the sources (a scope
// dropped, a guard dropped, && turned into ||, a role widened …), runs the tests that come by it, and counts how many faults they find.
//   --sample 20    only so many, spread evenly     --only 7,12   only these numbers     --list   say them, plant none
//   --kinds where,guard   only of kinds that begin so
//   --log FILE     writes what became of each to a file, and leaves out what stands there: a run that was broken off goes on
//   --most 60      spends at most so many seconds of tests on one, the likeliest first; without it, all that come by it
//   --pages        the faults of pages, middleware and front door instead, each with a build and e2e/authz.spec.ts
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BaseSequencer, createVitest } from 'vitest/node';
import { allFaults } from './planted/kinds.mjs';
import { switched } from './planted/switches.mjs';
import { findChromium, root } from './toolchain.mjs';

class AsGiven extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  sort = async (files) => files;
}

/** Milliseconds after which a run that hangs is ended, and counts as found; and what it has to end then. */
const MOST = 300_000;
const TO_END = 30_000;
/** Tests that ask each call one after the other know no other test: of these, only those that come by a fault are run. */
const APART = /tests\/authz\/(matrix|tampering)/;
const EDGES = 'tests/authz/edges.test.ts';
/** Tests of the sources as text, which are other ones here. */
const OF_TEXT = /tests\/(house|gates|words|alerts|deep-links)\.test\.ts$/;

const options = parse(process.argv.slice(2));
const numbered = allFaults(options.pages).map((fault, i) => ({ ...fault, number: i + 1 }));
/** @typedef {typeof numbered[number]} Numbered */
const known = new Set(existsSync(options.log) ? readFileSync(options.log, 'utf8').trim().split('\n').map((line) => JSON.parse(line).key) : []);
const wanted = numbered.filter(({ number, kind, key }) => (!options.only || options.only.includes(number)) && (!options.kinds || options.kinds.some((one) => kind.startsWith(one))) && !known.has(key));
const chosen = wanted.filter((_, i) => !options.sample || Math.floor((i * options.sample) / wanted.length) !== Math.floor(((i - 1) * options.sample) / wanted.length));
if (options.list) {
  for (const fault of chosen) console.log(describe(fault));
  process.exit(0);
}

const copy = makeCopy();
/** Ends what is under way, with everything that it started. */
let endRun = () => {};
process.on('exit', () => {
  endRun();
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

console.log(`${chosen.length} faults; first the sources as they are.`);
const finderOf = await (options.pages ? byJourneys() : byTests());
/** @type {Numbered[]} */
const survivors = [];
/** @type {Record<string, number>} */
const finders = {};
for (const fault of chosen) {
  const began = Date.now();
  const hangs = setTimeout(() => endRun(), MOST);
  const stuck = setTimeout(() => {
    note(fault, 'a run that hung', began);
    console.error('A run hung and could not be ended, so this one ends. With --log the same command goes on after it.');
    process.exit(3);
  }, MOST + TO_END);
  const finder = await finderOf(fault);
  for (const timer of [hangs, stuck]) clearTimeout(timer);
  note(fault, finder, began);
  if (finder === undefined) survivors.push(fault);
  else finders[finder] = (finders[finder] ?? 0) + 1;
}
console.log(`\n${chosen.length} faults planted, ${chosen.length - survivors.length} found (${Object.entries(finders).map(([finder, count]) => `${count} by ${finder}`).join(', ')}), ${survivors.length} survived.`);
for (const fault of survivors) console.log(`SURVIVED ${describe(fault)}`);
process.exit(survivors.length > 0 ? 1 : 0);

/** @param {string[]} args */
function parse(args) {
  const value = (/** @type {string} */ name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  return { sample: Number(value('--sample') ?? 0), only: value('--only')?.split(',').map(Number), kinds: value('--kinds')?.split(','), log: value('--log') ?? '', most: Number(value('--most') ?? Infinity), list: args.includes('--list'), pages: args.includes('--pages') };
}

/** @param {Numbered} fault */
function describe({ number, file, kind, start, end, text }) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const flat = (/** @type {string} */ piece) => piece.replaceAll(/\s+/g, ' ').slice(-160);
  return `#${number} ${file}:${line} ${kind}\n      - ${flat(source.slice(start, end))}\n      + ${flat(text)}`;
}

/** @param {Numbered} fault @param {string | undefined} finder @param {number} began */
function note(fault, finder, began) {
  const seconds = (Date.now() - began) / 1000;
  console.log(`${finder === undefined ? 'SURVIVED' : `found by ${finder}`}  ${seconds.toFixed(1)} s  ${describe(fault)}`);
  if (options.log) appendFileSync(options.log, `${JSON.stringify({ key: fault.key, finder, seconds })}\n`);
}

/** A copy of what the tests need, so that the sources themselves are never touched. */
function makeCopy() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-planted-'));
  for (const name of ['src', 'tests', 'locales', 'e2e', 'public', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts', 'astro.config.mjs', 'playwright.config.ts']) cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

/**
 * Every fault is a switch in one copy, whose tests are run once without any, to see which come by which; then each fault is tried by the
 * tests that come by it, the likeliest first, until one of them fails.
 * @returns {Promise<(fault: Numbered) => Promise<string | undefined>>}
 */
async function byTests() {
  for (const [file, faults] of Map.groupBy(numbered, (fault) => fault.file)) {
    const place = path.join(copy, file);
    writeFileSync(place, switched(file, readFileSync(place, 'utf8'), faults));
  }
  const folder = path.join(copy, 'planted');
  mkdirSync(path.join(folder, 'reached'), { recursive: true });
  const turn = (/** @type {number} */ number) => writeFileSync(path.join(folder, 'active'), String(number));
  process.env['PLANTED'] = folder;
  process.chdir(copy);
  /** @type {string[]} */
  const failing = [];
  const vitest = await createVitest('test', {
    root: copy,
    watch: false,
    reporters: [{ onTestModuleEnd: (module) => void (module.ok() || failing.push(path.relative(copy, module.moduleId))) }],
    setupFiles: ['tests/kit/setup.ts', 'scripts/planted/setup.ts'].map((file) => path.join(copy, file)),
    testTimeout: 20_000,
    expect: { poll: { timeout: 5000 } },
    sequence: { sequencer: AsGiven },
  });
  endRun = () => void spawnSync('pkill', ['-KILL', '-P', String(process.pid)]); // a test that goes around in a circle hears nothing else
  await vitest.standalone();
  /** The file of the first test that fails. @param {import('vitest/node').TestSpecification[]} specifications */
  const firstFailing = async (specifications) => {
    failing.length = 0; // what a run answers also tells of files that an earlier one ran, and this one did not come to
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    return failing[0] ?? (unhandledErrors.length > 0 ? 'an error outside of tests' : undefined);
  };

  turn(0);
  const all = (await vitest.globTestSpecifications()).filter(({ moduleId }) => !OF_TEXT.test(moduleId));
  const broken = await firstFailing(all);
  if (broken !== undefined) throw new Error(`${broken} fails without any fault: mend that first.`);
  /** @type {{ file: string, outside: number[], tests: Record<string, { seconds: number, reached: number[] }> }[]} */
  const reached = readdirSync(path.join(folder, 'reached')).map((name) => JSON.parse(readFileSync(path.join(folder, 'reached', name), 'utf8')));
  console.log(`The tests come by ${new Set(reached.flatMap(({ outside, tests }) => [...outside, ...Object.values(tests).flatMap((one) => one.reached)])).size} of ${numbered.length} faults.`);
  Object.assign(vitest.config, { bail: 1, maxWorkers: 1 }); // most are found by the first file: a second one would begin in vain

  return async ({ file, number }) => {
    const own = file.replace(/^src/, 'tests').replace(/(\.server)?\.ts$/, '.test.ts');
    const room = path.dirname(own);
    const found = reached.flatMap(({ file: test, outside, tests }) => {
      const names = Object.keys(tests).filter((name) => tests[name]?.reached.includes(number));
      if (names.length === 0 && !outside.includes(number)) return [];
      const some = APART.test(test) && names.length > 0 ? names : undefined;
      const place = path.relative(copy, test);
      return [{ test, some, rank: place === own ? 0 : path.dirname(place) === room || EDGES === place ? 1 : names.length > 0 ? 2 : 3, seconds: (some ?? Object.keys(tests)).reduce((sum, name) => sum + (tests[name]?.seconds ?? 0), 1) }];
    });
    let left = options.most;
    const near = found.toSorted((a, b) => a.rank - b.rank || a.seconds - b.seconds).filter(({ seconds, rank }) => rank === 0 || (left -= seconds) > 0);
    turn(number);
    return firstFailing(near.map(({ test, some }) => vitest.getRootProject().createSpecification(test, some && { testNames: some })));
  };
}

/** Each fault is planted by itself, built, and tried by the authorization journeys. @returns {Promise<(fault: Numbered) => Promise<string | undefined>>} */
async function byJourneys() {
  /** @param {Pick<Numbered, 'file'>} fault */
  const finder = async ({ file }) => {
    if (file.endsWith('front-door.server.ts') && !(await succeeds('vitest', ['run', '--bail', '1', 'tests/platform/front-door.test.ts']))) return 'tests/platform/front-door.test.ts';
    if (!(await succeeds('astro', ['build']))) return 'the build';
    return (await succeeds('playwright', ['test', 'e2e/authz.spec.ts', '-x'])) ? undefined : 'e2e/authz.spec.ts';
  };
  const broken = await finder({ file: '' });
  if (broken !== undefined) throw new Error(`${broken} fails without any fault: mend that first.`);
  return async (fault) => {
    const target = path.join(copy, fault.file);
    const source = readFileSync(target, 'utf8');
    writeFileSync(target, source.slice(0, fault.start) + fault.text + source.slice(fault.end));
    const found = await finder(fault);
    writeFileSync(target, source);
    return found;
  };
}

/** Whether a tool ends well in the copy. @param {string} tool @param {string[]} args @returns {Promise<boolean>} */
function succeeds(tool, args) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`, NODE_ENV: tool === 'astro' ? 'production' : 'test', CI: '1', ASTRO_TELEMETRY_DISABLED: '1', CHROMIUM: findChromium() ?? '' };
    const child = spawn(path.join(root, 'node_modules/.bin', tool), args, { cwd: copy, env, stdio: 'ignore', detached: true });
    endRun = () => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    child.once('exit', (code) => {
      endRun = () => {};
      resolve(code === 0);
    });
  });
}
