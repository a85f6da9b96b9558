import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { verifyReceipts } from '#features/base/receipts/verification.server.ts';
import { activityOf, activityOfClient } from '#features/office/staff/audit-log.server.ts';
import { revokeAllTaskLinks, sweepTaskLinks } from '#features/tasks/task-links/ending.server.ts';
import { askSomeone, peopleAsked, revokeTaskLink } from '#features/tasks/task-links/links.server.ts';
import { decideProposal, openProposals, proposedFile } from '#features/tasks/task-links/proposals.server.ts';
import { addLinkFile, openTaskLink, saveLinkAnswers } from '#features/tasks/task-links/recipient.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import { assertRoomOfFirm } from '#features/documents/uploads/quota.server.ts';
import { sweepBlobs } from '#platform/storage/blobs.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { setScannerAddress } from '#platform/storage/clamd.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { API_ROUTES } from '../../../src/api.server.ts';
import { addressOf, fixturesFor } from '../../authz/features.ts';
import type { Kind } from '../../authz/things.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { blobFiles, everyRow, fileOf, makeCast, pdf, readAll, standAt } from '../../support/cast.ts';
import { failInserts } from '../../support/faults.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';

/*
 * Files that somebody sends by the link of a task belong to the link until the contact accepts them: the firm sees
 * nothing of them (docs/decisions/0084).
 */

const { ada, ben, cleo, sam, clientA } = await makeCast();

const CODE = 'k7m2p9qx';
const FILES = 'work.papers';
const OTHERS = 'work.others';
/** In the name and the bytes of what is sent in a test. */
let mark = '';
let marks = 0;
const text = (en: string) => ({ 'en-us': en });

interface Asked {
  taskId: string;
  linkId: string;
  token: string;
  visits: string;
}

let asked: Asked;

beforeEach(async () => {
  marks += 1;
  mark = `CANARY-${marks}-`;
  asked = await ask();
});

/** Olivia of the demo is Ada here: she asks Sam Spouse for a step that asks for files. */
async function ask(): Promise<Asked> {
  const { taskId } = await createTask(sam, {
    clientId: clientA,
    type: 'questionnaire',
    label: 'Organizer',
    form: {
      format: 1,
      key: 'work',
      country: 'US',
      languages: ['en-us'],
      label: text('Work'),
      sections: [
        {
          key: 'work',
          label: text('Work'),
          items: [
            { kind: 'files', key: 'papers', label: text('Papers'), max: 3 },
            { kind: 'files', key: 'others', label: text('Others'), max: 3 },
          ],
        },
      ],
    },
  });
  const email = `${taskId}@spouse.example`;
  await askSomeone(
    ada,
    taskId,
    { section: 'work', person: 'Sam Spouse', email, code: CODE, days: 7, showsAnswers: false, message: '' },
    'en-us',
  );
  const [link] = await peopleAsked(ada, taskId);
  const token = await tokenFor(email);
  const visits = await openTaskLink(token, CODE, taskId);
  return { taskId, linkId: link?.linkId ?? '', token, visits };
}

const queued = async (): Promise<string[]> =>
  (await db().selectFrom('jobs').selectAll().execute()).map((job) =>
    decryptFrom('jobs.payload', job.job_id, job.payload),
  );

async function tokenFor(email: string): Promise<string> {
  const mail = (await queued()).find((body) => body.includes(email));
  return /task-link\/([\w-]{43})/.exec(mail ?? '')?.[1] ?? '';
}

const sendFile = (path = FILES, name = `${mark}name.pdf`, content = `${mark}bytes`): Promise<void> =>
  addLinkFile(asked.token, asked.visits, path, { name, bytes: fileOf(pdf(content)) });

const sendAll = () =>
  saveLinkAnswers(asked.token, asked.visits, { posted: new FormData(), isSent: true, lang: 'en-us' });

const waiting = () =>
  db().selectFrom('task_link_files').selectAll().where('link_id', '=', asked.linkId).execute();

const documentsNamed = (name: string) =>
  db().selectFrom('documents').selectAll().where('name', '=', name).execute();

const refused = (code: string) => expect.objectContaining({ code }) as unknown;

