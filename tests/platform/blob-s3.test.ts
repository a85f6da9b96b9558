import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseS3Url, s3Store } from '#platform/storage/blob-s3.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { openFakeS3, type FakeS3, type S3Fault, type S3Request } from '../support/fake-s3.ts';

/*
 * Properties of a bucket that a folder does not have: it is remote, fails temporarily, loses responses, and
 * keeps incomplete uploads.
 */

const MEGABYTE = 1024 * 1024;
const PART = 5 * MEGABYTE;

/*
 * On a busy machine a request to the fake takes a second, and a short timeout would itself be the fault: only requests
 * that are never answered wait so long.
 */
const IDLE = 1500;
const PATIENT = { idle: IDLE, total: 60_000, pause: 2 };
const MAX_ATTEMPTS = 7;

let s3: FakeS3;
let store: ReturnType<typeof s3Store>;

beforeAll(async () => {
  s3 = await openFakeS3();
  store = s3Store(s3.url, PATIENT);
});
beforeEach(() => {
  s3.control.faultOf = () => 'none';
  s3.objects.clear();
  s3.uploads.clear();
  s3.requests.length = 0;
});
afterAll(() => s3.close());

const source = (bytes: Buffer, piece = 65_536): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) =>
      bytes.subarray(i * piece, (i + 1) * piece),
    ),
  );
const read = async (key: string, start: number, end: number, from = store): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(from.get(key, { start, end })));
const held = (key: string): Buffer | undefined => s3.objects.get(`portal/${key}`)?.bytes;
const code = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code ?? String(error),
  );

/** Injects `fault` into the first requests of an action, as many as `times`. */
function failFirst(action: S3Request['action'], fault: S3Fault, times = 1): void {
  let left = times;
  s3.control.faultOf = (request) => (request.action === action && left-- > 0 ? fault : 'none');
}

test.each([0, 1, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 17])(
  '%i bytes are stored in the bucket and read back byte for byte',
  async (size) => {
    const bytes = randomBytes(size);
    const key = randomUUID();
    await store.put(key, source(bytes));
    expect(held(key)?.equals(bytes)).toBe(true);
    expect(s3.uploads.size).toBe(0);
    if (size > 10) expect((await read(key, 3, size - 2)).equals(bytes.subarray(3, size - 1))).toBe(true);
  },
);

test('an S3 URL is parsed into its parts', () => {
  expect(parseS3Url('s3://KEY:se%2Fcret@s3.example/bucket/a/b?region=eu-west-1')).toEqual({
    endpoint: 'https://s3.example/bucket',
    region: 'eu-west-1',
    accessKeyId: 'KEY',
    secretAccessKey: 'se/cret',
    prefix: 'a/b/',
  });
  expect(parseS3Url('s3+http://k:s@127.0.0.1:9000/b')).toEqual({
    endpoint: 'http://127.0.0.1:9000/b',
    region: 'us-east-1',
    accessKeyId: 'k',
    secretAccessKey: 's',
    prefix: '',
  });
});

const SMALL: [S3Request['action'], S3Fault][] = [
  ...(
    [
      '500',
      'slow-down',
      'reset',
      'reset-after',
      'silence',
      'slow',
      'damaged',
      'wrong-size-after',
      'missing-after',
    ] as const
  ).map((fault): [S3Request['action'], S3Fault] => ['PutObject', fault]),
  ...(['500', 'slow-down', 'reset', 'silence'] as const).map((fault): [S3Request['action'], S3Fault] => [
    'HeadObject',
    fault,
  ]),
];

test.each(SMALL)('a small file is stored completely though %s fails once: %s', async (action, fault) => {
  failFirst(action, fault);
  const bytes = randomBytes(1000);
  await store.put('small', source(bytes));
  expect(held('small')?.equals(bytes)).toBe(true);
});

const LARGE: [S3Request['action'], S3Fault][] = [
  ...(['500', 'slow-down', 'reset', 'silence'] as const).flatMap((fault) =>
    (['CreateUpload', 'UploadPart', 'CompleteUpload', 'HeadObject'] as const).map(
      (action): [S3Request['action'], S3Fault] => [action, fault],
    ),
  ),
  ['UploadPart', 'reset-after'],
  ['UploadPart', 'damaged'],
  ['CompleteUpload', 'reset-after'],
  ['CompleteUpload', '200-with-error'],
  ['CompleteUpload', 'missing-after'],
];

test.each(LARGE)('a large file is stored completely though %s fails once: %s', async (action, fault) => {
  failFirst(action, fault);
  const bytes = randomBytes(PART + 1000);
  await store.put('large', source(bytes));
  expect(held('large')?.equals(bytes)).toBe(true);
  expect(s3.uploads.size).toBe(0);
});

