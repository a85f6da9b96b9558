import { afterAll, expect, test } from 'vitest';
import { startS3 } from '../../scripts/services.mjs';
import { newPlace, removePlaces, startPortal } from './support.ts';

/* A portal with a wrong BLOB_URL does not start: it would look well and lose every upload. */

const s3 = await startS3();
afterAll(async () => {
  removePlaces();
  await s3.stop();
});

const changed = (change: (url: URL) => void): string => {
  const url = new URL(s3.url);
  change(url);
  return url.href;
};

test.each([
  ['a wrong secret', changed((url) => (url.password = 'wrong')), 'it refuses the key'],
  ['a missing bucket', changed((url) => (url.pathname = '/no-such-bucket')), 'there is no such bucket'],
  ['no server', changed((url) => (url.port = '1')), 'it does not answer'],
])('with %s the portal does not start, and says why and what to check', async (_, url, reason) => {
  const { code, said } = await startPortal(newPlace(), { BLOB_URL: url });
  expect(said).toContain(`BLOB_URL names a store that cannot be used: ${reason}`);
  expect(said).toContain('Check its address, bucket, region and key');
  expect(said, 'the key stays secret').not.toContain(new URL(s3.url).password);
  expect(code).toBe(1);
});
