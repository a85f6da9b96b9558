// npm run drill [-- megabytes]: a disaster recovery drill. Creates a portal with a gigabyte of files, backs
// it up, loses it, restores it to an empty place, and reports how long each step took. Fails when the
// verified restore takes more than a minute per gigabyte.
import { cpSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fail, install, node, run } from './toolchain.mjs';

const megabytes = Number(process.argv[2] ?? 1024);
const MAX_SECONDS = Math.max(10, (60 * megabytes) / 1024);
const MEGABYTE = 1024 * 1024;

await install();
const folder = mkdtempSync(path.join(tmpdir(), 'portal-drill-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { bavail, bsize } = statfsSync(folder);
if (bavail * bsize < (3 * megabytes + 2048) * MEGABYTE)
  fail(
    `The drill needs ${3 * megabytes + 2048} MB of free disk in ${tmpdir()}. Make room, set TMPDIR to another disk, or drill with less: npm run drill -- 100.`,
  );

/**
 * Runs a command of the portal in one of the places and returns the duration in seconds.
 *
 * @param {string} place
 * @param {string[]} args
 */
async function timed(place, ...args) {
  const began = performance.now();
  const code = await run(node(), ['--no-experimental-webstorage', ...args], {
    stdio: ['ignore', args[0]?.startsWith('tests') ? 'ignore' : 'inherit', 'inherit'],
    env: { DATA_DIR: path.join(folder, place), LOG_LEVEL: 'error' },
  });
  if (code !== 0) fail(`${args[0]} ended with ${code}, for the reason above.`);
  return (performance.now() - began) / 1000;
}

const command = (/** @type {string} */ name) => path.join('src', 'commands', `${name}.server.ts`);
const backup = path.join(folder, 'backup');
const filled = await timed(
  'lost',
  path.join('tests', 'commands', 'acts.ts'),
  'fillLarge',
  JSON.stringify([megabytes]),
);
const backedUp = await timed('lost', command('backup'), '--to', backup);
const again = await timed('lost', command('backup'), '--to', backup);
cpSync(path.join(folder, 'lost.key'), path.join(folder, 'found.key'));
rmSync(path.join(folder, 'lost'), { recursive: true });
const restored = await timed('found', command('restore'), '--from', backup);
await timed('found', command('verify'));
console.log(
  `${megabytes} MB: filled in ${filled.toFixed(1)} s, backed up and checked in ${backedUp.toFixed(1)} s, again in ${again.toFixed(1)} s, restored and verified in ${restored.toFixed(1)} s (at most ${MAX_SECONDS.toFixed(0)} s).`,
);
process.exit(restored > MAX_SECONDS ? 1 : 0);