test.each<S3Fault>(['truncated', 'stalled-body', 'reset', '500', 'silence'])(
  'an interrupted download from the bucket resumes: %s',
  async (fault) => {
    const bytes = randomBytes(2 * MEGABYTE);
    await store.put('torn', source(bytes));
    failFirst('GetObject', fault, 3);
    expect((await read('torn', 0, bytes.length - 1)).equals(bytes)).toBe(true);
  },
);

test('a slow reader of an S3 object does not time out', async () => {
  const bytes = randomBytes(4 * MEGABYTE);
  await store.put('patient', source(bytes));
  const began = performance.now();
  const digest = createHash('sha256');
  for await (const chunk of store.get('patient', { start: 0, end: bytes.length - 1 })) {
    digest.update(chunk);
    while (performance.now() - began < IDLE * 1.5) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(digest.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(s3.requests.filter(({ action }) => action === 'GetObject')).toHaveLength(1);
});

/** A failed upload waits a moment for what it removes, which goes on afterwards. */
const nothingIsLeft = () => expect.poll(() => [...s3.objects.keys(), ...s3.uploads.keys()]).toEqual([]);

test.each<[string, S3Fault, number]>([
  ['keeps other bytes than it was given', 'wrong-size-after', 1000],
  ['keeps fewer bytes of a large file than it was given', 'wrong-size-after', PART + 1000],
  ['refuses everything for a moment, again and again', 'slow-down', 1000],
  [
    'refuses everything for a moment, again and again, in the middle of a large file',
    'slow-down',
    PART + 1000,
  ],
])('when the store %s, the upload is not acknowledged and nothing is left', async (_, fault, size) => {
  s3.control.faultOf = ({ action }) =>
    ['PutObject', 'CompleteUpload', 'UploadPart'].includes(action) ? fault : 'none';
  expect(await code(store.put('lost', source(randomBytes(size))))).toBe('UNAVAILABLE');
  await nothingIsLeft();
});

test('an unreachable S3 store is UNAVAILABLE and is used again once it is back', async () => {
  await s3.close();
  expect(await code(store.put('away', source(randomBytes(10))))).toBe('UNAVAILABLE');
  expect(await code(read('away', 0, 9))).toBe('UNAVAILABLE');
  expect(await code(store.remove('away'))).toBe('UNAVAILABLE');
  await s3.reopen();
  await store.put('away', source(Buffer.from('back again')));
  expect((await read('away', 0, 9)).toString()).toBe('back again');
});

test('a store that refuses the key is unavailable, not damaged, and is not asked again', async () => {
  s3.control.faultOf = () => '403';
  expect(await code(store.put('forbidden', source(randomBytes(10))))).toBe('UNAVAILABLE');
  expect(s3.requests.filter(({ action }) => action === 'PutObject')).toHaveLength(1);
  expect(await code(read('nowhere', 0, 9))).toBe('UNAVAILABLE');
});

test('a missing bucket is unavailable, and only a missing object is reported as missing', async () => {
  s3.control.faultOf = () => 'no-bucket';
  expect(await code(read('nowhere', 0, 9))).toBe('UNAVAILABLE');
  expect(await code(store.put('nowhere', source(randomBytes(2 * PART))))).toBe('UNAVAILABLE');
  s3.control.faultOf = () => 'none';
  await expect(read('nowhere', 0, 9)).rejects.toMatchObject({ code: 'NoSuchKey' });
});

test('a probe passes on a store that works, leaves nothing, and fails on one that does not', async () => {
  await store.probe?.();
  expect(s3.objects.size).toBe(0);
  for (const action of ['PutObject', 'GetObject', 'DeleteObject'] as const) {
    s3.control.faultOf = (request) => (request.action === action ? '403' : 'none');
    expect(await code(store.probe?.() ?? Promise.resolve())).toBe('UNAVAILABLE');
  }
});

const REFUSING: [megabytes: number, action: S3Request['action']][] = [
  [1, 'PutObject'],
  ...[6, 60].flatMap((size): [number, S3Request['action']][] =>
    (['CreateUpload', 'UploadPart', 'CompleteUpload'] as const).map((action) => [size, action]),
  ),
];

test.each(REFUSING)(
  'an upload of %i MB ends when the store refuses every %s, and its source can be read to the end',
  async (size, action) => {
    s3.control.faultOf = (request) => (request.action === action ? '500' : 'none');
    const from = source(randomBytes(size * MEGABYTE));
    const chunks = async function* (): AsyncGenerator<Buffer> {
      yield* from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    };
    expect(await code(store.put('refused', chunks()))).toBe('UNAVAILABLE');
    expect(s3.requests.filter((request) => request.action === action)).toHaveLength(MAX_ATTEMPTS);
    await finished(from.resume());
    expect(from.readableEnded).toBe(true);
  },
);

test('an upload aborted by its sender leaves nothing in the bucket', async () => {
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield randomBytes(PART + 10);
    await Promise.resolve();
    throw new Error('the sender hung up');
  };
  expect(await code(store.put('broken', broken()))).toContain('hung up');
  await nothingIsLeft();
});

test('a slow S3 upload is not swept, but one left by another process is', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = async function* (): AsyncGenerator<Buffer> {
    yield randomBytes(PART);
    await gate.promise;
    yield randomBytes(10);
  };
  const coming = store.put('coming', slow());
  await expect.poll(() => s3.requests.some(({ action }) => action === 'UploadPart')).toBe(true);
  s3.uploads.set('left-by-a-crash', { key: 'portal/crashed', parts: new Map(), initiated: 0 });
  s3.uploads.set('somebody-elses', { key: 'elsewhere/crashed', parts: new Map(), initiated: 0 });
  const listed = await Array.fromAsync(store.list());
  expect(listed.toSorted((a, b) => a.modifiedAt - b.modifiedAt)).toEqual([
    { key: 'crashed', size: 0, modifiedAt: 0, unfinished: true },
    // as recent as possible
    { key: 'coming', size: 0, modifiedAt: expect.closeTo(Date.now(), -4) as number, unfinished: true },
  ]);
  await store.abandon('crashed');
  gate.resolve();
  await coming;
  expect([...s3.uploads.keys()]).toEqual(['somebody-elses']);
});

