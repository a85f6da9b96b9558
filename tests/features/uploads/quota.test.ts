import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { copyItems } from '#features/documents/filing/copying.server.ts';
import { folderCopyProgress, MAX_TOGETHER } from '#features/documents/filing/folder-copies.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { createBatch } from '#features/documents/publishing/batches.server.ts';
import { newBatch } from '#features/documents/publishing/publishing.ts';
import { startPhone } from '#features/tasks/task-links/links.server.ts';
import { claimPhone } from '#features/tasks/task-links/recipient.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { createReview } from '#features/tasks/document-review/document-reviews.server.ts';
import { ownTask } from '#features/tasks/tasks/own-questions.server.ts';
import { assertRoomOfFirm } from '#features/documents/uploads/quota.server.ts';
import type * as Blobs from '#platform/storage/blobs.server.ts';
import { HOUR, MINUTE, moveClock, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { unpackFlash } from '#platform/http/flash.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { blobFiles, uploadAs, pdf } from '../../support/cast.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { pdfOf } from '../../support/pdf.ts';
import { makePayments } from '../payments/support.ts';
import '../../../src/app.server.ts';

/** What happens while the bytes of a file are stored. */
const hook = vi.hoisted(() => ({ happens: () => Promise.resolve() }));
vi.mock('#platform/storage/blobs.server.ts', async (original) => {
  const real = await original<typeof Blobs>();
  const putBlob: typeof real.putBlob = async (...given) => {
    await hook.happens();
    return real.putBlob(...given);
  };
  return { ...real, putBlob };
});

const { ada, sam, zoe, clientA, projectA, projectTwo, firmOne, request } = await makePayments();
const large = await uploadAs(sam, projectA, 'large.pdf', 'x');
const GB = 1_000_000_000;
/** What is left where a form announces more or less than that. */
const ROOM = 10_000_000;

/** Sets the stored bytes of the firm and lets the cached total expire. */
async function setStoredBytes(bytes: number): Promise<void> {
  await db().updateTable('documents').set({ size: bytes }).where('document_id', '=', large.id).execute();
  moveClock(2 * MINUTE);
}
/** The bytes of the firm's other files. */
async function otherBytes(): Promise<number> {
  const documents = await db()
    .selectFrom('documents')
    .select((e) => e.fn.sum<number>('size').as('bytes'))
    .where('client_id', '=', clientA)
    .where('document_id', '<>', large.id)
    .executeTakeFirst();
  const staged = await db()
    .selectFrom('publish_files')
    .select((e) => e.fn.sum<number>('size').as('bytes'))
    .executeTakeFirst();
  return Number(documents?.bytes) + Number(staged?.bytes);
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

const refusedWith = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof PortalError ? error.code : String(error)),
  );
/** The code of a refusal: of the whole request, or of the file that it brings; undefined without one. */
async function refusalIn(answer: Response): Promise<string | undefined> {
  if (answer.status === 303) {
    const flash = /flash=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
    const { items, key } = unpackFlash(flash) ?? {};
    return items?.[0]?.codes?.[0] ?? (key === 'full' || key === 'documentNoRoom' ? 'QUOTA' : undefined);
  }
  const { errors, data } = (await answer.json()) as {
    errors?: { code: string }[];
    data?: { refused?: { code: string }[] };
  };
  return errors?.[0]?.code ?? data?.refused?.[0]?.code;
}
/** Posts a form; without an announced size as a browser does that does not know it. */
const post = async (
  actor: typeof ada | undefined,
  path: string,
  form: FormData,
  announced?: number,
  headers: Record<string, string> = {},
) =>
  refusalIn(
    await apiAs(actor)('POST', path, {
      form,
      headers: { ...headers, ...(announced !== undefined && { 'content-length': String(announced) }) },
    }),
  );
