import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { chromium } from 'playwright';
import { build } from 'vite';
import { findChromium } from '../../../scripts/toolchain.mjs';
import type { RulesWorld } from '../rules-world.ts';
import { portalEnvironment, scratchFolder } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

/** How many times slower the processor of a cheap phone is, and what a key press may take on it, in ms. */
const [SLOWER, TARGET] = [4, 5];

const KINDS: Readonly<Record<string, string>> = {
  employeeRegistration: 'an admission with a schedule of seven days',
  vacationNotice: 'a vacation in three parts',
};

/** What the rules of a request cost at each key, in a browser whose processor is slowed down. */
export async function rules(): Promise<Report> {
  progress('the rules of a request in a slow browser');
  const orders = ordersOfWorld();
  const code = await bundled(path.join(import.meta.dirname, '../rules-browser.ts'));
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox'],
  });
  const rows: Row[] = [];
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: code, type: 'module' });
    await page.waitForFunction(() => 'timeChecks' in globalThis);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    for (const order of orders) {
      const what = KINDS[order.preflight.type] ?? '';
      const times = await page.evaluate(
        (each) =>
          (globalThis as unknown as { timeChecks: (one: unknown) => Promise<number[]> }).timeChecks(each),
        order,
      );
      const sorted = times.toSorted((one, other) => one - other);
      const reach = [{ most: TARGET }];
      rows.push(
        { what: `${what}: the first key`, unit: 'ms', figure: times[0] ?? 0, reach },
        { what: `${what}: median`, unit: 'ms', figure: median(times), reach },
        {
          what: `${what}: one in twenty`,
          unit: 'ms',
          figure: sorted[Math.floor(order.runs * 0.95)] ?? 0,
          reach,
        },
      );
    }
  } finally {
    await browser.close();
  }
  return {
    title: 'Rules while one types',
    how: [
      `The check of all answers that runs in the browser at each key, with the texts of what it finds, in Chromium with the processor ${SLOWER} times slower; ${orders[0]?.runs} keys. Without drawing.`,
    ],
    tables: [{ title: 'Time', rows }],
  };
}

function ordersOfWorld(): RulesWorld {
  const answer = execFileSync(
    process.execPath,
    ['--no-experimental-webstorage', path.join(import.meta.dirname, '../rules-world.ts')],
    {
      env: { ...process.env, ...portalEnvironment(scratchFolder()), LOG_LEVEL: 'error' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return JSON.parse(answer) as RulesWorld;
}

async function bundled(input: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input, output: { codeSplitting: false } },
    },
  });
  const [output] = [built].flat();
  if (!output || !('output' in output)) throw new Error('Nothing was built.');
  return output.output.map((each) => (each.type === 'chunk' ? each.code : '')).join('\n');
}
