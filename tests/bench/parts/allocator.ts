import { ask, fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal, type BenchPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

const MB = 1024 ** 2;

/** Settings of glibc: from which size blocks are mapped alone, and how much free memory it keeps (undefined: its default). */
const SETTINGS: Record<string, Record<string, string>> = {
  'mapped from 1 MB': { MALLOC_MMAP_THRESHOLD_: String(MB) },
  'mapped from 8 MB': { MALLOC_MMAP_THRESHOLD_: String(8 * MB) },
  'mapped from 8 MB, 8 MB kept': {
    MALLOC_MMAP_THRESHOLD_: String(8 * MB),
    MALLOC_TRIM_THRESHOLD_: String(8 * MB),
  },
  'mapped from 8 MB, 32 MB kept': {
    MALLOC_MMAP_THRESHOLD_: String(8 * MB),
    MALLOC_TRIM_THRESHOLD_: String(32 * MB),
  },
};
const [FIRST] = Object.keys(SETTINGS);

const WARM = 60;
const SHOTS = 100;
const IDLE = 12_000;

interface Measured {
  faults: number;
  cpu: number;
  used: number;
}

/** Measures what the allocator's settings cost: page faults and processor time of compressed pages, and idle memory. */
export async function allocator({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  const world = inWorld(folder, { do: 'make', documents: 1000 });
  const headers = { cookie: `sid=${world.contact}`, 'accept-encoding': 'br' };
  const measured = new Map<string, Measured[]>(Object.keys(SETTINGS).map((name) => [name, []]));
  for (let run = 0; run < Math.max(3, runs); run += 1)
    for (const [name, env] of Object.entries(SETTINGS)) {
      progress(`${name}, process ${run + 1}`);
      const portal = await startPortal({ folder, env: { MALLOC_TRIM_THRESHOLD_: '', ...env } });
      measured.get(name)?.push(await measure(portal, headers));
      await portal.end();
    }
  const rows = (unit: string, figureOf: (one: Measured) => number, most?: number): Row[] =>
    Object.keys(SETTINGS).map((what) => ({
      what,
      unit,
      figure: median((measured.get(what) ?? []).map(figureOf)),
      baseline: median((measured.get(FIRST ?? '') ?? []).map(figureOf)),
      ...(most !== undefined && { reach: [{ most }] }),
      note: (measured.get(what) ?? []).map((one) => Math.round(figureOf(one))).join(', '),
    }));
  return {
    title: 'Settings of the allocator',
    how: [
      `The documents page with 100 rows, compressed, half of the views first ones; ${SHOTS} views after ${WARM} in each of ${Math.max(3, runs)} fresh processes, in turns; all of each are listed. The baseline is the first setting.`,
      `Idle memory is what is resident ${IDLE / 1000} s after them and 400 sign-in pages.`,
    ],
    tables: [
      { title: 'Minor page faults of a view', rows: rows('', ({ faults }) => faults) },
      { title: 'Processor time of a view', rows: rows('ms', ({ cpu }) => cpu) },
      { title: 'Idle memory, used', rows: rows('MB', ({ used }) => used, 160) },
    ],
  };
}

async function measure(portal: BenchPortal, headers: { cookie: string }): Promise<Measured> {
  const page = `${portal.address}/clientcenter/en-us/documents`;
  const first = await ask(page, { headers });
  const styles = first.headers['set-cookie']?.find((cookie) => cookie.startsWith('styles='))?.split(';')[0];
  const later = { ...headers, cookie: `${headers.cookie}; ${styles}` };
  const view = async (count: number): Promise<void> => {
    await fire(page, { headers }, count / 2, 1);
    await fire(page, { headers: later }, count / 2, 1);
  };
  await view(WARM);
  const before = [portal.faults(), portal.cpu()] as const;
  await view(SHOTS);
  const [faults, cpu] = [(portal.faults() - before[0]) / SHOTS, (portal.cpu() - before[1]) / SHOTS];
  await fire(`${portal.address}/clientcenter/en-us/auth`, {}, 400, 4);
  await pause(IDLE);
  return { faults, cpu, used: portal.memory().now };
}
