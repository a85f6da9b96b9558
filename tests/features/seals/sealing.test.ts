import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber } from '@libpdf/core';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { listSealKeys, loadSealKey, renewSealKey } from '#features/documents/seals/keys.server.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import {
  recordSealed,
  sealPdf,
  type CertificateContent,
  type Stamp,
} from '#features/documents/seals/sealing.server.ts';
import {
  verifyForVisitor,
  verifySealedPdf,
  type SealVerification,
} from '#features/documents/seals/verifying.server.ts';
import { inSealThread } from '#features/documents/seals/worker.server.ts';
import { drawPage, readPdf } from '#features/documents/viewer/worker.server.ts';
import { at, DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person } from '../../support/cast.ts';
import {
  AUTHORITY,
  flipped,
  pdfOfPages,
  pdfsigOf,
  pkcs12,
  seededRandom,
  startTimestamps,
} from '../../support/sealing.ts';
import '../../../src/app.server.ts';

const { firmOne, firmTwo, sam, ada, tom } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const tina = await person(firmTwo, 'Tina Two', 'tina@two.example', { role: 'owner' });
const timestamps = await startTimestamps();
afterAll(timestamps.stop);

const certificate: CertificateContent = {
  title: 'Certificate of signatures',
  lead: 'These pages belong to the document before them.',
  sections: [{ title: 'Signer', rows: [{ label: 'Name', value: 'José Álvares' }] }],
  footer: 'The record of the portal carries the proof.',
};

const signature = (page: number, text: string): Stamp => ({
  page,
  x: 10_000,
  y: 80_000,
  width: 40_000,
  height: 5000,
  kind: 'signature',
  text,
});

/** Seals a document and records it, as the feature does that asks for signatures. */
async function sealed(input: Partial<Parameters<typeof sealPdf>[0]> = {}, companyId = firmOne) {
  const prepared = input.prepared ?? (await preparePdf(await pdfOfPages(2))).bytes;
  const result = await sealPdf({
    companyId,
    stamps: [signature(0, 'José Álvares')],
    certificate,
    signedAt: now(),
    ...input,
    prepared,
  });
  await recordSealed({ companyId, ...result, title: 'Engagement letter', taskId: 'task_1' });
  return result;
}

const failed = ({ checks }: SealVerification): string[] =>
  checks.filter(({ result }) => result === 'failed').map(({ check }) => check);

const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => refusal(error)?.code ?? String(error),
  );

/** Everything but the timestamp authority of the operator. */
async function withTimestamps<T>(work: () => Promise<T>): Promise<T> {
  config.timestampUrl = timestamps.url;
  try {
    return await work();
  } finally {
    config.timestampUrl = undefined;
  }
}

