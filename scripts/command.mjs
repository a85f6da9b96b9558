// npm run backup, restore, move, verify, audit:verify, receipt:verify, doctor, rotate-key, lock-firm: a command of the portal on the
// project's own Node, as it was built with the portal that runs here.
import path from 'node:path';
import { build, install, isBuilt, node, root, run } from './toolchain.mjs';

const [name, ...args] = process.argv.slice(2);
await install();
if (!isBuilt() && (await build()) !== 0) process.exit(1); // a newer source is built by the next start: the portal may be running
process.exit(await run(node(), [path.join(root, 'dist', 'server', `${name}.mjs`), ...args], { env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' } }));
