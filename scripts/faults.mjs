// npm run faults -- kill --times 1000: runs one of the tests in tests/fault-injection repeatedly and prints
// its measurements. `power` runs only through this script.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { build, fail, install, root, runTool } from './toolchain.mjs';

const folder = path.join(root, 'tests', 'fault-injection');
const known = readdirSync(folder).flatMap((name) => /^(.+)\.faults\.ts$/.exec(name)?.[1] ?? []);
const [name = '', ...rest] = process.argv.slice(2);
const times = rest[0] === '--times' ? rest[1] : undefined;
if (!existsSync(path.join(folder, `${name}.faults.ts`)))
  fail(`Choose a fault: npm run faults -- ${known.join('|')} [--times N].`);
if (rest.length > 0 && !/^[1-9]\d*$/.test(times ?? '')) fail('Give the number of repetitions: --times 100.');

await install();
if ((await build()) !== 0) fail('The build failed: run `npm run build` to see why.');
process.exit(
  await runTool(
    'vitest',
    ['run', '--config', 'vitest.faults.config.ts', `tests/fault-injection/${name}.faults.ts`],
    {
      env: { FAULTS: name, ...(times && { TIMES: times }) },
    },
  ),
);
