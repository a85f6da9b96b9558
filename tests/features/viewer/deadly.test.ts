import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { apiAs } from '../../support/api.ts';
import { fileOf, makeCast } from '../../support/cast.ts';
import { GRACE } from '../../support/whole.ts';

const { ada, sam, projectA } = await makeCast();

/** A page with too many curves to be rendered in time. */
const CURVES = Array.from(
  { length: 400_000 },
  (_, i) => `${i % 500} ${i % 700} m ${(i * 7) % 500} ${(i * 13) % 700} 10 10 ${i % 300} 400 c S`,
).join('\n');
const ENDLESS = `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>\nendobj\n4 0 obj\n<</Length ${CURVES.length}>>\nstream\n${CURVES}\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`;

const put = (name: string, bytes: string | Buffer) =>
  addDocument(sam, {
    containerType: 'Project',
    containerId: projectA.id,
    name,
    bytes: fileOf(bytes),
    onConflict: 'fail',
  });
const image = async ({ id }: { id: string }): Promise<number> =>
  (await apiAs(ada)('GET', `/api/storage/v1/documents/${id}/pages/1?width=1700`)).status;

test('a PDF that takes too long to render is aborted without affecting others, and not retried soon', async () => {
  const endless = await put('Endless.pdf', ENDLESS);
  const letter = await put(
    'Letter.pdf',
    readFileSync(
      path.join(import.meta.dirname, '../../../src/features/demo/demo/files/engagement-letter.pdf'),
    ),
  );
  const [first, ...after] = await Promise.all([image(endless), image(letter), image(letter)]);
  expect([first, after]).toEqual([422, [200, 200]]);
  const started = performance.now();
  expect([await image(endless), performance.now() - started < 1000 + GRACE]).toEqual([422, true]);
});
