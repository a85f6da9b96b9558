import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { archiveOf, noteExported } from '#features/documents/downloads/archive.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { startExport, sweepExports } from '#features/documents/downloads/exports.server.ts';
import type { ExportJob } from '#features/documents/downloads/downloads.ts';
import type { Actor } from '#features/base/people/people.ts';
import type * as Blobs from '#platform/storage/blobs.server.ts';
import { listStored, readBlob, removeBlob } from '#platform/storage/blobs.server.ts';
import { at, DAY, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { apiAs, listenAs, seen } from '../../support/api.ts';
import { bytesAfter, client, everyRow, uploadAs, makeCast, pdf, person, unlink } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';

vi.mock('#platform/storage/blobs.server.ts', async (original) => {
  const real = await original<typeof Blobs>();
  return { ...real, readBlob: vi.fn(real.readBlob) };
});

const actual = await vi.importActual<typeof Blobs>('#platform/storage/blobs.server.ts');
const { firmOne, ada, ben, cleo, sam, zoe, clientA, clientB, projectA, projectB, documentTwo } =
  await makeCast();
const letter = await uploadAs(sam, projectA, 'letter.pdf', 'a letter');
const note = await uploadAs(ada, projectA, 'note.pdf', 'a note');
const bens = await uploadAs(ben, projectB, 'letter.pdf', 'of ben');

const jobs = '/api/storage/v1/jobs';
const start = async (actor: Actor, ids: readonly string[]): Promise<string> => {
  const answer = await apiAs(actor)('POST', `${jobs}/export`, { json: { fileIDs: ids } });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: string }).data;
};
const stateOf = async (actor: Actor, job: string): Promise<ExportJob> =>
  ((await (await apiAs(actor)('GET', `${jobs}/${job}`)).json()) as { data: ExportJob }).data;
const resultOf = (actor: Actor, job: string, method = 'GET') => apiAs(actor)(method, `${jobs}/${job}/result`);
const done = async (actor: Actor, ids: readonly string[]): Promise<string> => {
  const job = await start(actor, ids);
  await runDueJobs();
  return job;
};
/** Called while the next document is read. */
const whileReading = (happens: () => Promise<unknown>) =>
  vi
    .mocked(readBlob)
    .mockImplementationOnce((key, range) => bytesAfter(happens, () => actual.readBlob(key, range)));
const softDelete = (document: Document, at: number | null = 1) =>
  db().updateTable('documents').set({ deleted_at: at }).where('document_id', '=', document.id).execute();

/**
 * The archive as two independent programs read it: the files that Python finds, by name, and the output of
 * unzip.
 */
function opened(bytes: Buffer): { names: string[]; texts: Record<string, string>; unzip: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'export-'));
  const file = path.join(folder, 'a.zip');
  fs.writeFileSync(file, bytes);
  const script =
    'import json,sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(json.dumps([[n,z.read(n).decode("latin1")] for n in z.namelist()]))';
  const entries = JSON.parse(
    execFileSync('python3', ['-c', script, file], { encoding: 'utf8', maxBuffer: 32_000_000 }),
  ) as [string, string][];
  const unzip = execFileSync('unzip', ['-t', file], { encoding: 'utf8' });
  fs.rmSync(folder, { recursive: true });
  return { names: entries.map(([name]) => name), texts: Object.fromEntries(entries), unzip };
}