describe('sealing', () => {
  test('an independent verifier finds the seal valid, and the whole document sealed', async () => {
    const { bytes, level } = await sealed();
    const { isValid, isTotal, says } = await pdfsigOf(bytes);
    expect({ isValid, isTotal, level }).toEqual({ isValid: true, isTotal: true, level: 'B-B' });
    expect(says).toContain('Signer Certificate Common Name: Maple & Hart');
    expect(says).toContain('ETSI.CAdES.detached');
  });

  test('verification names the firm and the time, and what it did not check', async () => {
    const signedAt = Math.floor(now() / 1000) * 1000;
    const { bytes, sha256, keyId } = await sealed({ signedAt });
    expect(await verifySealedPdf(bytes)).toEqual({
      verdict: 'unchanged',
      sha256,
      companyId: firmOne,
      firm: 'Maple & Hart',
      keyId,
      sealedAt: signedAt,
      title: 'Engagement letter',
      taskId: 'task_1',
      checks: [
        { check: 'record', result: 'passed' },
        { check: 'coverage', result: 'passed' },
        { check: 'signature', result: 'passed' },
        { check: 'certificate', result: 'passed' },
        { check: 'timestamp', result: 'none' },
      ],
      notChecked: ['trust', 'time'],
    });
  });

  test('a firm has one key, however many documents are sealed first at the same moment', async () => {
    const prepared = (await preparePdf(await pdfOfPages(1))).bytes;
    const both = await Promise.all([sealed({ prepared }, firmTwo), sealed({ prepared }, firmTwo)]);
    expect(new Set(both.map(({ keyId }) => keyId)).size).toBe(1);
    expect(both[0].keyId).not.toBe((await sealed()).keyId);
  });

  test('pages are stamped where they are shown, whatever their rotation and crop box', async () => {
    const pdf = PDF.create();
    for (const rotate of [0, 90, 180, 270]) {
      const page = pdf.addPage({ width: 600, height: 800, rotate });
      page.dict.set('CropBox', PdfArray.of(...[50, 100, 550, 700].map((each) => PdfNumber.of(each))));
    }
    const prepared = await preparePdf(await pdf.save());
    expect(prepared.pages).toEqual(
      [
        [500, 600],
        [600, 500],
        [500, 600],
        [600, 500],
      ].map(([width, height]) => ({ width, height })),
    );
    const { bytes, sha256 } = await sealed({
      prepared: prepared.bytes,
      stamps: [0, 1, 2, 3].map((page) => ({
        ...signature(page, 'Corner'),
        kind: 'text',
        x: 5000,
        y: 10_000,
        height: 4000,
      })),
    });
    const read = await readPdf(
      { key: sha256, bytes: () => Readable.from(Buffer.from(bytes)), asker: { person: 'p', firm: 'f' } },
      { from: 1 },
    );
    if ('refused' in read) throw new Error(read.refused);
    for (const page of read.pages.slice(0, 4)) {
      const run = page.runs.find(({ text }) => text === 'Corner');
      expect(run?.x).toBeCloseTo(page.width * 0.05, -1);
      const middle = (run?.y ?? 0) + (run?.height ?? 0) / 2;
      expect(middle).toBeCloseTo(page.height * 0.12, -1);
      expect(run?.width).toBeGreaterThan((run?.height ?? 0) * 1.5); // upright, not along the side
    }
  });

  test('no letter of a name is lost, in any script', async () => {
    const asText = ['Łukasz Żółć', 'Ελένη Παππά', 'Юлия Щёкина', 'Nguyễn Văn Ất'];
    const asImage = ['محمد العربي', '张伟', 'Ana 🎉', 'שרה לוי'];
    const names = [...asText, ...asImage];
    const prepared = (await preparePdf(await pdfOfPages(names.length))).bytes;
    const { bytes, sha256 } = await sealed({
      prepared,
      stamps: names.map((name, page) => signature(page, name)),
      certificate: {
        ...certificate,
        sections: [{ title: 'Signers', rows: names.map((value) => ({ label: 'Name', value })) }],
      },
    });
    const pages = (await PDF.load(bytes)).extractText();
    for (const [index, name] of asText.entries()) {
      expect(pages[index]?.text).toContain(name);
      expect(pages.at(-1)?.text).toContain(name);
    }
    for (const [index] of asImage.entries()) {
      const drawing = await drawPage(
        { key: sha256, bytes: () => Readable.from(Buffer.from(bytes)), asker: { person: 'p', firm: 'f' } },
        { page: asText.length + index + 1, width: 1000 },
      );
      if ('refused' in drawing) throw new Error(drawing.refused);
      const { width, height, pixels } = drawing;
      const area = { left: 0.1 * width, top: 0.8 * height, width: 0.4 * width, height: 0.05 * height };
      const { channels } = await sharp(Buffer.from(pixels), { raw: { width, height, channels: 4 } })
        .extract({
          left: Math.round(area.left),
          top: Math.round(area.top),
          width: Math.round(area.width),
          height: Math.round(area.height),
        })
        .stats();
      expect(channels[0]?.min).toBeLessThan(100); // ink
    }
    // as letters for programs, also where the page has an image
    const attached = (await PDF.load(bytes)).getAttachment('certificate.json');
    const { stamps } = JSON.parse(Buffer.from(attached ?? []).toString('utf8')) as { stamps: Stamp[] };
    expect(stamps.map(({ text }) => text)).toEqual(names);
  });

  test('a drawn signature is shown instead of the typed name', async () => {
    const image = await sharp({ create: { width: 60, height: 20, channels: 3, background: '#00f' } })
      .png()
      .toBuffer();
    const { bytes } = await sealed({ stamps: [{ ...signature(0, 'José Álvares'), image }] });
    expect((await PDF.load(bytes)).extractText()[0]?.text).not.toContain('José');
    expect((await pdfsigOf(bytes)).isValid).toBe(true);
  });

  test('certificate pages have the paper of the document, and continue on further ones', async () => {
    const rows = Array.from({ length: 120 }, (_, i) => ({
      label: `Event ${i}`,
      value: `Value ${i} `.repeat(12),
    }));
    const prepared = (await preparePdf(await pdfOfPages(1, { size: 'letter' }))).bytes;
    const { bytes } = await sealed({
      prepared,
      certificate: { ...certificate, sections: [{ title: 'Events', rows }] },
    });
    const pdf = await PDF.load(bytes);
    const pages = pdf.getPages();
    expect(pages.length).toBeGreaterThan(3);
    expect([pages.at(-1)?.width, pages.at(-1)?.height]).toEqual([612, 792]);
    const text = pdf
      .extractText()
      .map((page) => page.text)
      .join('\n');
    expect(text).toContain('Event 0');
    expect(text).toContain('Value 119');
    expect(text.split(certificate.footer).length - 1).toBe(pages.length - 1);
  });
});

