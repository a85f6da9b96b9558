// npm start: installs and builds what is missing or outdated, then runs the portal until it is stopped. npm
// run dev (--watch): also rebuilds and restarts after a source change.
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import {
  build,
  fingerprint,
  FRUGAL,
  install,
  isStopping,
  node,
  PORTAL,
  root,
  run,
  start,
} from './toolchain.mjs';

const WATCHED = ['src', 'locales', 'public'];
const QUIET = 150; // debounce in ms: editors save in several steps

// The portal stops when its IPC channel closes, so it does not outlive this process, even when killed.
const LEASH =
  "data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGTERM'));process.channel?.unref()";

await install();
await (process.argv.includes('--watch') ? runAgainAndAgain() : runOnce());

async function runOnce() {
  const code = await build();
  process.exit(code === 0 ? await startPortal().ended : code);
}

async function runAgainAndAgain() {
  // Recursive watching needs Node 20 on some systems; the project's own Node has it.
  if (Number.parseInt(process.versions.node) < 20) process.exit(await run(node(), process.argv.slice(1)));
  const nextChange = watchSources();
  for (;;) {
    const sources = fingerprint();
    const code = await build();
    if (isStopping()) process.exit(code || 1);
    const portal = code === 0 ? startPortal() : undefined;
    let wanted = true;
    const ended = portal?.ended.then((status) => {
      if (isStopping()) process.exit(status);
      if (wanted) console.error(`The portal ended with code ${status}.`);
    });
    if (!portal)
      console.error('The build failed, for the reason above. The next change builds and starts again.');
    while (fingerprint() === sources) await nextChange();
    wanted = false;
    portal?.child.kill('SIGTERM');
    await ended;
  }
}

function startPortal() {
  return start(node(), [`--import=${LEASH}`, ...PORTAL], {
    env: { NODE_ENV: 'production', ...FRUGAL },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // else it would get Ctrl-C twice, from the terminal and from us
    detached: process.platform !== 'win32',
  });
}

/** Watches the sources; returns a function that waits for the next change. */
function watchSources() {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let wake = () => {};
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), QUIET);
  };
  for (const place of WATCHED.map((name) => path.join(root, name)))
    if (existsSync(place)) watch(place, { recursive: true }, changed);
  return () => new Promise((resolve) => (wake = () => resolve(undefined)));
}
