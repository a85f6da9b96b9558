// The builds in dist/: each has a folder of its own, and dist/server and dist/client are links to those of the current
// one. A running portal keeps the files that it was started from, so that its pages work until it is restarted.
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const BUILDS = 'builds';
const KEPT = 5;
const PARTS = ['client', 'server'];

/** The folder for a new build in `dist`. @param {string} dist */
export function newBuildIn(dist) {
  const folder = path.join(dist, BUILDS, String(Date.now()));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Makes a finished build the current one. The last five are kept: one before may be running, and a portal whose files
 * are removed ends.
 *
 * @param {string} dist @param {string} folder
 */
export function makeCurrent(dist, folder) {
  for (const part of PARTS) {
    const [link, next] = [path.join(dist, part), path.join(dist, `${part}.next`)];
    rmSync(next, { recursive: true, force: true });
    // a junction, which Windows allows everybody to make, has an absolute target
    const target =
      process.platform === 'win32' ? path.join(folder, part) : path.relative(dist, path.join(folder, part));
    symlinkSync(target, next, 'junction');
    replace(link, next);
  }
  const builds = readdirSync(path.join(dist, BUILDS)).sort((one, other) => Number(other) - Number(one));
  for (const name of builds.slice(KEPT))
    rmSync(path.join(dist, BUILDS, name), { recursive: true, force: true });
}

/** @param {string} link @param {string} next */
function replace(link, next) {
  try {
    renameSync(next, link); // at once, where the system can
  } catch {
    rmSync(link, { recursive: true, force: true }); // Windows, or a folder of a version that built in place
    renameSync(next, link);
  }
}
