// npm start: installs and builds what is missing or out of date, then runs the portal until it is told to end.
// npm run dev (--watch): also builds and starts again when a source changes.
import { existsSync, watch } from 'node:fs';
import path from 'node:path';
import { build, fingerprint, FRUGAL, install, isStopping, node, PORTAL, root, run, start } from './toolchain.mjs';

const WATCHED = ['src', 'locales', 'public'];
const QUIET = 150; // ms without another change: an editor saves in several steps

// The portal ends when the channel to us closes, so it is not left behind where we are killed and can tell it nothing.
const LEASH = "data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGTERM'));process.channel?.unref()";

await install();
await (process.argv.includes('--watch') ? runAgainAndAgain() : runOnce());

async function runOnce() {
  const code = await build();
  process.exit(code === 0 ? await startPortal().ended : code);
}

async function runAgainAndAgain() {
  // Only Node 20 and newer watch folders in folders on every system; ours does.
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
    if (!portal) console.error('The build failed, for the reason above. The next change builds and starts again.');
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
    detached: process.platform !== 'win32', // else a Ctrl-C would reach it twice, from the terminal and from us
  });
}

/** Gives a function that waits for the next change. */
function watchSources() {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let wake = () => {};
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), QUIET);
  };
  for (const place of WATCHED.map((name) => path.join(root, name))) if (existsSync(place)) watch(place, { recursive: true }, changed);
  return () => new Promise((resolve) => (wake = () => resolve(undefined)));
}
