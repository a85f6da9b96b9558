import { afterEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, moveClock, now } from '#platform/clock.server.ts';
import { config } from '#platform/config.server.ts';
import { db } from '#platform/database.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { uploadAs, makeCast, pdf } from '../../support/cast.ts';

const { ada, sam, zoe, projectA, projectTwo } = await makeCast();
const large = await uploadAs(sam, projectA, 'large.pdf', 'x');
const GB = 1_000_000_000;

/** Sets the stored bytes of the firm and lets the cached total expire. */
async function setStoredBytes(bytes: number): Promise<void> {
  await db().updateTable('documents').set({ size: bytes }).where('document_id', '=', large.id).execute();
  moveClock(2 * MINUTE);
}
const upload = (actor = ada, place = projectA, query = '') =>
  apiAs(actor)(
    'POST',
    `/api/storage/v1/projects/${place.id}/documents?onConflict=rename&notify=false${query}`,
    {
      form: filesForm(['new.pdf', pdf('x')]),
    },
  );
const codesOf = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as { errors: { code: string }[] }).errors.map(({ code }) => code),
];
const inParts = (size: number) => {
  const metadata = {
    filename: 'parts.pdf',
    containerType: 'Project',
    containerId: projectA.id,
    onConflict: 'rename',
  };
  const encoded = Object.entries(metadata).map(
    ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = {
    'tus-resumable': '1.0.0',
    'upload-length': String(size),
    'upload-metadata': encoded.join(','),
  };
  return apiAs(ada)('POST', '/api/storage/v1/uploads', { headers });
};

afterEach(async () => {
  await db().deleteFrom('uploads').execute();
  await db().deleteFrom('limits').execute();
});

describe('a firm at its storage quota', () => {
  test('a firm at its quota cannot store more by any way, and other firms are not affected', async () => {
    await setStoredBytes(config.firmQuota);
    expect(await codesOf(await upload())).toEqual([507, ['QUOTA']]);
    expect((await inParts(1000)).status).toBe(507);
    expect((await upload(zoe, projectTwo)).status).toBe(200);
    await setStoredBytes(1000);
    expect((await upload()).status).toBe(200);
  });

  test('a plain form over the quota gets a message and keeps what was typed', async () => {
    await setStoredBytes(config.firmQuota);
    const answer = await upload(ada, projectA, '&r=/clientcenter/en-us/documents');
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('flash=') as string,
    ]);
    expect(
      await db()
        .selectFrom('documents')
        .select('name')
        .where('name', '=', 'new.pdf')
        .where('created_at', '>', now() - MINUTE)
        .execute(),
    ).toEqual([]);
    await setStoredBytes(1000);
  });

  test('an announced upload reserves its space until it is given up', async () => {
    await setStoredBytes(config.firmQuota - GB);
    expect([(await inParts(400_000_000)).status, (await inParts(400_000_000)).status]).toEqual([201, 201]);
    expect((await inParts(400_000_000)).status).toBe(507);
    await db().deleteFrom('uploads').execute();
    expect((await inParts(400_000_000)).status).toBe(201);
    await setStoredBytes(1000);
  });
});

test('a person uploads at most 5,000 documents an hour, without affecting others', async () => {
  const uploads = { limit_key: `uploads:${ada.contactId}`, used: 4999, resets_at: now() + HOUR };
  await db().insertInto('limits').values(uploads).execute();
  expect((await upload()).status).toBe(200);
  expect(await codesOf(await upload())).toEqual([429, ['TOO_MANY']]);
  expect((await inParts(1000)).status).toBe(429);
  expect((await upload(sam)).status).toBe(200);
  moveClock(HOUR + 1);
  expect((await upload()).status).toBe(200);
});