const PREFIXES: Partial<Record<Kind, readonly string[]>> = {
  client: ['client'],
  project: ['project'],
  folder: ['folder'],
  'any container': ['client', 'project', 'folder'],
  'any document': ['doc'],
  'document in client': ['doc'],
  'document in project': ['doc'],
  'document in folder': ['doc'],
  firm: ['firm'],
  company: ['firm'],
  contact: ['contact'],
  user: ['user'],
  mail: ['mail'],
  task: ['task'],
  'task group': ['taskgroup'],
};

/** Calls every read with every id that an answer has shown, until there are no new ones. */
async function crawl(call: ReturnType<typeof apiAs>): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (let round = 0, before = -1; round < 4 && before !== answers.size; round += 1) {
    before = answers.size;
    const all = `${clientA} ${asked.taskId} ${[...answers.values()].join('\n')}`;
    const idsOf = (kind: Kind): string[] =>
      (PREFIXES[kind] ?? []).flatMap((prefix) => [
        ...new Set(all.match(new RegExp(`\\b${prefix}_[0-9a-f]{32}\\b`, 'g'))),
      ]);
    for (const route of API_ROUTES.filter(({ method, who }) => method === 'get' && who !== 'demo'))
      for (const { ids, send } of fixturesFor(route)) {
        const combined = Object.entries(ids).reduce<Record<string, string>[]>(
          (sofar, [name, kind]) => sofar.flatMap((one) => idsOf(kind).map((id) => ({ ...one, [name]: id }))),
          [{}],
        );
        for (const one of combined) {
          const address = addressOf(route, one, send?.(one).query);
          if (answers.has(address)) continue;
          const response = await call('GET', address);
          const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
          answers.set(address, `${JSON.stringify([...response.headers])} ${body}`);
        }
      }
  }
  return answers;
}

const shown = (answers: Map<string, string>): string[] =>
  [...answers].flatMap(([address, answer]) =>
    answer.includes(mark) || answer.includes('linkfile_') ? [address] : [],
  );

test.each(['staff', 'staff who view as the contact'])(
  '%s find no id, name or byte of a sent file before the client gives it, and all of it afterwards',
  async (who) => {
    const viewing = impersonating(ada, sam);
    const crawlNow = () => crawl(who === 'staff' ? apiAs(sam) : apiAs(viewing.actor, viewing));
    await sendFile();
    expect(shown(await crawlNow()), 'while it is written').toEqual([]);
    await sendAll();
    const before = await crawlNow();
    expect(shown(before)).toEqual([]);
    const file = `/api/client-center/v3/tasks/${asked.taskId}/proposed-files/${(await waiting())[0]?.file_id ?? ''}`;
    const byStaff = await (who === 'staff' ? apiAs(sam) : apiAs(viewing.actor, viewing))('GET', file);
    expect(byStaff.status).toBe(404);
    expect((await apiAs(ada)('GET', file)).status, 'the contact opens it').toBe(200);
    await decideProposal(ada, asked.taskId, asked.linkId, [FILES]);
    if (who === 'staff') expect(shown(await crawlNow()), 'accepted, but not submitted').toEqual([]);
    await performAction(ada, asked.taskId, 'submit');
    const after = await crawlNow();
    expect(shown(after).length, 'the crawl is complete').toBeGreaterThan(0);
    expect([...after.values()].some((body) => body.includes(`${mark}bytes`))).toBe(true);
  },
);

test('until it is accepted no table, mail or job but its own names a sent file', async () => {
  const name = `${mark}name.pdf`;
  await sendFile();
  await sendAll();
  const { task_link_files: own, ...others } = await everyRow();
  expect(JSON.stringify(own)).toContain(name);
  expect(JSON.stringify(others)).not.toContain(name);
  expect((await queued()).filter((body) => body.includes(name))).toEqual([]);
});

