import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ask, type Shot } from '../support/load.ts';
import { MULTIPART, multipart, send } from '../support/multipart.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { growthOf } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import { median, type Report } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

const FILES = 1000;
const SIZE = 200_000;
/** Of the world's clients, whose names are "Harbor Lane Bakery 0" … */
const CLIENTS = 200;
const POLL = 50;

/** Measures a batch from its first byte to its last document, next to writing and syncing the same files. */
export async function publishing({ runs }: Options): Promise<Report> {
  const folder = scratchFolder();
  const { staff } = inWorld(folder, { do: 'make', documents: 1000 });
  const portal = await startPortal({ folder });
  const headers = { cookie: `sid=${staff}`, origin: portal.address };
  const pages = `${portal.address}/clientcenter/en-us/staff/publish`;
  const post = (url: string, fields: Record<string, string>, shot: Shot = {}) =>
    ask(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      status: 303,
      ...shot,
    });

  const filesOf = (round: number) =>
    Array.from({ length: FILES }, (_, i) => ({
      name: `Harbor Lane Bakery ${i % CLIENTS} payslip ${round}-${i}.pdf`,
      bytes: () => [Buffer.from(`%PDF-1.7\n%${String(i).padStart(6, '0')}\n`), REST],
    }));
  const times = { add: [] as number[], match: [] as number[], publish: [] as number[] };
  const whole = { took: [] as number[], cpu: [] as number[], more: [] as number[], copy: [] as number[] };
  const timed = async (which: keyof typeof times, work: () => Promise<void>): Promise<void> => {
    const began = performance.now();
    await work();
    times[which].push(performance.now() - began);
  };

  const batch = async (round: number): Promise<void> => {
    const { headers: made } = await post(pages, { form: 'batch', name: `Round ${round}`, year: '2026' });
    const page = new URL(made.location ?? '', portal.address).href;
    const batchId = new URL(page).pathname.split('/').at(-1);
    await timed('add', async () => {
      const url = `${portal.address}/api/storage/v1/publish-batches/${batchId}/files`;
      const answer = await send(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': MULTIPART },
        ...multipart(filesOf(round)),
      });
      if ((JSON.parse(answer) as { data: unknown[] }).data.length !== FILES)
        throw new Error('Not every file was added.');
    });
    await timed('match', async () => {
      await post(page, { act: 'match' });
      // the page offers to stop what is at work
      while ((await ask(page, { headers })).body.includes('value="stop"')) await pause(POLL);
    });
    await timed('publish', async () => {
      await post(page, { act: 'publish' });
      while (!(await ask(page, { headers })).body.includes('<p class="meta">Published</p>'))
        await pause(POLL);
    });
  };

  const copy = async (round: number): Promise<void> => {
    const target = path.join(folder, `copy-${round}`);
    mkdirSync(target);
    for (const { name, bytes } of filesOf(round)) {
      const file = await open(path.join(target, name), 'w');
      await file.writev(bytes());
      await file.datasync();
      await file.close();
    }
    rmSync(target, { recursive: true });
  };

  const rounds = Math.max(3, runs);
  for (let round = 0; round < rounds; round += 1) {
    progress(`batch ${round + 1}`);
    const before = portal.cpu();
    const { took, more } = await growthOf(portal, () => batch(round));
    whole.took.push(took / 1000);
    whole.cpu.push(portal.cpu() - before);
    whole.more.push(more);
    const began = performance.now();
    await copy(round);
    whole.copy.push((performance.now() - began) / 1000);
  }
  await portal.end();

  const step = (what: string, which: keyof typeof times) => ({
    what,
    unit: 's',
    figure: median(times[which]) / 1000,
  });
  return {
    title: 'Publishing to many clients',
    how: [
      `A batch of ${FILES.toLocaleString('en-US')} files of ${SIZE / 1000} kB for ${CLIENTS} clients, added in one request, matched by name, and published by the job; and the same files written and synced one after the other into one folder, as they are. Medians of ${rounds}, in turns. The ratio is the share of the copy's speed.`,
      'More memory is the highest resident memory during the batch less what was resident before it.',
    ],
    tables: [
      {
        title: 'Metrics',
        rows: [
          {
            what: 'batch',
            unit: 's',
            figure: median(whole.took),
            baseline: median(whole.copy),
            inverse: true,
            reach: [{ of: 'ratio', least: 0.5 }],
          },
          step('of it, adding the files', 'add'),
          step('of it, matching them', 'match'),
          step('of it, publishing them', 'publish'),
          { what: 'processor time', unit: 'ms', figure: median(whole.cpu) },
          { what: 'more memory', unit: 'MB', figure: median(whole.more), reach: [{ most: 64 }] },
        ],
      },
    ],
  };
}

const REST = randomBytes(SIZE - 17);