describe('archives of documents', () => {
  test.each([
    ['Pacific/Kiritimati', 'documents-2026-11-22.zip'],
    ['Pacific/Pago_Pago', 'documents-2026-11-21.zip'],
  ])('an archive is named by date in %s', async (timeZone, name) => {
    const zoneIs = (zone: string) =>
      db().updateTable('firms').set({ time_zone: zone }).where('company_id', '=', firmOne).execute();
    await zoneIs(timeZone);
    const job = await start(ada, [letter.id]);
    await runDueJobs();
    const answer = await at(Date.parse('2026-11-21T23:30:00Z'), () => resultOf(ada, job));
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
    await zoneIs('America/New_York');
  });

  test('the documents of an archive are checked by a job and delivered as a zip, in their folders, byte for byte', async () => {
    const folder = await createFolder(sam, { name: 'Payroll', parentId: projectA.id, parentType: 'Project' });
    const slip = await uploadAs(sam, folder, 'letter.pdf', 'a slip');
    const job = await start(ada, [letter.id, slip.id, note.id, letter.id]);
    expect(await stateOf(ada, job)).toMatchObject({
      jobId: job,
      jobStatus: 'PENDING',
      progress: { checked: 0, total: 3 },
      missing: [],
    });
    await runDueJobs();
    expect(await stateOf(ada, job)).toMatchObject({
      jobStatus: 'SUCCESS',
      progress: { checked: 3, total: 3 },
      size: letter.originalItemSize + slip.originalItemSize + note.originalItemSize,
    });
    const answer = await resultOf(ada, job);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(
        /^attachment; filename=documents-\d{4}-\d\d-\d\d\.zip$/,
      ) as string,
      'content-security-policy': "sandbox; default-src 'none'",
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    const zip = opened(bytes);
    expect(zip.unzip).toContain('No errors detected');
    expect(zip.texts).toEqual({
      'Tax return 2025/letter.pdf': pdf('a letter').toString(),
      'Tax return 2025/Payroll/letter.pdf': pdf('a slip').toString(),
      'Tax return 2025/note.pdf': pdf('a note').toString(),
    });
  });

  test('an archive of several clients has a folder for each client', async () => {
    const answer = await resultOf(cleo, await done(cleo, [letter.id, bens.id]));
    expect(opened(Buffer.from(await answer.arrayBuffer())).names).toEqual([
      'Amber Bakery/Tax return 2025/letter.pdf',
      'Birch Boats/Tax return 2025/letter.pdf',
    ]);
  });

  test('no file of an archive leaves its target folder or overwrites another, whatever the names', async () => {
    const dora = await person(firmOne, 'Dora Dune', 'dora@one.example');
    const place = await client(firmOne, '../../etc', 'X-1', [dora]);
    const documents = await Promise.all(
      ['one.pdf', 'two.pdf', 'three.pdf', 'four.pdf'].map((name) =>
        uploadAs(dora, { id: place, containerType: 'Client' }, name, name),
      ),
    );
    const hostile = ['../../evil.pdf', 'a\\..\\evil.pdf', 'EVIL.pdf', 'evil.PDF'];
    for (const [i, { id }] of documents.entries())
      await db()
        .updateTable('documents')
        .set({ name: hostile[i] ?? '' })
        .where('document_id', '=', id)
        .execute();
    const folder = await createFolder(sam, { name: 'inner', parentId: place, parentType: 'Client' });
    const inside = await uploadAs(dora, folder, 'paper.pdf', 'x');
    await db()
      .updateTable('containers')
      .set({ name: 'evil.pdf' })
      .where('container_id', '=', folder.id)
      .execute();
    const answer = await resultOf(dora, await done(dora, [...documents.map(({ id }) => id), inside.id]));
    const { names } = opened(Buffer.from(await answer.arrayBuffer()));
    expect(names).toHaveLength(5);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    const folders = names.filter((name) => name.includes('/'));
    expect(folders).toHaveLength(1);
    for (const name of names) expect(name).not.toMatch(/^\/|\\|(?:^|\/)\.\.(?:\/|$)/);
    const files = new Set(names.map((name) => name.toLowerCase()));
    expect(files.has(folders[0]?.split('/')[0]?.toLowerCase() ?? '')).toBe(false);
  });

  test('concurrent archives are checked with the rights of the person who requested each', async () => {
    const [own, other] = [await start(ada, [letter.id, note.id]), await start(ben, [bens.id])];
    const due = (job: string, instant: number) =>
      db().updateTable('jobs').set({ run_at: instant }).where('unique_key', '=', `${job}-0`).execute();
    await due(own, now() + DAY);
    await runDueJobs();
    await due(own, now());
    await runDueJobs();
    expect([await stateOf(ada, own), await stateOf(ben, other)]).toMatchObject([
      {
        jobStatus: 'SUCCESS',
        size: letter.originalItemSize + note.originalItemSize,
        progress: { checked: 2, total: 2 },
      },
      { jobStatus: 'SUCCESS', size: bens.originalItemSize, progress: { checked: 1, total: 1 } },
    ]);
  });

  test('archives are checked a few documents at a time, so that other jobs are not delayed', async () => {
    const many = [];
    for (let i = 0; i < 30; i += 1) many.push(await uploadAs(ada, projectA, `many ${i}.pdf`, `${i}`));
    const job = await start(
      ada,
      many.map(({ id }) => id),
    );
    await runDueJobs();
    const turns = await db()
      .selectFrom('jobs')
      .select('unique_key')
      .where('unique_key', 'like', `${job}-%`)
      .execute();
    expect([
      turns.map(({ unique_key: key }) => key?.split('-')[1]).toSorted(),
      (await stateOf(ada, job)).jobStatus,
    ]).toEqual([['0', '25'], 'SUCCESS']);
  });

  test('downloading an archive leaves receipts and audit entries and removes the unread marks, and a HEAD request leaves nothing', async () => {
    const fresh = await uploadAs(sam, projectA, 'fresh.pdf', 'new');
    const job = await done(ada, [fresh.id, letter.id]);
    const receipts = () =>
      db()
        .selectFrom('receipts')
        .select(['kind', 'name', 'sha256', 'actor', 'client_id'])
        .where('document_id', '=', fresh.id)
        .where('kind', '=', 'download')
        .execute();
    expect((await resultOf(ada, job, 'HEAD')).status).toBe(200);
    expect([await receipts(), (await documentsByIds(ada, [fresh.id]))[0]?.isReadByClientUser]).toEqual([
      [],
      false,
    ]);
    await (await resultOf(ada, job)).body?.cancel();
    expect(await receipts()).toEqual([
      { kind: 'download', name: 'fresh.pdf', sha256: fresh.sha256, actor: ada.contactId, client_id: clientA },
    ]);
    expect((await documentsByIds(ada, [fresh.id]))[0]?.isReadByClientUser).toBe(true);
    const [entry] = await db()
      .selectFrom('audit')
      .select(['actor', 'client_id', 'details'])
      .where('action', '=', 'document.export')
      .where('target', '=', job)
      .execute();
    expect([entry?.actor, entry?.client_id, JSON.parse(entry?.details ?? '{}')]).toMatchObject([
      ada.contactId,
      clientA,
      { documents: 2, receipt: expect.any(Number) as number },
    ]);
  });
});