const formWith = (field: string, bytes: Uint8Array, fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(field, new File([new Uint8Array(bytes)], 'file.pdf'));
  return form;
};
const toProject = { containerType: 'Project', containerId: projectA.id } as const;
let folders = 0;
async function folderWith(documents: number): Promise<string> {
  const parent = { parentId: projectA.id, parentType: 'Project' } as const;
  const folder = await createFolder(sam, { name: `Folder ${(folders += 1)}`, ...parent });
  for (let i = 0; i < documents; i += 1) await uploadAs(sam, folder, `${i}.pdf`, String(i));
  return folder.id;
}
const FILES = 'request.item-1';
const newTask = async (): Promise<string> => {
  const items = [{ label: 'Statements', kind: 'files' as const, isRequired: true }];
  const asked = { title: 'Papers', message: '', taxYear: '2025', dueDate: '', items };
  return (await createTask(sam, { clientId: clientA, ...ownTask(asked, 'en-us') })).taskId;
};
const VERSION = 'review.document-1';
async function reviewToChange(): Promise<string> {
  const letter = await uploadAs(sam, projectA, 'letter.pdf', 'letter');
  const asked = { clientId: clientA, documentIds: [letter.id], title: 'Letter', message: '', dueDate: null };
  const { taskId } = await createReview(sam, { ...asked, sendNotification: false }, 'en-us');
  await saveAnswers(ada, taskId, [
    { path: VERSION, value: 'change' },
    { path: `${VERSION}-why`, value: 'My name is wrong' },
  ]);
  await performAction(ada, taskId, 'submit');
  return taskId;
}
const photo = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#fff' } })
  .jpeg()
  .toBuffer();
const R = `r=${encodeURIComponent('/clientcenter/en-us/documents')}`;
const copyOf = async (what: { documentIds?: string[]; folderIds?: string[] }) => {
  const [copied] = await copyItems(sam, { ...toProject, documentIds: [], folderIds: [], ...what });
  return copied?.result === 'QUOTA' ? 'QUOTA' : undefined;
};

/** Sends or copies a file, with an announced size where it has one; returns the code of the refusal. */
type Way = (announced?: number) => Promise<string | undefined>;
const documentsPath = `/api/storage/v1/projects/${projectA.id}/documents?onConflict=rename`;
const batchPath = async () =>
  `/api/storage/v1/publish-batches/${await createBatch(sam, newBatch.parse({ name: 'Payslips', year: 2026 }))}/files`;
/** All ways by which bytes come into the documents of a firm; each is prepared while there is space. */
const WAYS: Record<string, () => Promise<Way>> = {
  'an upload': () =>
    Promise.resolve((announced) => post(ada, documentsPath, filesForm(['new.pdf', pdf('x')]), announced)),
  'an upload from a plain form': () =>
    Promise.resolve((announced) =>
      post(ada, `${documentsPath}&${R}`, filesForm(['new.pdf', pdf('x')]), announced),
    ),
  'an upload in parts': () =>
    Promise.resolve(async () => ((await inParts(1000)).status === 507 ? 'QUOTA' : undefined)),
  'a copy': async () => {
    const { id } = await uploadAs(sam, projectA, 'copied.pdf', 'copied');
    return () => copyOf({ documentIds: [id] });
  },
  'a copy of a folder': async () => {
    const id = await folderWith(1);
    return () => copyOf({ folderIds: [id] });
  },
  'a copy of a large folder': async () => {
    const id = await folderWith(MAX_TOGETHER + 1);
    return () => copyOf({ folderIds: [id] });
  },
  'a scan': () =>
    Promise.resolve((announced) =>
      post(ada, `/api/storage/v1/projects/${projectA.id}/scans`, filesForm(['1.jpg', photo]), announced),
    ),
  'a file of a task': async () => {
    const path = `/api/client-center/v3/tasks/${await newTask()}/sections/request`;
    return (announced) => post(ada, path, formWith(`files:${FILES}`, pdf('x')), announced);
  },
  'a file from the phone': async () => {
    const taskId = await newTask();
    return async (announced) => {
      const { token } = await startPhone(ada, taskId, FILES);
      const visit = (await claimPhone(token, undefined, 'phone')) ?? '';
      const form = formWith(`files:${FILES}`, pdf('x'), { phone: '1', lang: 'en-us' });
      const headers = { cookie: `task-visit=${visit}` };
      return post(undefined, `/api/client-center/v3/task-links/${token}`, form, announced, headers);
    };
  },
  'a new version': async () => {
    const path = `/api/client-center/v3/tasks/${await reviewToChange()}/versions`;
    return (announced) =>
      post(sam, path, formWith(`file:${VERSION}`, pdf('x'), { submission: '1' }), announced);
  },
  'a document to sign': () =>
    Promise.resolve(() =>
      post(
        sam,
        `/api/client-center/v3/signing/clients/${clientA}/documents`,
        formWith('file', pdfOf(['Letter'])),
      ),
    ),
  'an invoice': () =>
    Promise.resolve(() =>
      refusedWith(request({ file: new File([new Uint8Array(pdf('x'))], 'Invoice.pdf') })),
    ),
  'a file of a batch': async () => {
    const path = await batchPath();
    return (announced) => post(sam, path, filesForm(['new.pdf', pdf('x')]), announced);
  },
  'a file of a batch from a plain form': async () => {
    const path = await batchPath();
    return (announced) => post(sam, `${path}?${R}`, filesForm(['new.pdf', pdf('x')]), announced);
  },
};
const ANNOUNCED = [
  'an upload',
  'an upload from a plain form',
  'a scan',
  'a file of a task',
  'a file from the phone',
  'a new version',
  'a file of a batch',
  'a file of a batch from a plain form',
];
const allStored = async () => ({
  documents: await db().selectFrom('documents').select('document_id').execute(),
  blobs: (await blobFiles()).length,
});

