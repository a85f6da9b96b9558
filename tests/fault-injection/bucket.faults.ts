import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openFakeS3, type S3Fault } from '../support/fake-s3.ts';
import { compare, Ledger, verify } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { Person } from './support/person.ts';
import { Portal, turn } from './support/portal.ts';
import { startMailServer } from './support/mail-server.ts';
import { report } from './support/report.ts';

const SECONDS = Number(process.env['TIMES'] ?? 4);

/**
 * The faults of the bucket, for one request in ten. Silence is omitted: the portal waits 15 s before it times
 * out.
 */
const FAULTS: S3Fault[] = [
  '500',
  'slow-down',
  'reset',
  'reset-after',
  'damaged',
  'truncated',
  'missing-after',
  'slow',
];

test(
  'when a bucket fails one request in ten and then completely, lists work, uploads get a time to retry, and nothing acknowledged is lost',
  { timeout: 120_000 },
  async () => {
    const s3 = await openFakeS3();
    const office = await startMailServer();
    const portal = await Portal.start({
      folder: mkdtempSync(path.join(os.tmpdir(), 'portal-faults-')),
      env: { BLOB_URL: s3.url, SMTP_URL: office.url },
    });
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const ledger = new Ledger();
    let asked = 0;
    let faults = 0;
    s3.control.faultOf = () => {
      asked += 1;
      if (Math.random() >= 0.1) return 'none';
      faults += 1;
      return FAULTS[faults % FAULTS.length] ?? 'none';
    };
    const load = startLoad([olivia], ledger, office, 8);
    await turn(SECONDS * 1000);
    await load.stop();
    s3.control.faultOf = () => 'none';
    const unwell = [...ledger.refused].filter(([status]) => status >= 500);
    report('bucket, one request in ten fails', {
      requests: asked,
      faults,
      acknowledged: ledger.acknowledged,
      documents: ledger.documents.length,
      'refused by status': JSON.stringify([...ledger.refused]),
    });
    expect(load.wrong).toEqual([]);
    expect(unwell, 'at one fault in ten nobody notices').toEqual([]);
    expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });

    await s3.close();
    const began = performance.now();
    const upload = await olivia.uploadAs(['w9-away-1000.pdf']);
    const took = performance.now() - began;
    expect(upload.status).toBe(503);
    expect(JSON.parse(upload.body.toString())).toMatchObject({ errors: [{ code: 'UNAVAILABLE' }] });
    expect(upload.headers.get('retry-after')).toMatch(/^\d+$/);
    const [document] = ledger.documents;
    const download = await olivia.download(document as NonNullable<typeof document>);
    expect(
      [download.status, download.headers.has('retry-after'), download.body.includes('"UNAVAILABLE"')],
      'a download says so, too',
    ).toEqual([503, true, true]);
    expect((await olivia.documents()).length, 'lists go on').toBeGreaterThan(100);
    ledger.noteFolder(await olivia.makeFolder('w9-while-away'));
    expect(ledger.folders.at(-1)?.name, 'folders too').toBe('w9-while-away');
    expect(
      (await olivia.share(document as NonNullable<typeof document>, ['r@supplier.example'], 'Metrics'))
        .status,
      'and shares',
    ).toBe(200);

    await s3.reopen();
    const again = await olivia.uploadAs(['w9-back-1000.pdf']);
    expect(again.status, 'back without a restart').toBe(200);
    ledger.noteDocuments(again);
    expect(await compare(olivia, ledger)).toEqual({ lost: [], torn: [], twice: [] });
    await portal.end('SIGTERM');
    expect(await verify(portal)).toEqual([]);
    expect(s3.uploads.size, 'no multipart upload is left over').toBe(0);
    report('bucket away', { 'refused after ms': took });
    await office.close();
    await s3.close();
  },
);