test('a bucket with more objects than fit in one response is listed completely', async () => {
  for (let i = 0; i < 2300; i += 1)
    s3.objects.set(`portal/${String(i).padStart(5, '0')}`, { bytes: Buffer.from('x'), modifiedAt: 5 });
  s3.objects.set('elsewhere/x', { bytes: Buffer.from('x'), modifiedAt: 5 });
  const listed = await Array.fromAsync(store.list());
  expect(new Set(listed.map(({ key }) => key)).size).toBe(2300);
  expect(listed[0]).toEqual({ key: '00000', size: 1, modifiedAt: 5, unfinished: false });
});

test(
  'when one request in ten fails, 999 in 1,000 files are stored, read and removed, and no acknowledged one is lost',
  { timeout: 240_000 },
  async () => {
    const patient = s3Store(s3.url, { ...PATIENT, idle: 5000 });
    const kinds: Partial<Record<S3Request['action'], S3Fault[]>> = {
      PutObject: [
        '500',
        'slow-down',
        'reset',
        'reset-after',
        'silence',
        'slow',
        'damaged',
        'wrong-size-after',
        'missing-after',
      ],
      GetObject: ['500', 'slow-down', 'reset', 'silence', 'truncated', 'stalled-body'],
      UploadPart: ['500', 'slow-down', 'reset', 'reset-after', 'damaged'],
      CompleteUpload: ['500', 'reset-after', '200-with-error', 'missing-after'],
    };
    let seed = 7;
    const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let faults = 0;
    s3.control.faultOf = ({ action }) => {
      if (chance() >= 0.1) return 'none';
      faults += 1;
      const possible = kinds[action] ?? ['500', 'slow-down', 'reset'];
      return possible[Math.floor(chance() * possible.length)] ?? '500';
    };
    const results = { done: 0, refused: 0, wrong: 0 };
    const acked = new Map<string, Buffer>();
    const storeOne = async (i: number): Promise<void> => {
      const key = randomUUID();
      const bytes = randomBytes(i % 50 === 0 ? PART + i : 1 + ((i * 977) % 40_000));
      const outcome = await code(patient.put(key, source(bytes)));
      if (outcome !== 'done') return void (results.refused += 1);
      results.done += 1;
      const back = await read(key, 0, bytes.length - 1, patient).catch(() => undefined);
      if (back === undefined) return void (results.refused += 1);
      results.done += 1;
      if (!back.equals(bytes)) results.wrong += 1;
      if (i % 3 > 0) return void acked.set(key, bytes);
      if ((await code(patient.remove(key))) === 'done') results.done += 1;
      else results.refused += 1;
    };
    const lanes = Array.from({ length: 20 }, async (_, lane) => {
      for (let i = lane; i < 400; i += 20) await storeOne(i);
    });
    await Promise.all(lanes);
    s3.control.faultOf = () => 'none';

    expect(faults).toBeGreaterThan(100);
    expect(results.wrong).toBe(0);
    expect(results.refused / (results.done + results.refused)).toBeLessThanOrEqual(0.001);
    for (const [key, bytes] of acked)
      expect(held(key)?.equals(bytes), 'what was acknowledged is there').toBe(true);
    for await (const { key, unfinished } of patient.list()) if (unfinished) await patient.abandon(key);
    expect(s3.uploads.size, 'no upload is left over after a sweep').toBe(0);
  },
);
