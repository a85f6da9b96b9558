import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { archiveOf, bytesOf, createFolder, listDocuments, purgeDocuments, trashDocument } from '#features/documents/documents.server.ts';
import { documentQuery, type Document } from '#features/documents/documents.ts';
import { sendAgain, shareDocuments, shareOf, viewShare } from '#features/sharing/sharing.server.ts';
import { scan, tryScanner, useScanner } from '#platform/clamd.server.ts';
import { DAY, HOUR, now } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';
import { runDueJobs } from '#platform/jobs.server.ts';
import { apiAs } from '../../kit/api.ts';
import { fileOf, handIn, makeCast, openPostOffice, standAt } from '../../kit/cast.ts';

const { ada, sam, clientA, projectA } = await makeCast();
const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

/** How the daemon behaves: as it should, saying nothing, hanging up, talking nonsense, or refusing what is large in the middle of it. */
type Mood = 'well' | 'slow' | 'dead' | 'garbage' | 'too large' | 'limits';
let mood: Mood = 'well';
const sockets = new Set<net.Socket>();
const clamd = net.createServer((socket) => {
  sockets.add(socket);
  let sent = Buffer.alloc(0);
  socket.on('error', () => undefined); // who asked has gone
  socket.on('data', (piece: Buffer) => {
    sent = Buffer.concat([sent, piece]);
    if (mood === 'dead') socket.destroy();
    if (mood === 'slow' || mood === 'dead') return;
    if (sent.toString('latin1').startsWith('zPING\0')) return void socket.end('PONG\0');
    if (mood === 'garbage') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    if (mood === 'too large') return void socket.end('INSTREAM size limit exceeded. ERROR\0');
    if (!sent.subarray(-4).equals(Buffer.alloc(4))) return;
    socket.end(`stream: ${mood === 'limits' ? 'Heuristics.Limits.Exceeded.MaxFileSize FOUND' : content(sent).includes(EICAR) ? 'Win.Test.EICAR_HDB-1 FOUND' : 'OK'}\0`);
  });
});

