// Loaded into a command before it starts (--import): ends it as a power cut would, just before its KILL_AT-th
// touch of the disk or the database. Without KILL_AT it says at the end, on file descriptor 3, how many
// touches there were.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const killAt = Number(process.env['KILL_AT'] ?? 0);
let touches = 0;

/** @param {Record<string, any>} holder @param {string[]} names */
function count(holder, ...names) {
  for (const name of names) {
    const original = holder[name];
    /** @this {unknown} @param {unknown[]} args */
    holder[name] = function (...args) {
      touches += 1;
      if (touches === killAt) process.kill(process.pid, 'SIGKILL');
      return original.apply(this, args);
    };
  }
}

count(fs, 'writeSync', 'renameSync', 'rmSync', 'writeFileSync');
count(promises, 'copyFile', 'rename', 'open', 'rm', 'mkdir');
count(DatabaseSync.prototype, 'exec');
count(StatementSync.prototype, 'run', 'all');
syncBuiltinESMExports();
if (killAt === 0) process.on('exit', () => fs.writeSync(3, String(touches)));
