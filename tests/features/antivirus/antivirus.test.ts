import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { archiveOf } from '#features/documents/downloads/archive.server.ts';
import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { countUnscanned, scanEarlier } from '#features/documents/antivirus/antivirus.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { purgeDocuments, trashDocument } from '#features/documents/trash/trash.server.ts';
import { documentQuery, type Document } from '#features/documents/documents/documents.ts';
import { sendAgain, shareOf } from '#features/sharing/sharing/my-shares.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { scan, pingScanner, setScannerAddress } from '#platform/storage/clamd.server.ts';
import { DAY, HOUR, now, SECOND } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { jobBacklog } from '#platform/jobs/jobs.server.ts';
import { apiAs } from '../../support/api.ts';
import { fileOf, uploadAs, makeCast, startMailServer, standAt } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

const { ada, sam, clientA, projectA } = await makeCast();
const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

/**
 * How the fake clamd behaves: normal, silent, disconnecting, answering garbage, or refusing large files
 * halfway.
 */
type Mood = 'well' | 'slow' | 'dead' | 'garbage' | 'too large' | 'limits';
/** Content that crashes clamd whenever it is scanned; it stays away until it is restarted. */
const CRASHES = 'CRASHES-CLAMD';
let mood: Mood = 'well';
const sockets = new Set<net.Socket>();
const clamd = net.createServer((socket) => {
  sockets.add(socket);
  let sent = Buffer.alloc(0);
  socket.on('error', () => undefined); // the client has disconnected
  socket.on('data', (piece: Buffer) => {
    sent = Buffer.concat([sent, piece]);
    if (mood === 'dead') socket.destroy();
    if (mood === 'slow' || mood === 'dead') return;
    if (sent.toString('latin1').startsWith('zPING\0')) return void socket.end('PONG\0');
    if (mood === 'garbage') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    if (mood === 'too large') return void socket.end('INSTREAM size limit exceeded. ERROR\0');
    if (!sent.subarray(-4).equals(Buffer.alloc(4))) return;
    if (content(sent).includes(CRASHES)) {
      mood = 'dead';
      return void socket.destroy();
    }
    socket.end(
      `stream: ${mood === 'limits' ? 'Heuristics.Limits.Exceeded.MaxFileSize FOUND' : content(sent).includes(EICAR) ? 'Win.Test.EICAR_HDB-1 FOUND' : 'OK'}\0`,
    );
  });
});

/** The received bytes, without the chunk lengths before them. */
function content(sent: Buffer): string {
  expect(sent.subarray(0, 10).toString()).toBe('zINSTREAM\0');
  const pieces: Buffer[] = [];
  for (let at = 10; at < sent.length;) {
    const length = sent.readUInt32BE(at);
    pieces.push(sent.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return Buffer.concat(pieces).toString('latin1');
}

const mailServer = await startMailServer();
beforeAll(async () => {
  await once(clamd.listen(0, '127.0.0.1'), 'listening');
  setScannerAddress(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
});
afterEach(() => void (mood = 'well'));
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  clamd.close();
  await mailServer.close();
});

const scanOf = async ({ id }: Document): Promise<string | undefined> =>
  (await listDocuments(ada, clientA, documentQuery.parse({ pageSize: '100' }))).items.find(
    (one) => one.id === id,
  )?.scan;
const share = (items: object[]) =>
  shareDocuments(
    ada,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'Papers', body: '' },
      recipients: [{ emailAddress: 'x@out.example' }],
      sharedItems: items as never,
    },
    'en-us',
  );
const one = ({ id, parent }: Document) => [
  { containerType: parent.containerType, containerId: parent.id, documentId: id },
];

