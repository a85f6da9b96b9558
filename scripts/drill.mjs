// npm run drill [-- megabytes]: the worst day, rehearsed. Makes a portal with a gigabyte of files, backs it up, loses it, restores it
// on an empty place, and says how long each took. Fails when the restore, verified file by file, takes more than a minute a gigabyte.
import { cpSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { giveUp, install, node, run } from './toolchain.mjs';

const megabytes = Number(process.argv[2] ?? 1024);
const MOST_SECONDS = Math.max(10, (60 * megabytes) / 1024);
const MEGABYTE = 1024 * 1024;

await install();
const folder = mkdtempSync(path.join(tmpdir(), 'portal-drill-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { bavail, bsize } = statfsSync(folder);
if (bavail * bsize < (3 * megabytes + 2048) * MEGABYTE) giveUp(`The drill needs ${3 * megabytes + 2048} MB of free disk in ${tmpdir()}. Make room, set TMPDIR to another disk, or drill with less: npm run drill -- 100.`);

/** Runs a program of the portal in one of the places; gives the seconds that it took. @param {string} place @param {string[]} args */
async function timed(place, ...args) {
  const began = performance.now();
  const code = await run(node(), ['--no-experimental-webstorage', ...args], { stdio: ['ignore', args[0]?.startsWith('tests') ? 'ignore' : 'inherit', 'inherit'], env: { DATA_DIR: path.join(folder, place), LOG_LEVEL: 'error' } });
  if (code !== 0) giveUp(`${args[0]} ended with ${code}, for the reason above.`);
  return (performance.now() - began) / 1000;
}

const command = (/** @type {string} */ name) => path.join('src', 'commands', `${name}.server.ts`);
const backup = path.join(folder, 'backup');
const filled = await timed('lost', path.join('tests', 'commands', 'acts.ts'), 'fillLarge', JSON.stringify([megabytes]));
const backedUp = await timed('lost', command('backup'), '--to', backup);
const again = await timed('lost', command('backup'), '--to', backup);
cpSync(path.join(folder, 'lost.key'), path.join(folder, 'found.key'));
rmSync(path.join(folder, 'lost'), { recursive: true });
const restored = await timed('found', command('restore'), '--from', backup);
await timed('found', command('verify'));
console.log(`${megabytes} MB: filled in ${filled.toFixed(1)} s, backed up and checked in ${backedUp.toFixed(1)} s, again in ${again.toFixed(1)} s, restored and verified in ${restored.toFixed(1)} s (at most ${MOST_SECONDS.toFixed(0)} s).`);
process.exit(restored > MOST_SECONDS ? 1 : 0);