describe('documents that can no longer be delivered', () => {
  test('a document removed before it was read is reported as missing, and the others are delivered', async () => {
    const gone = await uploadAs(ada, projectA, 'gone soon.pdf', 'x');
    const job = await start(ada, [gone.id, note.id]);
    await softDelete(gone);
    await runDueJobs();
    expect(await stateOf(ada, job)).toMatchObject({
      jobStatus: 'PARTIAL_SUCCESS',
      missing: ['gone soon.pdf'],
      size: note.originalItemSize,
    });
    expect(opened(Buffer.from(await (await resultOf(ada, job)).arrayBuffer())).names).toEqual([
      'Tax return 2025/note.pdf',
    ]);
  });

  test('a document whose stored bytes are gone is reported as missing', async () => {
    const before = new Set((await Array.fromAsync(listStored())).map(({ key }) => key));
    const broken = await uploadAs(ada, projectA, 'broken.pdf', 'x');
    for await (const { key } of listStored()) if (!before.has(key)) await removeBlob(key);
    const job = await done(ada, [broken.id]);
    expect(await stateOf(ada, job)).toMatchObject({ jobStatus: 'ERROR', missing: ['broken.pdf'], size: 0 });
    expect((await resultOf(ada, job)).status).toBe(404);
  });

  test('a document removed between check and download makes the download fail, the job reports it, and then delivers the rest', async () => {
    const gone = await uploadAs(ada, projectA, 'gone later.pdf', 'x');
    const job = await done(ada, [gone.id, note.id]);
    await softDelete(gone);
    expect((await resultOf(ada, job)).status).toBe(403);
    expect(await stateOf(ada, job)).toMatchObject({
      jobStatus: 'PARTIAL_SUCCESS',
      missing: ['gone later.pdf'],
    });
    expect((await resultOf(ada, job)).status).toBe(200);
  });

  test('an archive delivers nothing once access to the client is removed', async () => {
    const eve = await person(firmOne, 'Eve Elm', 'eve@one.example');
    const place = await client(firmOne, 'Elm', 'E-1', [eve]);
    const paper = await uploadAs(eve, { id: place, containerType: 'Client' }, 'paper.pdf', 'x');
    const [checked, fetched] = [await start(eve, [paper.id]), await done(eve, [paper.id])];
    const waiting = await start(eve, [paper.id]);
    await unlink(place, eve);
    await runDueJobs();
    expect((await stateOf(eve, waiting)).jobStatus).toBe('ERROR');
    for (const job of [checked, fetched]) {
      expect((await resultOf(eve, job)).status).toBe(403);
      expect((await stateOf(eve, job)).jobStatus).toBe('ERROR');
    }
  });
});

