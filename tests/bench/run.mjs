// npm run bench: measures the portal beside what it is compared with, and writes docs/benchmarks/. npm run
// bench -- pages server: only those. It runs on any Node, installs and builds like the other scripts, and
// hands over to bench.ts on the portal's own Node.
import { build, install, node, run } from '../../scripts/toolchain.mjs';

await install();
const code = await build();
process.exit(
  code ||
    (await run(node(), ['--no-experimental-webstorage', 'tests/bench/bench.ts', ...process.argv.slice(2)], {
      env: { NODE_ENV: 'production' },
    })),
);
