import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startBaseline } from '../support/baseline.ts';
import { fire } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

const DOCUMENTS = 100_000;
const IDLE = 10_000;

/** Measures the time until the first response, and the memory of an idle portal. */
export async function start({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  progress(`making ${DOCUMENTS} documents with their files`);
  const world = inWorld(folder, { do: 'make', documents: DOCUMENTS, blobs: true });
  const headers = { cookie: `sid=${world.contact}` };
  const firstPage = async (address: string): Promise<void> =>
    void (await fire(`${address}/clientcenter/en-us/auth`, {}, 1, 1));
  await startsIn(folder, firstPage); // the operating system's cache is warm from here
  writeFileSync(path.join(folder, 'small'), 'a small file');
  const starts = { portal: [] as number[], bare: [] as number[] };
  const memory = { fresh: [] as number[], used: [] as number[], bare: [] as number[] };
  const listed: number[] = [];
  let sweep = Number.NaN;
  for (let run = 0; run < Math.max(3, runs); run += 1) {
    progress(`start ${run + 1}`);
    const began = performance.now();
    const bare = await startBaseline('files', folder);
    await fire(`${bare.address}/small`, {}, 1, 1);
    starts.bare.push(performance.now() - began);
    memory.bare.push(bare.memory().now);
    await bare.end();
    starts.portal.push(await startsIn(folder, firstPage));
  }
  {
    const portal = await startPortal({ folder });
    await firstPage(portal.address);
    const cpu = portal.cpu();
    await pause(IDLE);
    sweep = portal.cpu() - cpu;
    memory.fresh.push(portal.memory().now);
    listed.push(...(await fire(`${portal.address}/clientcenter/en-us/documents`, { headers }, 1, 1)));
    await fire(`${portal.address}/clientcenter/en-us/documents`, { headers }, 30, 2);
    await fire(`${portal.address}/clientcenter/en-us/auth`, {}, 500, 4);
    await pause(IDLE);
    memory.used.push(portal.memory().now);
    await portal.end();
  }
  return {
    title: 'Start and idle memory',
    how: [
      `${DOCUMENTS.toLocaleString('en-US')} documents with a file each. From the start of the process to the end of the first answer (the sign-in page), warm: what the start reads was read before. Medians of ${Math.max(3, runs)}, in turns with a bare node:http.`,
      `Memory is what is resident after ${IDLE / 1000} s without a request: after the first page, and after 530 pages.`,
    ],
    tables: [
      {
        title: 'Metrics',
        rows: [
          {
            what: 'start to first answer',
            unit: 'ms',
            figure: median(starts.portal),
            baseline: median(starts.bare),
            reach: [{ most: 500 }],
          },
          { what: 'first documents page of a fresh process', unit: 'ms', figure: median(listed) },
          {
            what: 'idle memory, fresh',
            unit: 'MB',
            figure: median(memory.fresh),
            baseline: median(memory.bare),
            reach: [{ most: 150 }],
          },
          {
            what: 'idle memory, used',
            unit: 'MB',
            figure: median(memory.used),
            baseline: median(memory.bare),
            reach: [{ most: 160 }],
          },
          {
            what: `processor time of the first idle ${IDLE / 1000} s`,
            unit: 'ms',
            figure: sweep,
            note: 'the sweep looks at every stored file',
          },
        ],
      },
    ],
  };
}

async function startsIn(folder: string, first: (address: string) => Promise<void>): Promise<number> {
  const began = performance.now();
  const portal = await startPortal({ folder });
  await first(portal.address);
  const took = performance.now() - began;
  await portal.end();
  return took;
}