describe('changes', () => {
  test('any changed bit is found', async () => {
    const { bytes } = await sealed();
    const random = seededRandom(79);
    const verdicts = new Set<string>();
    for (let i = 0; i < 200; i += 1) {
      const { verdict } = await verifySealedPdf(flipped(bytes, random(bytes.length), random(8)));
      verdicts.add(verdict);
    }
    // where the change is outside of what the seal covers, the record finds it
    expect([...verdicts].sort().join()).toMatch(/^changed(,unrecorded)?$/);
    expect((await verifySealedPdf(bytes)).verdict).toBe('unchanged');
  });

  test('an independent verifier agrees where the seal covers the change', async () => {
    const { bytes } = await sealed();
    const random = seededRandom(80);
    for (let i = 0; i < 10; i += 1) {
      const changed = flipped(bytes, random(20_000), random(8));
      const { isValid, isTotal } = await pdfsigOf(changed);
      expect(isValid && isTotal).toBe(false);
    }
  });

  test('an edit appended to the file is found, though its signature stays valid for others', async () => {
    const { bytes } = await sealed();
    const pdf = await PDF.load(bytes);
    pdf.getPage(0)?.drawText('and 1,000,000 more', { x: 100, y: 100 });
    const edited = await pdf.save({ incremental: true });
    expect(await pdfsigOf(edited)).toMatchObject({ isValid: true, isTotal: false });
    const result = await verifySealedPdf(edited);
    expect(result).toMatchObject({ verdict: 'changed', firm: 'Maple & Hart' });
    expect(failed(result)).toEqual(['record', 'coverage']);
    const appended = await verifySealedPdf(Buffer.concat([bytes, Buffer.from('\n')]));
    expect(appended.verdict).toBe('changed');
  });

  test('a file with a good seal that the portal has not recorded is not called unchanged', async () => {
    const { bytes, sha256 } = await sealed();
    await db().deleteFrom('sealed_files').where('sha256', '=', sha256).execute();
    const result = await verifySealedPdf(bytes);
    expect(result.verdict).toBe('unrecorded');
    expect(failed(result)).toEqual(['record']);
    expect(result).not.toHaveProperty('title');
  });

  test('a file without a seal of this portal is unknown', async () => {
    const result = await verifySealedPdf(await pdfOfPages(1));
    expect(result.verdict).toBe('unknown');
    expect(result).not.toHaveProperty('firm');
    expect(await verifySealedPdf(Buffer.from('no PDF'))).toMatchObject({ verdict: 'unknown' });
  });

  test('visitors may verify 60 files a minute from one network', async () => {
    const bytes = await pdfOfPages(1);
    const upload = () => Readable.from(Buffer.from(bytes), { objectMode: false });
    for (let i = 0; i < 60; i += 1) await verifyForVisitor(upload(), '192.0.2.7');
    expect(await codeOf(verifyForVisitor(upload(), '192.0.2.7'))).toBe('TOO_MANY');
    expect(await codeOf(verifyForVisitor(upload(), '198.51.100.7'))).toBeUndefined();
    expect(await codeOf(verifySealedPdf(new Uint8Array(50_000_001)))).toBe('TOO_LARGE');
  });
});

