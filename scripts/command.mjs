// npm run backup, restore, move, verify, audit:verify, receipt:verify, pdf:verify, doctor, rotate-key, rotate-push-key,
// renew-signing-key, lock-firm, owner, issue, create-firm: runs a command of the built portal on the project's own Node.
import path from 'node:path';
import { build, install, isBuilt, node, root, run } from './toolchain.mjs';

const [name, ...args] = process.argv.slice(2);
await install();
// does not rebuild newer sources, since the portal may be running; the next start does
if (!isBuilt() && (await build()) !== 0) process.exit(1);
process.exit(
  await run(node(), [path.join(root, 'dist', 'server', `${name}.mjs`), ...args], {
    env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' },
  }),
);