test('the contacts of the task open what was sent, and nobody else', async () => {
  await sendFile();
  const [file] = await waiting();
  const id = file?.file_id ?? '';
  await expect(proposedFile(ada, asked.taskId, id), 'not before it is sent').rejects.toEqual(
    refused('NOT_FOUND'),
  );
  await sendAll();
  for (const actor of [ada, cleo])
    expect((await readAll((await proposedFile(actor, asked.taskId, id)).open())).toString()).toContain(
      `${mark}bytes`,
    );
  for (const actor of [ben, sam])
    await expect(proposedFile(actor, asked.taskId, id)).rejects.toEqual(refused('NOT_FOUND'));
  const other = await ask();
  await expect(proposedFile(ada, other.taskId, id), 'of another task').rejects.toEqual(refused('NOT_FOUND'));
  await db().updateTable('task_link_files').set({ scan: 'infected' }).where('file_id', '=', id).execute();
  await expect(proposedFile(ada, asked.taskId, id)).rejects.toEqual(refused('INFECTED'));
});

test('an accepted file is a document of the person who sent it, asked by the contact, everywhere', async () => {
  await sendFile(FILES, 'from the spouse.pdf');
  await sendAll();
  await decideProposal(cleo, asked.taskId, asked.linkId, [FILES]);
  await performAction(cleo, asked.taskId, 'submit');
  const [documentId] = (await questionAnswers(asked.taskId)).answers[FILES] as string[];
  for (const actor of [sam, ada]) {
    const { items } = await listDocuments(actor, clientA, documentQuery.parse({ name: 'spouse' }));
    expect(items).toMatchObject([
      {
        id: documentId,
        createdBy: 'Sam Spouse',
        askedBy: ada.fullName,
        addedBy: 'client',
        isOwn: false,
        customFields: { ccTask: asked.taskId, ccStep: 'work' },
      },
    ]);
    const { receipts } = await listReceipts(actor, clientA);
    expect(receipts.find((each) => each.name === 'from the spouse.pdf')).toMatchObject({
      kind: 'upload',
      who: 'Sam Spouse',
      askedBy: ada.fullName,
    });
  }
  const logs = [await activityOfClient(sam, clientA, undefined), await activityOf(ada, undefined)];
  for (const { entries } of logs)
    expect(
      entries.find((each) => each.what === 'from the spouse.pdf' && each.action === 'document.upload'),
    ).toMatchObject({ who: 'Sam Spouse', askedBy: ada.fullName });
  expect(entriesOf(logs[0], 'task-link.decide')).toMatchObject([{ who: cleo.fullName }]);
  expect((await verifyReceipts()).faults).toEqual([]);
  expect(await waiting()).toEqual([]);
});

const entriesOf = (log: Awaited<ReturnType<typeof activityOf>> | undefined, action: string) =>
  (log?.entries ?? []).filter((entry) => entry.action === action).slice(0, 1);

test('the bytes of what is not accepted are removed, and what is accepted gets a name that is free', async () => {
  for (const content of ['first', 'second']) await sendFile(FILES, 'same name.pdf', content);
  await sendFile(OTHERS, 'not wanted.pdf', 'not wanted');
  const [declined] = (await waiting()).filter(({ path }) => path === OTHERS);
  await sendAll();
  await decideProposal(ada, asked.taskId, asked.linkId, [FILES]);
  expect([
    (await documentsNamed('same name.pdf')).length,
    (await documentsNamed('same name (1).pdf')).length,
  ]).toEqual([1, 1]);
  expect(await documentsNamed('not wanted.pdf')).toEqual([]);
  expect(await waiting()).toEqual([]);
  const blobs = await db()
    .selectFrom('blobs')
    .select('blob_key')
    .where('blob_key', '=', declined?.blob_key ?? '')
    .execute();
  expect(blobs).toEqual([]);
  standAt(now() + 2 * HOUR);
  await sweepBlobs(now() - HOUR);
  expect(await blobFiles()).not.toContain(declined?.blob_key);
  expect((await verify()).faults).toEqual([]);
});

/** How what was sent is not accepted. */
const ENDINGS: Record<string, { isSent: boolean; end: () => Promise<unknown> }> = {
  'the contact declines it': { isSent: true, end: () => decideProposal(ada, asked.taskId, asked.linkId, []) },
  'the contact revokes the link before it is sent': {
    isSent: false,
    end: () => revokeTaskLink(ada, asked.taskId, asked.linkId),
  },
  'the contact revokes the link after it is sent': {
    isSent: true,
    end: () => revokeTaskLink(ada, asked.taskId, asked.linkId),
  },
  'the link expires before it is sent': {
    isSent: false,
    end: async () => {
      standAt(now() + 8 * DAY);
      await sweepTaskLinks();
    },
  },
  'a backup is restored before it is sent': {
    isSent: false,
    end: async () => {
      await revokeAllTaskLinks();
      await sweepTaskLinks();
    },
  },
  'the task is submitted without it': {
    isSent: false,
    end: () => performAction(ada, asked.taskId, 'submit'),
  },
  'the firm cancels the task': { isSent: true, end: () => performAction(sam, asked.taskId, 'cancel') },
};

