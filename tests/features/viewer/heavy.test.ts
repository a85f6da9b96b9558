import type * as Threads from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { viewDocument } from '#features/documents/viewer/viewer.server.ts';
import { apiAs, sessionAs } from '../../support/api.ts';
import { fileOf, makeCast } from '../../support/cast.ts';
import { pdfOf, pdfWith } from '../../support/pdf.ts';

/* The time that a page takes is that of the thread that reads it. */

/** The processor time that the thread reports for each page, in ms; the time that it took if undefined. */
const reported = vi.hoisted(() => ({
  cpu: undefined as number | undefined,
  /** What it reports while it works, in µs. */
  working: undefined as number | undefined,
}));
vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof Threads>();
  class SlowWorker extends real.Worker {
    override emit(event: string | symbol, ...given: unknown[]): boolean {
      const [answer] = given;
      const isTimed = typeof answer === 'object' && answer !== null && 'cpu' in answer;
      if (!isTimed || reported.cpu === undefined) return super.emit(event, ...given);
      return super.emit(event, { ...answer, cpu: reported.cpu });
    }
    override async cpuUsage(begun?: NodeJS.CpuUsage): Promise<NodeJS.CpuUsage> {
      const { working } = reported;
      return working === undefined || !begun ? super.cpuUsage(begun) : { user: working, system: 0 };
    }
  }
  return { ...real, Worker: SlowWorker };
});
afterEach(() => Object.assign(reported, { cpu: undefined, working: undefined }));

const { ada, sam, projectA } = await makeCast();

const put = (name: string): Promise<Document> =>
  addDocument(sam, {
    containerType: 'Project',
    containerId: projectA.id,
    name: `${name}.pdf`,
    bytes: fileOf(pdfOf([`${name} one`, 'two', 'three'])),
    onConflict: 'fail',
  });
const image = async ({ id }: Document, page: number): Promise<number> =>
  (await apiAs(ada)('GET', `/api/storage/v1/documents/${id}/pages/${page}?width=700`)).status;
const view = ({ id }: Document, find?: string) =>
  viewDocument(sessionAs(ada), id, { page: 1, ...(find !== undefined && { find }) });

test('the first job of a thread does not count against its file', async () => {
  const cold = await put('Cold');
  reported.cpu = 2001;
  expect([await image(cold, 1), await image(cold, 2)]).toEqual([200, 200]);
  expect(await image(cold, 3)).toBe(200);
  expect((await view(cold)).kind).toBe('none');
});

test('a PDF that took the thread more than two seconds twice is not given to it again', async () => {
  const heavy = await put('Heavy');
  expect(await image(await put('Warm'), 1)).toBe(200);
  reported.cpu = 2001;
  expect([await image(heavy, 1), await image(heavy, 2)]).toEqual([200, 200]);
  expect(await view(heavy)).toEqual({ kind: 'none', because: 'tooHeavy' });
  expect(await image(heavy, 3)).toBe(422);
});

test('a PDF is read again as long as its pages take up to two seconds, and after searches that take longer', async () => {
  const light = await put('Light');
  reported.cpu = 2000;
  expect([await image(light, 1), await image(light, 2)]).toEqual([200, 200]);
  reported.cpu = 2001;
  for (const find of ['one', 'two', 'three']) expect((await view(light, find)).kind).toBe('pages');
  expect(await image(light, 3)).toBe(200);
});

test('a PDF is aborted when its thread has used its processor time, however little time has passed', async () => {
  const curves = Array.from(
    { length: 300_000 },
    (_, i) => `${i % 500} 0 m ${i % 7} 700 10 10 ${i % 300} 400 c S`,
  );
  const endless = await addDocument(sam, {
    containerType: 'Project',
    containerId: projectA.id,
    name: 'Endless.pdf',
    bytes: fileOf(pdfWith({ content: curves.join('\n') })),
    onConflict: 'fail',
  });
  reported.working = 5_000_001;
  const answer = await apiAs(ada)('GET', `/api/storage/v1/documents/${endless.id}/pages/1?width=1700`);
  expect(await answer.json()).toMatchObject({ errors: [{ code: 'TOO_HEAVY' }] });
  expect(await view(endless)).toEqual({ kind: 'none', because: 'tooHeavy' });
});
