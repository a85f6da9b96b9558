// npm run build: builds pages and islands into dist/, beside what a running portal uses, and precompresses every text
// file for the browser. An interrupted build leaves the one before.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { makeCurrent, newBuildIn } from './builds.mjs';
import { fail, fingerprint, forgetBuild, install, rememberBuild, root, runTool } from './toolchain.mjs';

const COMPRESSIBLE = /\.(js|css|svg|json|txt|xml|webmanifest)$/;
const MIN_BYTES = 512;

await install();
const sources = fingerprint();
const dist = path.join(root, 'dist');
const folder = newBuildIn(dist);
const code = await runTool('astro', ['build', '--outDir', path.relative(root, folder)], {
  env: { NODE_ENV: 'production' },
});
if (code !== 0) {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
compress(path.join(folder, 'client'));
narrow(path.join(folder, 'server'));
forgetBuild();
makeCurrent(dist, folder);
writeFileSync(path.join(dist, 'version'), `${version()}\n`);
rememberBuild(sources);

/** The version in package.json and, in a Git clone, the commit: `0.2.0+4e20d362`, or `0.2.0+4e20d362.changed`. */
function version() {
  const released = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version;
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    if (git('rev-parse', '--show-prefix') !== '') return released; // the clone is that of another project
    return `${released}+${git('describe', '--always', '--exclude=*', '--abbrev=8', '--dirty=.changed')}`;
  } catch {
    return released; // no Git, or no clone
  }
}

/** @param {string} folder */
function compress(folder) {
  let [files, plain, packed] = [0, 0, 0];
  for (const file of texts(folder)) {
    const bytes = readFileSync(file);
    if (bytes.length < MIN_BYTES) continue;
    const brotli = brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    });
    writeFileSync(`${file}.br`, brotli);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    files += 1;
    plain += bytes.length;
    packed += brotli.length;
  }
  console.log(`Compressed ${files} files for the browser: ${kB(plain)} → ${kB(packed)}`);
}

/**
 * Escapes letters beyond Latin-1 in the server's scripts: one such letter doubles the memory of the whole script, 8 MB in
 * all. The escapes mean the same in strings, templates and regular expressions.
 *
 * @param {string} folder
 */
function narrow(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.mjs')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const script = readFileSync(file, 'utf8');
    if (/String\.raw`[^`]*[^\0-\xff]/.test(script)) fail(`An escape would change a String.raw in ${file}.`);
    const escaped = script.replaceAll(
      /[^\0-\xff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    writeFileSync(file, escaped);
  }
}

/** @param {string} folder @returns {string[]} */
function texts(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return texts(place);
    return COMPRESSIBLE.test(entry.name) ? [place] : [];
  });
}

/** @param {number} bytes */
function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
