import { parseArgs } from 'node:util';
import { publish, type Report } from './support/report.ts';
import type { Options } from './support/options.ts';
import { allocator } from './parts/allocator.ts';
import { attacks } from './parts/attacks.ts';
import { clients } from './parts/clients.ts';
import { concurrency } from './parts/concurrency.ts';
import { enumeration } from './parts/enumeration.ts';
import { exports } from './parts/exports.ts';
import { fiscal } from './parts/fiscal.ts';
import { grid } from './parts/grid.ts';
import { growth } from './parts/growth.ts';
import { imports } from './parts/imports.ts';
import { lighthouse } from './parts/lighthouse.ts';
import { pages } from './parts/pages.ts';
import { publishing } from './parts/publishing.ts';
import { rules } from './parts/rules.ts';
import { sealing } from './parts/sealing.ts';
import { search } from './parts/search.ts';
import { server } from './parts/server.ts';
import { sheet } from './parts/sheet.ts';
import { streams } from './parts/streams.ts';
import { tasks } from './parts/tasks.ts';
import { start } from './parts/start.ts';
import { transfer } from './parts/transfer.ts';

/*
 * Measures speed and never asserts it: machines differ and are shared, so every metric is next to a baseline
 * measured in turns with it, and next to a target.
 */

const PARTS: Record<string, (options: Options) => Promise<Report>> = {
  pages,
  lighthouse,
  server,
  concurrency,
  transfer,
  publishing,
  growth,
  search,
  clients,
  grid,
  tasks,
  start,
  allocator,
  enumeration,
  attacks,
  imports,
  exports,
  fiscal,
  sealing,
  rules,
  sheet,
  streams,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    megabytes: { type: 'string', default: '500' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
if (values.help || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no part "${unknown}".`);
  console.error(
    `npm run bench -- [part …] [--runs 3] [--rows 1000000] [--megabytes 500] [--cpu-prof folder]
  parts        ${Object.keys(PARTS).join(', ')}; without a name all of them, one after the other
  --runs       how often everything is measured in turns; the figure is the median
  --rows       growth, search: documents in the largest firm; clients, grid: at most so many clients; tasks, fiscal: tasks and documents in the larger firm
  --megabytes  transfer: size of one large file
  --cpu-prof   server: where CPU profiles of the portal are written`,
  );
  process.exit(unknown === undefined ? 0 : 1);
}

const number = (name: 'runs' | 'rows' | 'megabytes'): number => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} ${values[name]} cannot be used: give a whole number above 0.`);
  process.exit(1);
};

// so that started processes end too
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.setMaxListeners(100);

const options: Options = {
  runs: number('runs'),
  rows: number('rows'),
  megabytes: number('megabytes'),
  ...(values['cpu-prof'] !== undefined && { profiles: values['cpu-prof'] }),
};
for (const [name, part] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  publish(name, await part(options), process.argv.slice(2));
}
process.exit(0);
