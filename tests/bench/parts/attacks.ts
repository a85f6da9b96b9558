import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { ask } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import type { Report } from '../support/report.ts';
import { inWorld } from '../support/seed.ts';
import { pause } from '../support/wait.ts';

/*
 * The attacks of a review of 2026-11-23, repeated as it made them. Its measurements stand as baselines: those
 * in milliseconds were taken on a busy machine, counts and bytes are exact.
 */

const SLOW_SENDERS = 400;
const SLOW_FOR = 70_000;
const FLOOD_FOR = 10_000;
const CELLS = 1_000_000;
const MB = 1_000_000;

/** What three attacks cost now, beside what they cost before. */
export async function attacks(_: Options): Promise<Report> {
  const folder = scratchFolder();
  const world = inWorld(folder, { do: 'make', documents: 100 });
  const portal = await startPortal({ folder });
  const headers = { cookie: `sid=${world.contact}` };

  progress('a table of a million cells');
  const documentId = await uploadTable(portal.address, world.projectId, headers);
  const began = performance.now();
  const view = ask(`${portal.address}/clientcenter/en-us/documents/${documentId}/view`, { headers });
  const waits: number[] = [];
  let isOpen = true;
  const opened = view.then(({ body }) => {
    isOpen = false;
    return { bytes: body.length, took: performance.now() - began };
  });
  while (isOpen) {
    const before = performance.now();
    await ask(`${portal.address}/healthz`);
    waits.push(performance.now() - before);
  }
  const table = await opened;

  progress('sign-ins begun by a stranger');
  const data = path.join(folder, 'data');
  const sizeBefore = sizeOf(data);
  let begun = 0;
  for (const end = performance.now() + FLOOD_FOR; performance.now() < end; begun += 4)
    await Promise.all([1, 2, 3, 4].map(() => beginSignIn(portal.address)));
  const grown = (sizeOf(data) - sizeBefore) / MB;

  progress('slow bodies');
  const open = await slowBodies(Number(new URL(portal.address).port));
  await portal.end();

  return {
    title: 'Attacks',
    how: [
      `A table of ${CELLS.toLocaleString('en-US')} empty cells (1 MB of CSV) opened by a contact; sign-ins begun by a stranger for ${FLOOD_FOR / 1000} s with 7 kB of state each, ${begun} requests; ${SLOW_SENDERS} strangers who send a byte every 10 s, for ${SLOW_FOR / 1000} s.`,
      'The baseline is what the review of 2026-11-23 measured before the defects were mended. For a full disk and slow readers see `npm run faults -- disk` and `slow`.',
    ],
    tables: [
      {
        title: 'Before and after',
        rows: [
          {
            what: 'table: bytes of its page',
            unit: 'MB',
            figure: table.bytes / MB,
            baseline: 32,
            reach: [{ most: 1 }],
          },
          { what: 'table: time until it is shown', unit: 'ms', figure: table.took },
          {
            what: 'table: longest wait of others',
            unit: 'ms',
            figure: Math.max(...waits),
            baseline: 3800,
            reach: [{ of: 'ratio', most: 0.25 }],
          },
          {
            what: 'stranger: growth of the data folder',
            unit: 'MB',
            figure: grown,
            baseline: 90.6,
            reach: [{ most: 5 }],
          },
          {
            what: 'slow bodies: connections still open',
            unit: '',
            figure: open,
            baseline: SLOW_SENDERS,
            reach: [{ most: 0 }],
          },
        ],
      },
    ],
  };
}

async function uploadTable(
  address: string,
  projectId: string,
  headers: Record<string, string>,
): Promise<string> {
  const boundary = 'portal-bench';
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file[]"; filename="wide.csv"\r\nContent-Type: text/csv\r\n\r\n${','.repeat(CELLS)}\r\n--${boundary}--\r\n`;
  const answer = await ask(`${address}/api/storage/v1/projects/${projectId}/documents`, {
    method: 'POST',
    headers: { ...headers, origin: address, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body,
  });
  const id = /doc_[0-9a-f]{32}/.exec(answer.body.toString())?.[0];
  if (id === undefined) throw new Error('the table was not stored');
  return id;
}

async function beginSignIn(address: string): Promise<void> {
  const query = new URLSearchParams({
    client_id: 'portal',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: `${address}/clientcenter/en-us/auth/callback`,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    state: 's'.repeat(7000),
  });
  await (await fetch(`${address}/oidc/auth?${query.toString()}`, { redirect: 'manual' })).arrayBuffer();
}

async function slowBodies(port: number): Promise<number> {
  const sockets = Array.from({ length: SLOW_SENDERS }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined); // it is disconnected
    socket.resume();
    socket.write(
      `POST /clientcenter/en-us/auth/forgot HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n`,
    );
    return socket;
  });
  for (let passed = 0; passed < SLOW_FOR; passed += 10_000) {
    await pause(10_000);
    for (const socket of sockets) if (!socket.destroyed && socket.writable) socket.write('x');
  }
  const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
  for (const socket of sockets) socket.destroy();
  return open;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