describe('archive jobs', () => {
  test('an archive job with a document of somebody else, at any position, is refused and starts nothing', async () => {
    const count = async () => (await db().selectFrom('exports').select('export_id').execute()).length;
    const before = await count();
    const unknown = await seen(
      await apiAs(ada)('POST', `${jobs}/export`, { json: { fileIDs: [newId('doc')] } }),
    );
    expect(unknown.status).toBe(404);
    for (const ids of [[bens.id], [letter.id, documentTwo.id], [documentTwo.id, letter.id, note.id]])
      expect(await seen(await apiAs(ada)('POST', `${jobs}/export`, { json: { fileIDs: ids } }))).toEqual(
        unknown,
      );
    expect(await count()).toBe(before);
  });

  test('an empty archive starts no job', async () => {
    await expect(startExport(ada, [])).rejects.toMatchObject({ code: 'EMPTY' });
  });

  test('an archive is not audited while staff view as the contact, or if it is empty', async () => {
    const [files, before] = [await archiveOf(ada, [letter.id]), await everyRow()];
    await noteExported({ ...ada, viewedBy: sam.contactId }, 'export_none', files);
    await noteExported(ada, 'export_none', []);
    expect(await everyRow()).toEqual(before);
  });

  test('an archive job can be seen, downloaded and cancelled only by who started it', async () => {
    const job = await done(ada, [letter.id]);
    for (const other of [cleo, sam, ben, zoe]) {
      for (const [method, address] of [
        ['GET', ''],
        ['GET', '/result'],
        ['HEAD', '/result'],
        ['DELETE', ''],
      ] as const) {
        const theirs = await seen(await apiAs(other)(method, `${jobs}/${job}${address}`));
        expect(theirs).toEqual(
          await seen(await apiAs(other)(method, `${jobs}/${newId('export')}${address}`)),
        );
        expect(theirs.status).toBe(404);
      }
    }
    expect((await stateOf(ada, job)).jobStatus).toBe('SUCCESS');
  });

  test('an archive has at most 2,000 documents and 4 GiB, and a person starts at most 60 in ten minutes', async () => {
    const tooMany = await apiAs(ada)('POST', `${jobs}/export`, {
      json: { fileIDs: Array.from({ length: 2001 }, (_, i) => `doc_${i}`) },
    });
    expect(tooMany.status).toBe(422);
    const heavy = await uploadAs(ada, projectA, 'heavy.pdf', 'x');
    await db()
      .updateTable('documents')
      .set({ size: 4 * 1024 ** 3 })
      .where('document_id', '=', heavy.id)
      .execute();
    expect(
      (await apiAs(ada)('POST', `${jobs}/export`, { json: { fileIDs: [heavy.id, note.id] } })).status,
    ).toBe(413);
    await softDelete(heavy);
    await db().deleteFrom('limits').execute();
    for (let i = 0; i < 60; i += 1) await start(ben, [bens.id]);
    expect((await apiAs(ben)('POST', `${jobs}/export`, { json: { fileIDs: [bens.id] } })).status).toBe(429);
    await runDueJobs();
  });

  test('an archive has no result before it was checked or after it was cancelled, and a cancelled one is not checked', async () => {
    const job = await start(ada, [letter.id]);
    expect((await resultOf(ada, job)).status).toBe(404);
    const answer = await apiAs(ada)('DELETE', `${jobs}/${job}`);
    expect([answer.status, ((await answer.json()) as { data: ExportJob }).data.jobStatus]).toEqual([
      200,
      'CANCELLED',
    ]);
    await runDueJobs();
    expect(await stateOf(ada, job)).toMatchObject({ jobStatus: 'CANCELLED', progress: { checked: 0 } });
    expect(
      await db().selectFrom('jobs').select('last_error').where('unique_key', '=', `${job}-0`).execute(),
      'its job ends without a fault',
    ).toEqual([{ last_error: null }]);
    expect((await resultOf(ada, job)).status).toBe(404);
  });

  test('an archive cancelled during its download ends, and the download in flight is completed', async () => {
    const big = await uploadAs(ada, projectA, 'big.pdf', 'x'.repeat(8_000_000));
    const job = await done(ada, [big.id]);
    const server = await listenAs(ada);
    const [response] = (await once(
      http.get({ port: server.port, path: `${jobs}/${job}/result` }),
      'response',
    )) as [http.IncomingMessage];
    expect((await apiAs(ada)('DELETE', `${jobs}/${job}`)).status).toBe(200);
    const bytes = await buffer(response);
    expect(bytes.length).toBe(Number(response.headers['content-length']));
    expect(opened(bytes).names).toEqual(['Tax return 2025/big.pdf']);
    expect((await resultOf(ada, job)).status).toBe(404);
    await server.close();
  });

  test('an archive cancelled while it is checked stays cancelled', async () => {
    const job = await start(ada, [letter.id, note.id]);
    await Promise.all([runDueJobs(), apiAs(ada)('DELETE', `${jobs}/${job}`)]);
    await runDueJobs();
    expect((await stateOf(ada, job)).jobStatus).toBe('CANCELLED');
  });

  test('an archive cancelled while a missing document is detected stays cancelled', async () => {
    const gone = await uploadAs(ada, projectA, 'gone while cancelled.pdf', 'x');
    const job = await done(ada, [gone.id, note.id]);
    await softDelete(gone);
    await Promise.all([resultOf(ada, job), apiAs(ada)('DELETE', `${jobs}/${job}`)]);
    expect((await stateOf(ada, job)).jobStatus).toBe('CANCELLED');
  });

  test('an archive finished by another worker first is left unchanged', async () => {
    for (const left of [
      { checked: 1, size: 7 },
      { status: 'ERROR', size: 7 },
    ] as const) {
      const job = await start(ada, [letter.id, note.id]);
      whileReading(() => db().updateTable('exports').set(left).where('export_id', '=', job).execute());
      await runDueJobs();
      expect(
        await db()
          .selectFrom('exports')
          .select(['status', 'checked', 'size'])
          .where('export_id', '=', job)
          .executeTakeFirst(),
      ).toEqual({ status: 'PENDING', checked: 0, ...left });
      await db().deleteFrom('exports').where('export_id', '=', job).execute();
    }
  });

  test('a concurrent archive is not affected by another one', async () => {
    const job = await start(ada, [letter.id, note.id]);
    let other = '';
    whileReading(async () => void (other = await start(cleo, [bens.id])));
    await runDueJobs();
    expect([await stateOf(ada, job), await stateOf(cleo, other)]).toMatchObject([
      { jobStatus: 'SUCCESS', progress: { checked: 2 } },
      { jobStatus: 'SUCCESS', size: bens.originalItemSize, progress: { checked: 1 } },
    ]);
  });

  test('an archive continues when the blob store is available again, and reports no document as missing', async () => {
    const job = await start(ada, [letter.id, note.id]);
    whileReading(() => Promise.reject(new PortalError('UNAVAILABLE', { retryAfter: 10 })));
    await runDueJobs();
    expect(await stateOf(ada, job)).toMatchObject({ jobStatus: 'PENDING', missing: [] });
    moveClock(MINUTE);
    await runDueJobs();
    expect(await stateOf(ada, job)).toMatchObject({ jobStatus: 'SUCCESS', missing: [] });
  });

  test('an archive expires after a day and is removed', async () => {
    const job = await done(ada, [letter.id]);
    moveClock(DAY - 60_000);
    expect((await stateOf(ada, job)).jobStatus).toBe('SUCCESS');
    moveClock(60_000);
    expect([(await apiAs(ada)('GET', `${jobs}/${job}`)).status, (await resultOf(ada, job)).status]).toEqual([
      404, 404,
    ]);
    await sweepExports();
    expect(await db().selectFrom('exports').select('export_id').execute()).toEqual([]);
  });
});

test('an archive of two clients requires access to both', async () => {
  const job = await done(cleo, [letter.id, bens.id]);
  await unlink(clientB, cleo);
  expect((await resultOf(cleo, job)).status).toBe(403);
  expect(await stateOf(cleo, job)).toMatchObject({ jobStatus: 'PARTIAL_SUCCESS', missing: ['letter.pdf'] });
});
