import { spawnSync } from 'node:child_process';
import { createWriteStream, rmSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { ask } from '../support/load.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { growthOf } from '../support/program.ts';
import { progress } from '../support/progress.ts';
import type { Report, Row } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

/** All of one client, which is what an export keeps a list of. */
const DOCUMENTS = 20_000;
const BYTES = 100_000;
const POLL = 100;
const NEWEST = 'select export_id as id, state from data_exports order by created_at desc limit 1';
const EMPTY_CLIENT =
  'select client_id as id from clients where client_id not in (select client_id from documents) limit 1';

interface Measured {
  build: { took: number; more: number; cpu: number };
  download: { took: number; more: number };
  isValid: boolean;
}

/** Measures an export of a large firm, next to one of a firm with a tenth of its documents. */
export async function exports(): Promise<Report> {
  const small = await measure(DOCUMENTS / 10);
  const large = await measure(DOCUMENTS);
  const megabytes = (DOCUMENTS * BYTES) / 1e6;
  const speed = (of: (measured: Measured) => number) => ({
    unit: 'MB/s',
    figure: megabytes / of(large),
    baseline: megabytes / 10 / of(small),
  });
  const memory = (of: (measured: Measured) => number) => ({
    unit: 'MB',
    figure: of(large),
    baseline: of(small),
    reach: [{ most: 64 }],
  });
  const rows: Row[] = [
    { what: 'build', ...speed(({ build }) => build.took), reach: [{ of: 'ratio', least: 0.8 }] },
    {
      what: 'build, processor time of a document',
      unit: 'ms',
      figure: large.build.cpu / DOCUMENTS,
      baseline: small.build.cpu / (DOCUMENTS / 10),
    },
    { what: 'build, more memory', ...memory(({ build }) => build.more) },
    { what: 'download', ...speed(({ download }) => download.took) },
    { what: 'download, more memory', ...memory(({ download }) => download.more) },
    {
      what: 'valid in unzip -t',
      unit: '',
      figure: Number(large.isValid),
      baseline: Number(small.isValid),
      reach: [{ least: 1 }],
      note: '1 is yes',
    },
  ];
  return {
    title: 'Exports of a firm',
    how: [
      `An export of a firm with ${DOCUMENTS.toLocaleString('en-US')} documents of ${BYTES / 1000} kB, all of one client, from the request to the file, and its download. The baseline is the same with a tenth of the documents: what does not grow with them has a ratio of 1.`,
      'More memory is the highest resident memory during the work less what was resident before it.',
    ],
    tables: [{ title: 'Metrics', rows }],
  };
}

async function measure(documents: number): Promise<Measured> {
  progress(`storing ${documents} documents`);
  const folder = scratchFolder();
  const { staff } = inWorld(folder, { do: 'make', documents, bytes: BYTES });
  const portal = await startPortal({ folder });
  const headers = { cookie: `sid=${staff}`, origin: portal.address };
  const database = new DatabaseSync(path.join(folder, 'data/portal.db'), { readOnly: true });
  const row = (query: string): Record<string, unknown> => database.prepare(query).get() ?? {};
  /** Requests an export and waits for it, beside the portal, since its pages take memory too. */
  const exported = async (scope: string): Promise<string> => {
    await ask(`${portal.address}/clientcenter/en-us/staff/data-exports`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ start: scope }).toString(),
      status: 303,
    });
    for (;;) {
      const { id, state } = row(NEWEST);
      if (state === 'ready') return String(id);
      if (state !== 'waiting' && state !== 'building') throw new Error(`The export is ${String(state)}.`);
      await pause(POLL);
    }
  };
  progress(`exporting ${documents} documents`);
  // what the first export loads is not of the second
  await exported(String(row(EMPTY_CLIENT)['id']));
  const before = portal.cpu();
  let exportId = '';
  const build = await growthOf(portal, async () => (exportId = await exported('firm')));
  const cpu = portal.cpu() - before;
  progress('downloading it');
  const archive = path.join(folder, 'export.zip');
  const download = await growthOf(portal, () =>
    save(`${portal.address}/api/client-center/v1/data-exports/${exportId}/file`, headers, archive),
  );
  const { status } = spawnSync('unzip', ['-tqq', archive], { stdio: 'ignore' });
  database.close();
  await portal.end();
  rmSync(folder, { recursive: true });
  return {
    build: { ...inSeconds(build), cpu },
    download: inSeconds(download),
    isValid: status === 0,
  };
}

const inSeconds = ({ took, more }: { took: number; more: number }) => ({ took: took / 1000, more });

async function save(url: string, headers: Record<string, string>, file: string): Promise<void> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(url, { headers, agent: false }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}.`);
  await pipeline(response, createWriteStream(file));
}