/** The bytes that came, without the lengths before them. */
function content(sent: Buffer): string {
  expect(sent.subarray(0, 10).toString()).toBe('zINSTREAM\0');
  const pieces: Buffer[] = [];
  for (let at = 10; at < sent.length; ) {
    const length = sent.readUInt32BE(at);
    pieces.push(sent.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return Buffer.concat(pieces).toString('latin1');
}

const post = await openPostOffice();
beforeAll(async () => {
  await once(clamd.listen(0, '127.0.0.1'), 'listening');
  useScanner(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
});
afterEach(() => void (mood = 'well'));
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  clamd.close();
  await post.close();
});

const scanOf = async ({ id }: Document): Promise<string | undefined> => (await listDocuments(ada, clientA, documentQuery.parse({ pageSize: '100' }))).items.find((one) => one.id === id)?.scan;
const share = (items: object[]) => shareDocuments(ada, { expirationPeriod: 'AfterOneDay', overrides: { subject: 'Papers', body: '' }, recipients: [{ emailAddress: 'x@out.example' }], sharedItems: items as never }, 'en-us');
const one = ({ id, parent }: Document) => [{ containerType: parent.containerType, containerId: parent.id, documentId: id }];

describe('a document that comes in where clamd listens', () => {
  test('is taken at once, and goes out by link when it was found clean', async () => {
    const paper = await handIn(ada, projectA, 'clean.pdf', 'numbers');
    expect(paper.scan).toBe('pending');
    await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
    expect(await bytesOf(ada, [paper.id])).toHaveLength(1);
    await runDueJobs();
    expect(await scanOf(paper)).toBe('clean');
    const { shareId, recipients } = await share(one(paper));
    expect(recipients).toMatchObject([{ status: 'queued' }]);
    const [recipient] = (await shareOf(ada, shareId)).recipients;
    await db().updateTable('documents').set({ scan: 'infected' }).where('document_id', '=', paper.id).execute();
    await expect(sendAgain(ada, shareId, recipient?.recipientId ?? '', 'AfterOneDay'), 'a virus that is known of since').rejects.toMatchObject({ code: 'INFECTED' });
  });

  test('with a virus is given to nobody: not fetched, not sent, not in an archive', async () => {
    const folder = await createFolder(sam, { name: 'Infected', parentId: projectA.id, parentType: 'Project' });
    const [bad, good] = [await handIn(ada, folder, 'virus.pdf', EICAR), await handIn(ada, folder, 'good.pdf', 'good')];
    await runDueJobs();
    expect([await scanOf(bad), await scanOf(good)]).toEqual(['infected', 'clean']);
    for (const actor of [ada, sam]) {
      const answer = await apiAs(actor)('GET', `/api/storage/v1/folders/${folder.id}/documents/${bad.id}`);
      expect([answer.status, await answer.json()]).toMatchObject([403, { errors: [{ code: 'INFECTED' }] }]);
    }
    await expect(bytesOf(sam, [bad.id])).rejects.toMatchObject({ code: 'INFECTED' });
    expect((await archiveOf(ada, [bad.id, good.id])).map(({ documentId }) => documentId)).toEqual([good.id]);
    await expect(share([...one(good), ...one(bad)])).rejects.toMatchObject({ code: 'INFECTED' });
    await post.discard();
    await share([{ containerType: 'Folder', containerId: folder.id }]);
    const [letter] = await post.deliver();
    const token = /\/share\/([\w-]{43})\b/.exec(letter?.mail.text ?? '')?.[1] ?? '';
    expect(JSON.stringify(await viewShare(token, undefined))).not.toContain('virus.pdf');
    useScanner(undefined);
    await expect(share(one(bad))).rejects.toMatchObject({ code: 'INFECTED' });
    useScanner(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
  });

  test('is judged by its own bytes, whatever waits besides', async () => {
    const other = await handIn(ada, projectA, 'waits.pdf', 'numbers');
    await db().updateTable('jobs').set({ run_at: now() + DAY }).where('unique_key', '=', `scan:${other.id}`).execute();
    const bad = await handIn(ada, projectA, 'judged.pdf', EICAR);
    await runDueJobs();
    expect([await scanOf(other), await scanOf(bad)]).toEqual(['pending', 'infected']);
    await db().updateTable('jobs').set({ run_at: now() }).where('unique_key', '=', `scan:${other.id}`).execute();
    await runDueJobs();
  });

  test('is not looked at any more when it is gone for good by then, or no scanner is used', async () => {
    const [gone, left] = [await handIn(ada, projectA, 'gone.pdf', 'x'), await handIn(ada, projectA, 'left.pdf', 'x')];
    await trashDocument(ada, { containerType: projectA.containerType, containerId: projectA.id }, gone.id);
    await purgeDocuments(ada, [gone.id]);
    const endOf = async ({ id }: Document) => db().selectFrom('jobs').select(['attempts', 'last_error']).where('unique_key', '=', `scan:${id}`).where('done_at', 'is not', null).executeTakeFirst();
    await db().updateTable('jobs').set({ run_at: now() + DAY }).where('unique_key', '=', `scan:${left.id}`).execute();
    await runDueJobs();
    useScanner(undefined);
    await db().updateTable('jobs').set({ run_at: now() }).where('unique_key', '=', `scan:${left.id}`).execute();
    await runDueJobs();
    useScanner(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
    for (const document of [gone, left]) expect(await endOf(document), document.name).toEqual({ attempts: 1, last_error: null });
  });

  test.each(['too large', 'limits'] as const)('that the scanner does not take whole (%s) is served, and goes out by no link', async (how) => {
    mood = how;
    const paper = await handIn(ada, projectA, `${how}.pdf`, 'x'.repeat(300_000));
    await runDueJobs();
    expect(await scanOf(paper)).toBe('unscanned');
    await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
    expect(await bytesOf(ada, [paper.id])).toHaveLength(1);
  });

  test.each(['dead', 'garbage'] as const)('waits and is asked again when clamd is %s', async (how) => {
    mood = how;
    const paper = await handIn(ada, projectA, `${how}.pdf`, 'x');
    await runDueJobs();
    expect(await scanOf(paper)).toBe('pending');
    await expect(share(one(paper))).rejects.toMatchObject({ code: 'UNSCANNED' });
    mood = 'well';
    standAt(now() + HOUR);
    await runDueJobs();
    expect(await scanOf(paper)).toBe('clean');
  });
});

test('a clamd that says nothing is given up', async () => {
  mood = 'slow';
  await expect(scan(fileOf('x') as AsyncIterable<Buffer>, 30)).rejects.toThrow('clamd does not answer');
});

test('whoever looks after the portal can ask whether clamd is there', async () => {
  await expect(tryScanner()).resolves.toBeUndefined();
  mood = 'dead';
  await expect(tryScanner()).rejects.toThrow();
});

test('without clamd a document is not marked, and goes out as ever', async () => {
  useScanner(undefined);
  const paper = await handIn(ada, projectA, 'plain.pdf', EICAR);
  expect(paper.scan).toBeUndefined();
  await expect(share(one(paper))).resolves.toBeDefined();
  expect(await db().selectFrom('jobs').select('job_id').where('unique_key', '=', `scan:${paper.id}`).execute()).toEqual([]);
});
