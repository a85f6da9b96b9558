// Completes package-lock.json after `npm install`: npm leaves out optional packages of other platforms when a
// registry does not serve them, and `npm ci` then rejects the lock file. Run it after every change of
// dependencies.
import fs from 'node:fs';

const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
const packages = lock.packages;

/** The folders where Node looks for `name` from the package at `path`, nearest first. */
function* places(path, name) {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
    yield `${at}/node_modules/${name}`;
  yield `node_modules/${name}`;
}

for (const [path, entry] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = /(android|darwin|linux|win32|wasm32|freebsd|openharmony)-([a-z0-9]+)/.exec(name);
    if (path === '' || !platform || !/^\d/.test(range)) continue;
    const found = [...places(path, name)].find((place) => packages[place]);
    if (found && packages[found].version === range) continue;
    const target = platform[1] === 'wasm32' ? { cpu: ['wasm32'] } : { os: [platform[1]], cpu: [platform[2]] };
    packages[found ? `${path}/node_modules/${name}` : `node_modules/${name}`] = {
      version: range,
      optional: true,
      ...target,
    };
  }
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
fs.writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