afterEach(async () => {
  await db().deleteFrom('uploads').execute();
  await db().deleteFrom('limits').execute();
});

describe('a firm at its storage quota', () => {
  test.each(Object.entries(WAYS))('no bytes come in by %s', async (_, send) => {
    const way = await send();
    await setStoredBytes(config.firmQuota);
    const before = await allStored();
    expect(await way()).toBe('QUOTA');
    await setStoredBytes(config.firmQuota - (await otherBytes()) - 1);
    expect(await way(1000), 'with space for one byte').toBe('QUOTA');
    expect(await allStored()).toEqual(before);
    await setStoredBytes(1000);
    expect(await way(), 'with enough space').toBeUndefined();
  });

  test('the documents of a large folder wait for space, and other firms are not affected', async () => {
    const folder = await folderWith(MAX_TOGETHER + 1);
    const [copy] = await copyItems(sam, { ...toProject, documentIds: [], folderIds: [folder] });
    await setStoredBytes(config.firmQuota);
    await runDueJobs();
    expect(await folderCopyProgress(sam, copy?.newId ?? '')).toMatchObject({ done: 0, isFull: true });
    expect((await upload(zoe, projectTwo)).status).toBe(200);
    await setStoredBytes(1000);
    moveClock(HOUR);
    await runDueJobs();
    expect(await folderCopyProgress(sam, copy?.newId ?? '')).toBeUndefined();
  });

  test.each(ANNOUNCED)('the space for %s is reserved until it is stored, and no longer', async (name) => {
    const way = await WAYS[name]?.();
    await setStoredBytes(config.firmQuota - ROOM);
    const meanwhile: unknown[] = [];
    hook.happens = async () => {
      hook.happens = () => Promise.resolve();
      meanwhile.push(await refusedWith(assertRoomOfFirm(firmOne, ROOM / 2)));
    };
    expect(await way?.(0.6 * ROOM)).toBeUndefined();
    expect(meanwhile).toEqual(['QUOTA']);
    await expect(assertRoomOfFirm(firmOne, 0.9 * ROOM)).resolves.toBeUndefined();
    await setStoredBytes(1000);
  });

  test('of two uploads that begin at once, the space of one is not given to the other', async () => {
    await setStoredBytes(config.firmQuota - ROOM);
    const way = await WAYS['an upload']?.();
    const answers = await Promise.all([way?.(0.6 * ROOM), way?.(0.6 * ROOM)]);
    expect(new Set(answers), 'one of them, whichever').toEqual(new Set([undefined, 'QUOTA']));
    await setStoredBytes(1000);
  });

  test('the files of a form that fits are all stored, one after the other', async () => {
    await setStoredBytes(config.firmQuota - ROOM);
    const file = pdf('x'.repeat(0.4 * ROOM));
    const form = filesForm(['first.pdf', file], ['second.pdf', file]);
    expect(await post(ada, `${documentsPath}&${R}`, form, 0.9 * ROOM)).toBeUndefined();
    await setStoredBytes(1000);
    const answers = new FormData();
    for (const name of ['first.pdf', 'second.pdf'])
      answers.append(`files:${FILES}`, new File([new Uint8Array(file)], name));
    const path = `/api/client-center/v3/tasks/${await newTask()}/sections/request`;
    await setStoredBytes(config.firmQuota - 2 * ROOM); // the files before take most of one
    expect(await post(ada, path, answers, 0.9 * ROOM)).toBeUndefined();
    await setStoredBytes(1000);
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
