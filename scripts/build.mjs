// npm run build: builds pages and islands into dist/, and precompresses every text file for the browser.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { fingerprint, forgetBuild, install, rememberBuild, root, runTool } from './toolchain.mjs';

const COMPRESSIBLE = /\.(js|css|svg|json|txt|xml|webmanifest)$/;
const MIN_BYTES = 512;

await install();
const sources = fingerprint();
forgetBuild();
const code = await runTool('astro', ['build'], { env: { NODE_ENV: 'production' } });
if (code !== 0) process.exit(code);
compress(path.join(root, 'dist', 'client'));
rememberBuild(sources);

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
