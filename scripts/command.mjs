// npm run backup, restore, move, verify, audit:verify, receipt:verify, doctor, rotate-key, lock-firm: a command of the portal on the project's own Node.
import path from 'node:path';
import { install, node, root, run } from './toolchain.mjs';

const [name, ...args] = process.argv.slice(2);
await install();
process.exit(await run(node(), [path.join(root, 'src', 'commands', `${name}.server.ts`), ...args], { env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' } }));