describe('a large file of a visitor', () => {
  const large = (bytes: Uint8Array, size = 12_000_000) =>
    Readable.from([Buffer.alloc(size - bytes.length, ' '), Buffer.from(bytes)], { objectMode: false });

  test('a large file without a seal is said to have none, without being looked at', async () => {
    const before = await verifyForVisitor(large(await pdfOfPages(1)), '192.0.2.31');
    expect(before).toMatchObject({ verdict: 'unknown' });
    expect(await fs.readdir(config.dataDir)).not.toContainEqual(expect.stringContaining('.tmp'));
  });

  test('a large file that ends with a seal is looked at', async () => {
    const { bytes } = await sealed();
    const found = await verifyForVisitor(large(bytes), '192.0.2.32');
    expect(found, 'it does not begin as the one that was sealed').toMatchObject({ verdict: 'changed' });
  });

  test('a file of 50 MB and one byte more is refused', async () => {
    const upload = large(new Uint8Array(), 50_000_001);
    expect(await codeOf(verifyForVisitor(upload, '192.0.2.33'))).toBe('TOO_LARGE');
  });

  test('a job of a firm does not wait for one of a visitor', async () => {
    const authority = http.createServer(); // it never answers
    await once(authority.listen(0, '127.0.0.1'), 'listening');
    const timestampUrl = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/`;
    const asked = once(authority, 'request');
    const visitor = { person: 'visitor', firm: 'visitors' };
    const waiting = inSealThread(visitor, { kind: 'timestamp', timestampUrl }, 'visitors');
    await asked;
    await inSealThread({ person: 'sam', firm: firmOne }, { kind: 'verify', bytes: await pdfOfPages(1) });
    authority.closeAllConnections();
    authority.close();
    await expect(waiting, 'until then it was at work').rejects.toThrow('timestamp');
  });
});

describe('timestamps', () => {
  test('with an authority the seal has its timestamp, and verification shows it', async () => {
    const { bytes, level } = await withTimestamps(() => sealed());
    expect(level).toBe('B-T');
    expect(await pdfsigOf(bytes)).toMatchObject({ isValid: true, isTotal: true });
    const result = await verifySealedPdf(bytes);
    expect(result).toMatchObject({
      verdict: 'unchanged',
      timestampBy: AUTHORITY,
      notChecked: ['trust', 'authority'],
    });
    expect(Math.abs((result.timestampAt ?? 0) - Date.now())).toBeLessThan(10 * MINUTE);
  });

  test('a changed timestamp is found, which the independent verifier does not notice', async () => {
    const { bytes } = await withTimestamps(() => sealed());
    const hex = Buffer.from(bytes).toString('latin1');
    const name = Buffer.from(AUTHORITY).toString('hex').toUpperCase();
    const token = hex.indexOf(name, hex.indexOf('/ByteRange'));
    expect(token).toBeGreaterThan(0);
    const random = seededRandom(81);
    let unnoticed = 0;
    for (let i = 0; i < 40; i += 1) {
      const position = token - 400 + random(1600);
      const digit = (Number.parseInt(hex[position] ?? '0', 16) + 1 + random(15)) % 16;
      const changed = Uint8Array.from(bytes);
      changed[position] = digit.toString(16).toUpperCase().charCodeAt(0);
      if (Buffer.from(changed).equals(bytes)) continue;
      const result = await verifySealedPdf(changed);
      expect(['changed', 'unrecorded']).toContain(result.verdict);
      if (i < 5 && (await pdfsigOf(changed)).isValid) unnoticed += 1;
    }
    expect(unnoticed).toBeGreaterThan(0);
  });

  test('without an answer of the authority nothing is sealed, unless the caller gives up the timestamp', async () => {
    config.timestampUrl = 'http://127.0.0.1:9/';
    try {
      expect(await codeOf(sealed())).toBe('UNAVAILABLE');
      expect((await sealed({ withoutTimestamp: true })).level).toBe('B-B');
    } finally {
      config.timestampUrl = undefined;
    }
  });

  test('a timestamp for something else is refused', async () => {
    await withTimestamps(async () => {
      await sealed();
      await timestamps.replay();
      expect(await codeOf(sealed())).toBe('UNAVAILABLE');
    });
    delete timestamps.state.replayed;
  });
});

describe('keys', () => {
  const load = async (actor: Actor, file: Uint8Array, password = 'open sesame', authenticatedAt = now()) =>
    loadSealKey(sessionAs(actor, { authenticatedAt }), { file, password });

  test.each([
    { key: 'ec', isLegacy: false },
    { key: 'rsa:3072', isLegacy: true },
  ] as const)('a loaded $key certificate seals from its date, and earlier seals stay good', async (kind) => {
    const before = await sealed();
    await load(olga, await pkcs12('Maple and Hart LLP', { password: 'open sesame', ...kind }));
    const [inUse, old] = await listSealKeys(olga);
    expect(inUse).toMatchObject({ origin: 'loaded', name: 'Maple and Hart LLP', lapse: 'later' });
    expect(inUse).not.toHaveProperty('replacedAt');
    expect(old?.replacedAt).toBeDefined();
    const after = await sealed();
    expect(after.keyId).toBe(inUse?.keyId);
    const { isValid, isTotal, says } = await pdfsigOf(after.bytes);
    expect({ isValid, isTotal }).toEqual({ isValid: true, isTotal: true });
    expect(says).toContain('Common Name: Maple and Hart LLP');
    expect(await verifySealedPdf(after.bytes)).toMatchObject({
      verdict: 'unchanged',
      notChecked: ['trust', 'revocation', 'time'],
    });
    expect(await verifySealedPdf(before.bytes)).toMatchObject({ verdict: 'unchanged', keyId: before.keyId });
    await renewSealKey(sessionAs(olga, { authenticatedAt: now() }));
    expect((await listSealKeys(olga))[0]).toMatchObject({ origin: 'portal', name: 'Maple & Hart' });
    expect((await verifySealedPdf(after.bytes)).verdict).toBe('unchanged');
  });

  test('a seal with a key of another time is found', async () => {
    const { bytes } = await sealed({ signedAt: Date.UTC(2020, 0, 1) });
    const result = await verifySealedPdf(bytes);
    expect(result.verdict).toBe('changed');
    expect(failed(result)).toEqual(['certificate']);
  });

  test('a file that cannot seal is refused, and the certificate in use stays', async () => {
    const password = 'open sesame';
    const [before] = await listSealKeys(olga);
    const good = await pkcs12('Maple', { password });
    expect(await codeOf(load(olga, good, 'wrong'))).toBe('CODE_WRONG');
    expect(await codeOf(load(olga, await pdfOfPages(1)))).toBe('TYPE_NOT_ALLOWED');
    expect(await codeOf(load(olga, new Uint8Array(200_001)))).toBe('TYPE_NOT_ALLOWED');
    expect(await codeOf(load(olga, await pkcs12('Maple', { password, key: 'rsa:1024' })))).toBe(
      'NOT_POSSIBLE',
    );
    const short = await pkcs12('Maple', { password, days: 1 });
    expect(await at(now() + 2 * DAY, () => codeOf(load(olga, short)))).toBe('EXPIRED');
    expect((await listSealKeys(olga))[0]).toEqual(before);
  });

  test('only who manages the firm sees and changes its certificate, with a recent sign-in', async () => {
    const file = await pkcs12('Maple', { password: 'open sesame' });
    for (const actor of [sam, ada, tom]) {
      expect(await codeOf(listSealKeys(actor))).toBe('FORBIDDEN');
      expect(await codeOf(load(actor, file))).toBe('FORBIDDEN');
      expect(await codeOf(renewSealKey(sessionAs(actor, { authenticatedAt: now() })))).toBe('FORBIDDEN');
    }
    expect(await codeOf(load(olga, file, 'open sesame', now() - 10 * MINUTE))).toBe('STEP_UP');
    expect(await codeOf(renewSealKey(sessionAs(olga, { authenticatedAt: now() - 10 * MINUTE })))).toBe(
      'STEP_UP',
    );
    const own = await listSealKeys(tina);
    const theirs = await listSealKeys(olga);
    expect(own.filter(({ keyId }) => theirs.some((key) => key.keyId === keyId))).toEqual([]);
  });
});

describe('preparing', () => {
  test('encrypted, damaged and too long files are refused with a code', async () => {
    const encrypted = await PDF.load(await pdfOfPages(1));
    encrypted.setProtection({ ownerPassword: 'owner' });
    expect(await codeOf(preparePdf(await encrypted.save()))).toBe('LOCKED');
    const locked = await PDF.load(await pdfOfPages(1));
    locked.setProtection({ userPassword: 'user' });
    expect(await codeOf(preparePdf(await locked.save()))).toBe('LOCKED');
    expect(await codeOf(preparePdf(Buffer.from('%PDF-1.7 and nothing else')))).toBe('UNREADABLE');
    expect(await codeOf(preparePdf(Buffer.from('a letter')))).toBe('UNREADABLE');
    expect(await codeOf(preparePdf(await pdfOfPages(501)))).toBe('TOO_LARGE');
    expect(await codeOf(preparePdf(new Uint8Array(50_000_001)))).toBe('TOO_LARGE');
  });

  test('a file whose signature forbids changes is refused', async () => {
    const pdf = await PDF.load(await pdfOfPages(1));
    const certified = (p: number) =>
      PdfDict.of({
        DocMDP: PdfDict.of({
          Type: PdfName.of('Sig'),
          Reference: PdfArray.of(
            PdfDict.of({
              TransformMethod: PdfName.of('DocMDP'),
              TransformParams: PdfDict.of({ P: PdfNumber.of(p) }),
            }),
          ),
        }),
      });
    pdf.getCatalog().set('Perms', certified(1));
    expect(await codeOf(preparePdf(await pdf.save()))).toBe('NOT_POSSIBLE');
    pdf.getCatalog().set('Perms', certified(2));
    expect(await codeOf(preparePdf(await pdf.save()))).toBeUndefined();
  });

  test('what was filled into a form becomes part of its page, and nothing runs on its own', async () => {
    const pdf = await PDF.load(await pdfOfPages(1));
    const form = pdf.getOrCreateForm();
    const field = form.createTextField('total');
    field.setValue('Total 4321');
    pdf.getPage(0)?.drawField(field, { x: 72, y: 600, width: 200, height: 24 });
    pdf.getCatalog().set('OpenAction', PdfDict.of({ S: PdfName.of('JavaScript') }));
    const { bytes, sha256, pages } = await preparePdf(await pdf.save());
    const prepared = await PDF.load(bytes);
    const read = await readPdf(
      { key: sha256, bytes: () => Readable.from(Buffer.from(bytes)), asker: { person: 'p', firm: 'f' } },
      { from: 1 },
    );
    if ('refused' in read) throw new Error(read.refused);
    expect(read.pages[0]?.runs.map(({ text }) => text)).toContain('Total 4321');
    expect(prepared.getForm()?.getFields() ?? []).toEqual([]);
    expect(prepared.getCatalog().has('OpenAction')).toBe(false);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(pages).toEqual([{ width: 595.28, height: 841.89 }]);
  });
});