describe('uploads with a running clamd', () => {
  test('a document is stored at once, and can be shared by link after it was found clean', async () => {
    const paper = await uploadAs(ada, projectA, 'clean.pdf', 'numbers');
    expect(paper.scan).toBe('pending');
    await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
    expect(await bytesOf(ada, [paper.id])).toHaveLength(1);
    await runDueJobs();
    expect(await scanOf(paper)).toBe('clean');
    const { shareId, recipients } = await share(one(paper));
    expect(recipients).toMatchObject([{ status: 'queued' }]);
    const [recipient] = (await shareOf(ada, shareId)).recipients;
    await db()
      .updateTable('documents')
      .set({ scan: 'infected' })
      .where('document_id', '=', paper.id)
      .execute();
    await expect(
      sendAgain(ada, shareId, recipient?.recipientId ?? '', 'AfterOneDay'),
      'a virus that is known of since',
    ).rejects.toMatchObject({ code: 'INFECTED' });
  });

  test('an infected document can be neither downloaded, shared nor archived', async () => {
    const folder = await createFolder(sam, {
      name: 'Infected',
      parentId: projectA.id,
      parentType: 'Project',
    });
    const [bad, good] = [
      await uploadAs(ada, folder, 'virus.pdf', EICAR),
      await uploadAs(ada, folder, 'good.pdf', 'good'),
    ];
    await runDueJobs();
    expect([await scanOf(bad), await scanOf(good)]).toEqual(['infected', 'clean']);
    for (const actor of [ada, sam]) {
      const answer = await apiAs(actor)('GET', `/api/storage/v1/folders/${folder.id}/documents/${bad.id}`);
      expect([answer.status, await answer.json()]).toMatchObject([403, { errors: [{ code: 'INFECTED' }] }]);
    }
    await expect(bytesOf(sam, [bad.id])).rejects.toMatchObject({ code: 'INFECTED' });
    expect((await archiveOf(ada, [bad.id, good.id])).map(({ documentId }) => documentId)).toEqual([good.id]);
    await expect(share([...one(good), ...one(bad)])).rejects.toMatchObject({ code: 'INFECTED' });
    await mailServer.discard();
    await share([{ containerType: 'Folder', containerId: folder.id }]);
    const [mail] = await mailServer.deliver();
    const token = /\/share\/([\w-]{43})\b/.exec(mail?.mail.text ?? '')?.[1] ?? '';
    expect(JSON.stringify(await viewShare(token, undefined))).not.toContain('virus.pdf');
    setScannerAddress(undefined);
    await expect(share(one(bad))).rejects.toMatchObject({ code: 'INFECTED' });
    setScannerAddress(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
  });

  test('a document is judged by its own bytes, whatever else is in the queue', async () => {
    const other = await uploadAs(ada, projectA, 'waits.pdf', 'numbers');
    await db()
      .updateTable('jobs')
      .set({ run_at: now() + DAY })
      .where('unique_key', '=', `scan:${other.id}`)
      .execute();
    const bad = await uploadAs(ada, projectA, 'judged.pdf', EICAR);
    await runDueJobs();
    expect([await scanOf(other), await scanOf(bad)]).toEqual(['pending', 'infected']);
    await db()
      .updateTable('jobs')
      .set({ run_at: now() })
      .where('unique_key', '=', `scan:${other.id}`)
      .execute();
    await runDueJobs();
  });

  test('a document is not scanned after it was removed permanently or scanning was disabled', async () => {
    const [gone, left] = [
      await uploadAs(ada, projectA, 'gone.pdf', 'x'),
      await uploadAs(ada, projectA, 'left.pdf', 'x'),
    ];
    await trashDocument(ada, { containerType: projectA.containerType, containerId: projectA.id }, gone.id);
    await purgeDocuments(ada, [gone.id]);
    const endOf = async ({ id }: Document) =>
      db()
        .selectFrom('jobs')
        .select(['attempts', 'last_error'])
        .where('unique_key', '=', `scan:${id}`)
        .where('done_at', 'is not', null)
        .executeTakeFirst();
    await db()
      .updateTable('jobs')
      .set({ run_at: now() + DAY })
      .where('unique_key', '=', `scan:${left.id}`)
      .execute();
    await runDueJobs();
    setScannerAddress(undefined);
    await db()
      .updateTable('jobs')
      .set({ run_at: now() })
      .where('unique_key', '=', `scan:${left.id}`)
      .execute();
    await runDueJobs();
    setScannerAddress(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
    for (const document of [gone, left])
      expect(await endOf(document), document.name).toEqual({ attempts: 1, last_error: null });
  });

  test.each(['too large', 'limits'] as const)(
    'a document that the scanner does not scan completely (%s) can be downloaded but not shared by link',
    async (how) => {
      mood = how;
      const paper = await uploadAs(ada, projectA, `${how}.pdf`, 'x'.repeat(300_000));
      await runDueJobs();
      expect(await scanOf(paper)).toBe('unscanned');
      await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
      expect(await bytesOf(ada, [paper.id])).toHaveLength(1);
    },
  );

  test.each(['dead', 'garbage'] as const)(
    'a document waits and is scanned again when clamd is %s',
    async (how) => {
      mood = how;
      const paper = await uploadAs(ada, projectA, `${how}.pdf`, 'x');
      await runDueJobs();
      expect(await scanOf(paper)).toBe('pending');
      await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
      mood = 'well';
      standAt(now() + HOUR);
      await runDueJobs();
      expect(await scanOf(paper)).toBe('clean');
    },
  );
});

describe('documents from before scanning was enabled', () => {
  const scanner = () => setScannerAddress(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
  const scanStates = (documents: Document[]) => Promise.all(documents.map(scanOf));
  let day = 0;
  /**
   * The start of a day (UTC) on which nothing is left to scan except what `come` uploads while scanning is
   * disabled. Two days apart, because a test may continue on the following day.
   */
  async function nextDay<T>(come: () => Promise<T>): Promise<T> {
    await db().updateTable('documents').set({ scan: 'clean' }).execute();
    standAt((Math.floor(now() / DAY) + (day += 2)) * DAY);
    setScannerAddress(undefined);
    const brought = await come();
    scanner();
    return brought;
  }
  /** Runs all jobs, including delayed ones. */
  async function workOff(): Promise<void> {
    while ((await jobBacklog('scan-earlier')).waiting > 0) {
      await runDueJobs();
      standAt(now() + 11 * SECOND);
    }
  }

  test('existing documents are scanned in the background and then treated accordingly', async () => {
    const [good, bad, binned, gone] = (await nextDay(() =>
      Promise.all(
        (
          [
            ['old.pdf', 'numbers'],
            ['old-virus.pdf', EICAR],
            ['binned.pdf', EICAR],
            ['gone.pdf', EICAR],
          ] as const
        ).map(([name, content]) => uploadAs(ada, projectA, name, content)),
      ),
    )) as [Document, Document, Document, Document];
    const place = { containerType: projectA.containerType, containerId: projectA.id };
    await trashDocument(ada, place, binned.id);
    await trashDocument(ada, place, gone.id);
    await purgeDocuments(ada, [gone.id]);
    await expect(share(one(good)), 'work goes on until then').resolves.toBeDefined();
    expect(await countUnscanned()).toBe(3);
    await scanEarlier();
    await workOff();
    expect(await countUnscanned()).toBe(0);
    expect(await scanStates([good, bad])).toEqual(['clean', 'infected']);
    const rows = await db()
      .selectFrom('documents')
      .select('scan')
      .where('document_id', 'in', [binned.id, gone.id])
      .orderBy('scan')
      .execute();
    expect(rows.map(({ scan: state }) => state)).toEqual(expect.arrayContaining(['infected', null]));
    await expect(bytesOf(sam, [bad.id])).rejects.toMatchObject({ code: 'INFECTED' });
    await expect(share(one(bad))).rejects.toMatchObject({ code: 'INFECTED' });
  });

  test('the scan of existing documents resumes where it stopped when clamd was away', async () => {
    const paper = await nextDay(() => uploadAs(ada, projectA, 'away.pdf', EICAR));
    mood = 'dead';
    await scanEarlier();
    await runDueJobs();
    expect(await scanOf(paper)).toBeUndefined();
    mood = 'well';
    standAt(now() + HOUR);
    await workOff();
    expect(await scanOf(paper)).toBe('infected');
  });

  test('a document that crashes clamd is skipped until the next day, and the following ones are scanned', async () => {
    const [older, bad] = await nextDay(
      async () =>
        [
          await uploadAs(ada, projectA, 'older than the crash.pdf', EICAR),
          await uploadAs(ada, projectA, 'crashes.pdf', CRASHES),
        ] as const,
    );
    await scanEarlier();
    await runDueJobs();
    expect(mood, 'it crashed').toBe('dead');
    mood = 'well';
    standAt(now() + HOUR);
    await workOff();
    expect(mood, 'it was not asked to scan the same again').toBe('well');
    expect(await scanStates([older, bad])).toEqual(['infected', undefined]);
    await scanEarlier();
    expect((await jobBacklog('scan-earlier')).waiting, 'not again on the same day').toBe(0);
    standAt(now() + DAY);
    await scanEarlier();
    await runDueJobs();
    expect(mood, 'the next day it is tried again').toBe('dead');
    mood = 'well';
    standAt(now() + HOUR);
    await workOff();
    await db().updateTable('documents').set({ purged_at: now() }).where('document_id', '=', bad.id).execute();
  });

  test('a document whose bytes cannot be read is skipped for the day and does not delay the rest', async () => {
    const [older, lost] = await nextDay(
      async () =>
        [
          await uploadAs(ada, projectA, 'older.pdf', EICAR),
          await uploadAs(ada, projectA, 'lost.pdf', 'x'),
        ] as const,
    );
    await db()
      .deleteFrom('blobs')
      .where('blob_key', 'in', (e) =>
        e.selectFrom('documents').select('blob_key').where('document_id', '=', lost.id),
      )
      .execute();
    await scanEarlier();
    await workOff();
    expect(await scanStates([older, lost])).toEqual(['infected', undefined]);
    await scanEarlier();
    expect((await jobBacklog('scan-earlier')).waiting, 'not again on the same day').toBe(0);
    await db()
      .updateTable('documents')
      .set({ purged_at: now() })
      .where('document_id', '=', lost.id)
      .execute();
  });

  test('a document whose scan was given up is scanned too, no scan starts twice, and none starts without scanning', async () => {
    const paper = await nextDay(() => uploadAs(ada, projectA, 'given-up.pdf', 'x'));
    await db()
      .updateTable('documents')
      .set({ scan: 'pending' })
      .where('document_id', '=', paper.id)
      .execute();
    setScannerAddress(undefined);
    await scanEarlier();
    expect((await jobBacklog('scan-earlier')).waiting).toBe(0);
    scanner();
    await Promise.all([scanEarlier(), scanEarlier()]);
    await scanEarlier();
    expect((await jobBacklog('scan-earlier')).waiting).toBe(1);
    await workOff();
    expect(await scanOf(paper)).toBe('clean');
  });
});

test('a scan times out when clamd does not respond', async () => {
  mood = 'slow';
  await expect(scan(fileOf('x') as AsyncIterable<Buffer>, 30)).rejects.toThrow('clamd does not respond');
});

test('the operator can check whether clamd responds', async () => {
  await expect(pingScanner()).resolves.toBeUndefined();
  mood = 'dead';
  await expect(pingScanner()).rejects.toThrow();
});

test('without clamd documents are not marked and can be shared as usual', async () => {
  setScannerAddress(undefined);
  const paper = await uploadAs(ada, projectA, 'plain.pdf', EICAR);
  expect(paper.scan).toBeUndefined();
  await expect(share(one(paper))).resolves.toBeDefined();
  expect(
    await db().selectFrom('jobs').select('job_id').where('unique_key', '=', `scan:${paper.id}`).execute(),
  ).toEqual([]);
});