test.each(Object.entries(ENDINGS))('a file is deleted when %s', async (_, { isSent, end }) => {
  await sendFile(FILES, 'deleted.pdf');
  const [file] = await waiting();
  if (isSent) await sendAll();
  await end();
  expect(await waiting()).toEqual([]);
  expect(
    await db()
      .selectFrom('blobs')
      .select('blob_key')
      .where('blob_key', '=', file?.blob_key ?? '')
      .execute(),
  ).toEqual([]);
  expect(await documentsNamed('deleted.pdf')).toEqual([]);
  expect(await openProposals(ada, asked.taskId, 'en-us')).toEqual([]);
});

test('what was sent waits for the decision after its link has expired', async () => {
  await sendFile();
  await sendAll();
  standAt(now() + 8 * DAY);
  await sweepTaskLinks();
  expect(await openProposals(ada, asked.taskId, 'en-us')).toMatchObject([
    { answers: [{ files: [{ name: `${mark}name.pdf` }] }] },
  ]);
  await decideProposal(ada, asked.taskId, asked.linkId, [FILES]);
  expect((await questionAnswers(asked.taskId)).answers[FILES]).toHaveLength(1);
});

test('sent files count towards the space of the firm while they wait', async () => {
  const before = await roomLeft();
  await sendFile(FILES, 'large.pdf', 'x'.repeat(10_000));
  standAt(now() + HOUR); // the sum is cached for a minute
  expect(before - (await roomLeft())).toBeGreaterThanOrEqual(10_000);
});

async function roomLeft(): Promise<number> {
  let [fits, tooMuch] = [0, config.firmQuota + 1];
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    const isRoom = await assertRoomOfFirm(ada.companyId, middle).then(
      () => true,
      () => false,
    );
    if (isRoom) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}

/** The tables that an acceptance writes, one after the other. */
const WRITTEN = ['documents', 'receipts', 'item_metadata', 'task_answers', 'audit'] as const;

test.each(WRITTEN)(
  'an acceptance that breaks off at the rows of %s changes nothing, and can be repeated',
  async (table) => {
    await sendFile();
    await sendAll();
    const rows = await db()
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    const before = [await waiting(), await documentsNamed(`${mark}name.pdf`)];
    const undo = await failInserts(table, Number(rows.count));
    await expect(decideProposal(ada, asked.taskId, asked.linkId, [FILES])).rejects.toThrow();
    await undo();
    expect([await waiting(), await documentsNamed(`${mark}name.pdf`)]).toEqual(before);
    expect((await openProposals(ada, asked.taskId, 'en-us'))[0]?.count).toBe(1);
    await decideProposal(ada, asked.taskId, asked.linkId, [FILES]);
    expect(await documentsNamed(`${mark}name.pdf`)).toHaveLength(1);
  },
);

test('a sent file is scanned while it waits, and the document that it becomes keeps the result', async () => {
  const clamd = net.createServer((socket) =>
    socket.on('data', () => socket.end('stream: Test.Virus FOUND\0')),
  );
  await once(clamd.listen(0, '127.0.0.1'), 'listening');
  setScannerAddress(`127.0.0.1:${(clamd.address() as AddressInfo).port}`);
  try {
    await sendFile();
    await sendAll();
    await runDueJobs();
    expect(await waiting()).toMatchObject([{ scan: 'infected' }]);
    expect(await openProposals(ada, asked.taskId, 'en-us')).toMatchObject([
      { answers: [{ files: [{ isInfected: true }] }] },
    ]);
    await decideProposal(ada, asked.taskId, asked.linkId, [FILES]);
    expect(await documentsNamed(`${mark}name.pdf`)).toMatchObject([{ scan: 'infected' }]);
  } finally {
    setScannerAddress(undefined);
    clamd.close();
  }
});
