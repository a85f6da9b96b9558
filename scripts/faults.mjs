// npm run faults -- kill --times 1000: one of the tests of tests/faults, as often as you say, with its figures; power is by script only.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { build, giveUp, install, root, runTool } from './toolchain.mjs';

const folder = path.join(root, 'tests', 'faults');
const known = readdirSync(folder).flatMap((name) => /^(.+)\.faults\.ts$/.exec(name)?.[1] ?? []);
const [name = '', ...rest] = process.argv.slice(2);
const times = rest[0] === '--times' ? rest[1] : undefined;
if (!existsSync(path.join(folder, `${name}.faults.ts`))) giveUp(`Say what is to go wrong: npm run faults -- ${known.join('|')} [--times N].`);
if (rest.length > 0 && !/^[1-9]\d*$/.test(times ?? '')) giveUp('Say how often: --times 100.');

await install();
if ((await build()) !== 0) giveUp('The build failed: run `npm run build` to see why.');
process.exit(await runTool('vitest', ['run', '--config', 'vitest.faults.config.ts', `tests/faults/${name}.faults.ts`], { env: { FAULTS: name, ...(times && { TIMES: times }) } }));
