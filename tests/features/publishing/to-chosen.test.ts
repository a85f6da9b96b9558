import { describe, expect, test } from 'vitest';
import { nameFor } from '#features/documents/publishing/batch-names.ts';
import { batchById, listBatches, listFiles } from '#features/documents/publishing/batches.server.ts';
import { createBatchFor } from '#features/documents/publishing/to-chosen.server.ts';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { client, makeCast, pdf, person } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { sam, cleo, firmOne, firmTwo, clientA, clientB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const foreign = await client(firmTwo, 'Somebody else', 'F-1', []);
const SETTINGS = { folder: 'Letters {year}', year: 2026, notify: true, message: '' };
const file = (name: string, content = name): File =>
  new File([Buffer.from(pdf(content))], name, { type: 'application/pdf' });
const blobs = async (): Promise<number> =>
  (await db().selectFrom('blobs').select('blob_key').execute()).length;

describe('the same files for selected clients', () => {
  test('each client gets bytes of its own, ready to be published', async () => {
    const id = await createBatchFor(sam, [clientA, clientB], {
      ...SETTINGS,
      files: [file('Office move.pdf'), file('Map.pdf')],
    });
    expect(await batchById(sam, id)).toMatchObject({ name: 'Office move', files: 4, ready: 4, clients: 2 });
    const files = await listFiles(sam, id, 0);
    expect(files.map(({ name, clientId, matchedBy }) => [name, clientId, matchedBy])).toEqual(
      expect.arrayContaining([
        ['Office move.pdf', clientA, 'hand'],
        ['Office move.pdf', clientB, 'hand'],
        ['Map.pdf', clientA, 'hand'],
        ['Map.pdf', clientB, 'hand'],
      ]),
    );
    const keys = await db()
      .selectFrom('publish_files')
      .select('blob_key')
      .where('batch_id', '=', id)
      .execute();
    expect(new Set(keys.map((row) => row.blob_key)).size).toBe(4);
  });

  test('nothing is stored if one client is of another firm or archived, the file is refused, or a contact asks', async () => {
    const archived = await client(firmOne, 'Closed Shop', 'C-9', []);
    await archiveClients(olga, [archived]);
    const before = [await blobs(), (await listBatches(sam)).length];
    const files = [file('Letter.pdf')];
    await expect(createBatchFor(sam, [clientA, foreign], { ...SETTINGS, files })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(createBatchFor(sam, [clientA, archived], { ...SETTINGS, files })).rejects.toMatchObject({
      code: 'GONE',
    });
    await expect(
      createBatchFor(sam, [clientA], { ...SETTINGS, files: [file('Letter.pdf'), file('virus.exe')] }),
    ).rejects.toMatchObject({ code: 'TYPE_NOT_ALLOWED' });
    await expect(createBatchFor(sam, [], { ...SETTINGS, files })).rejects.toMatchObject({ code: 'EMPTY' });
    await expect(createBatchFor(cleo, [clientA], { ...SETTINGS, files })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect([await blobs(), (await listBatches(sam)).length]).toEqual(before);
  });
});

describe('a batch that begins with its files', () => {
  const send = (...files: (readonly [string, string | Buffer])[]) =>
    apiAs(sam)(
      'POST',
      '/api/storage/v1/publish-batches/new/files?r=%2Fclientcenter%2Fen-us%2Fstaff%2Fpublish',
      {
        form: filesForm(...files),
      },
    );

  test('it is named after what the files have in common, and its page follows', async () => {
    const answer = await send(['A-10 payslip May.pdf', pdf('one')], ['B-20 payslip May.pdf', pdf('two')]);
    expect(answer.status).toBe(303);
    const [newest] = await listBatches(sam);
    expect(answer.headers.get('location')).toMatch(new RegExp(`/staff/publish/${newest?.id}$`));
    expect(newest).toMatchObject({ name: 'payslip May', files: 2, notify: true });
  });

  test('without a file that is accepted there is none', async () => {
    const before = (await listBatches(sam)).length;
    const answer = await send(['tool.exe', 'MZ']);
    expect(answer.headers.get('location')).toMatch(/\/staff\/publish$/);
    expect(await listBatches(sam)).toHaveLength(before);
  });

  test('names share whole words, or the first file names the batch', () => {
    expect(nameFor(['RH-1 payslip 2026-11.pdf', 'RH-2 Payslip 2026-11.pdf'])).toBe('payslip 2026-11');
    expect(nameFor(['Letter.pdf', 'Map.pdf'])).toBe('Letter');
    expect(nameFor(['1 of 2.pdf', '2 of 2.pdf'])).toBe('1 of 2');
    expect(nameFor([`${'a'.repeat(300)}.pdf`])).toHaveLength(100);
  });
});
