import { expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { endSession, findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { proposedBy } from '#features/tasks/task-links/internal/store.server.ts';
import { linkPage } from '#features/tasks/task-links/link-page.server.ts';
import {
  askSomeone,
  peopleAsked,
  revokeTaskLink,
  startPhone,
} from '#features/tasks/task-links/links.server.ts';
import { decideProposal, openProposals } from '#features/tasks/task-links/proposals.server.ts';
import {
  addLinkFile,
  claimPhone,
  linkFields,
  openTaskLink,
  saveLinkAnswers,
  viewTaskLink,
} from '#features/tasks/task-links/recipient.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { saveAnswers } from '#features/tasks/tasks/answering.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { DAY, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { apiAs, filesForm } from '../../support/api.ts';
import { blobFiles, BROWSER, bytesAfter, fileOf, makeCast, pdf, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/*
 * A step passed to somebody without an account, whose answers the contact takes or not, and a question passed to the
 * contact's phone (threat-model.md T39, T40, T46).
 */

const { ada, ben, cleo, sam, zoe, clientA } = await makeCast();

const CODE = 'k7m2p9qx';
const WAGES = 'work.wages';
const PAPERS = 'work.papers';
const NOTE = 'rest.note';
const text = (en: string) => ({ 'en-us': en });

const newTask = (): Promise<Task> =>
  createTask(sam, {
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
            { kind: 'number', key: 'wages', label: text('Wages') },
            { kind: 'files', key: 'papers', label: text('Papers'), max: 2 },
            {
              kind: 'group',
              key: 'job',
              label: text('Jobs'),
              one: text('Job'),
              addLabel: text('Add a job'),
              max: 5,
              items: [{ kind: 'text', key: 'name', label: text('Employer') }],
            },
          ],
        },
        { key: 'rest', label: text('Rest'), items: [{ kind: 'text', key: 'note', label: text('Note') }] },
      ],
    },
  });

/** The token in the newest mail to an address. */
async function tokenFor(email: string): Promise<string> {
  const jobs = await db().selectFrom('jobs').selectAll().orderBy('created_at', 'desc').execute();
  for (const job of jobs) {
    const body = JSON.stringify({ ...job, payload: decryptFrom('jobs.payload', job.job_id, job.payload) });
    const token = body.includes(email) ? /task-link\/([\w-]{43})/.exec(body)?.[1] : undefined;
    if (token !== undefined) return token;
  }
  throw new Error('No mail with a link.');
}

let people = 0;

interface Asked {
  task: Task;
  token: string;
  linkId: string;
}

async function ask({
  showsAnswers = false,
  actor = ada,
}: { showsAnswers?: boolean; actor?: Actor } = {}): Promise<Asked> {
  const task = await newTask();
  await saveAnswers(ada, task.taskId, [
    { path: WAGES, value: 4100 },
    { path: NOTE, value: 'CANARY-NOTE' },
  ]);
  return askAbout(task, { showsAnswers, actor });
}

async function askAbout(
  task: Task,
  { showsAnswers = false, actor = ada }: { showsAnswers?: boolean; actor?: Actor } = {},
): Promise<Asked> {
  people += 1;
  const email = `keeper${people}@books.example`;
  await askSomeone(
    actor,
    task.taskId,
    { section: 'work', person: 'Bo Keeper', email, code: CODE, days: 7, showsAnswers, message: 'Please.' },
    'en-us',
  );
  const link = (await peopleAsked(actor, task.taskId)).find((person) => person.email === email);
  return { task, token: await tokenFor(email), linkId: link?.linkId ?? '' };
}

const open = ({ token }: Asked): Promise<string> => openTaskLink(token, CODE, `net-${people}`);

function posted(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

const send = ({ token }: Asked, visits: string, fields: Record<string, string>, isSent = true) =>
  saveLinkAnswers(token, visits, { posted: posted(fields), isSent, lang: 'en-us' });

async function signInAndOut(): Promise<void> {
  const session = await findSession(await startSession(ada, BROWSER));
  await endSession(session?.id ?? '');
}

const refused = (code: string) => expect.objectContaining({ code }) as unknown;

test('the page for somebody who is asked does not repeat the title of a task of one step', async () => {
  const section = {
    key: 'work',
    label: text('Year-end papers'),
    items: [{ kind: 'text', key: 'a', label: text('A') }],
  };
  const task = await createTask(sam, {
    clientId: clientA,
    type: 'misc',
    label: 'Year-end papers',
    form: {
      format: 1,
      key: 'one',
      country: 'US',
      languages: ['en-us'],
      label: text('Year-end papers'),
      sections: [section],
    },
  });
  const asked = await askAbout(task);
  expect(await viewTaskLink(asked.token, await open(asked), 'en-us')).toMatchObject({
    task: 'Year-end papers',
    section: '',
  });
});

test('a bookkeeper without an account answers one step, and the contact takes what they want of it', async () => {
  const asked = await ask();
  expect(await viewTaskLink(asked.token, undefined, 'en-us')).toMatchObject({ kind: 'closed' });
  const visits = await open(asked);
  expect(await viewTaskLink(asked.token, visits, 'en-us')).toMatchObject({
    kind: 'open',
    maker: ada.fullName,
    section: 'Work',
  });
  const shown = JSON.stringify(await linkFields(asked.token, visits, 'en-us'));
  expect(shown).not.toMatch(/4,?100/);
  expect(shown).not.toContain('CANARY-NOTE');
  await addLinkFile(asked.token, visits, PAPERS, { name: 'w2.pdf', bytes: fileOf(pdf('w2')) });
  expect(await send(asked, visits, { [WAGES]: '5,200' })).toEqual({ problems: [] });
  expect((await questionAnswers(asked.task.taskId)).answers, 'nothing is taken yet').toMatchObject({
    [WAGES]: 4100,
  });
  const [proposal] = await openProposals(ada, asked.task.taskId, 'en-us');
  expect(proposal).toMatchObject({
    person: 'Bo Keeper',
    answers: [
      { key: PAPERS, files: [{ name: 'w2.pdf' }] },
      { key: WAGES, current: '4,100', proposed: '5,200' },
    ],
  });
  await expect(performAction(ada, asked.task.taskId, 'submit')).rejects.toEqual(refused('INCOMPLETE'));
  await decideProposal(ada, asked.task.taskId, asked.linkId, [PAPERS]);
  const { answers } = await questionAnswers(asked.task.taskId);
  expect(answers[WAGES]).toBe(4100);
  expect(answers[PAPERS]).toHaveLength(1);
  await expect(decideProposal(ada, asked.task.taskId, asked.linkId, [WAGES])).rejects.toEqual(
    refused('GONE'),
  );
  await performAction(ada, asked.task.taskId, 'submit');
});

test('without its code a link shows the firm and no name of the client, the task or its people, in every state', async () => {
  const names = [ada.fullName, 'Bo Keeper', 'Organizer', 'Work', 'Amber Bakery'];
  const expectUnnamed = async ({ token }: Asked, kind: string): Promise<void> => {
    const page = await pageOf(token, '');
    expect(page.view.kind).toBe(kind);
    const shown = JSON.stringify([page.view, page.title, page.form, page.answers]);
    expect(names.filter((name) => shown.includes(name))).toEqual([]);
    expect(page.firm?.name).toBe('Maple & Hart');
  };
  const asked = await ask();
  await expectUnnamed(asked, 'closed');
  await send(asked, await open(asked), { [WAGES]: '7' });
  await expectUnnamed(asked, 'sent');
  const revoked = await ask();
  await revokeTaskLink(ada, revoked.task.taskId, revoked.linkId);
  await expectUnnamed(revoked, 'over');
});

test('what a step contains is shown only if the contact says so, and rows are added to those that are there', async () => {
  const asked = await ask({ showsAnswers: true });
  const [old, fresh] = ['oldoldoldold', 'newnewnewnew'];
  await saveAnswers(ada, asked.task.taskId, [
    { path: 'work.job#order', value: [old] },
    { path: `work.job.${old}.name`, value: 'Oak' },
  ]);
  const visits = await open(asked);
  const shown = JSON.stringify(await linkFields(asked.token, visits, 'en-us'));
  expect(shown).toContain('4100');
  expect(shown).not.toContain('CANARY-NOTE');
  await send(asked, visits, { 'work.job#order': fresh, [`work.job.${fresh}.name`]: 'Elm' });
  await decideProposal(ada, asked.task.taskId, asked.linkId, ['work.job']);
  expect((await questionAnswers(asked.task.taskId)).answers).toMatchObject({
    'work.job#order': [old, fresh],
    [`work.job.${fresh}.name`]: 'Elm',
  });
});

test('what is wrong is saved and not sent, and after sending nothing can be changed', async () => {
  const asked = await ask();
  const visits = await open(asked);
  expect((await send(asked, visits, { [WAGES]: 'many' })).problems).toMatchObject([{ path: WAGES }]);
  expect(await openProposals(ada, asked.task.taskId, 'en-us')).toEqual([]);
  await send(asked, visits, { [WAGES]: '7' });
  await expect(send(asked, visits, { [WAGES]: '8' })).rejects.toEqual(refused('GONE'));
  expect(await viewTaskLink(asked.token, visits, 'en-us')).toMatchObject({ kind: 'sent' });
  await decideProposal(ada, asked.task.taskId, asked.linkId, []);
  expect((await questionAnswers(asked.task.taskId)).answers[WAGES]).toBe(4100);
});

test('looking at a link changes nothing; without its code, and for another step, nothing can be done', async () => {
  const asked = await ask();
  for (let i = 0; i < 20; i += 1) await viewTaskLink(asked.token, 'x', 'en-us');
  expect(await peopleAsked(ada, asked.task.taskId)).toMatchObject([{ state: 'waiting' }]);
  await expect(send(asked, 'wrong', { [WAGES]: '1' })).rejects.toEqual(refused('NOT_FOUND'));
  await expect(linkFields(asked.token, undefined, 'en-us')).rejects.toEqual(refused('NOT_FOUND'));
  const visits = await open(asked);
  const file = { name: 'a.pdf', bytes: fileOf(pdf('a')) };
  for (const path of [NOTE, WAGES, 'rest.papers', '', '__proto__'])
    await expect(addLinkFile(asked.token, visits, path, file), path).rejects.toEqual(refused('NOT_FOUND'));
  await send(asked, visits, { [NOTE]: 'CHANGED', [WAGES]: '3' });
  const [proposal] = await openProposals(ada, asked.task.taskId, 'en-us');
  expect(proposal?.answers.map(({ key }) => key)).toEqual([WAGES]);
  const other = await ask();
  await expect(linkFields(other.token, visits, 'en-us'), 'the visit of another link').rejects.toEqual(
    refused('NOT_FOUND'),
  );
});

test('of many wrong codes at the same time at most ten are checked, and then the right one is refused', async () => {
  const asked = await ask();
  const tries = await Promise.allSettled(
    Array.from({ length: 25 }, (_, at) => openTaskLink(asked.token, 'wrong!', `guess-${at}`)),
  );
  const codes = tries.map((each) =>
    each.status === 'rejected' ? (each.reason as { code: string }).code : '',
  );
  expect(codes.filter((code) => code === 'CODE_WRONG').length).toBeLessThanOrEqual(10);
  await expect(openTaskLink(asked.token, CODE, 'guess-x')).rejects.toEqual(refused('TOO_MANY'));
});

test('a link ends when it is revoked, expires, or the task no longer waits for the client', async () => {
  const revoked = await ask();
  const visits = await open(revoked);
  await revokeTaskLink(ada, revoked.task.taskId, revoked.linkId);
  await expect(send(revoked, visits, { [WAGES]: '1' })).rejects.toEqual(refused('GONE'));
  expect(await viewTaskLink(revoked.token, visits, 'en-us')).toMatchObject({ kind: 'over' });
  const submitted = await ask();
  await performAction(ada, submitted.task.taskId, 'submit');
  await performAction(ada, submitted.task.taskId, 'take-back');
  await expect(open(submitted), 'it does not come back with the task').rejects.toEqual(refused('GONE'));
  const expired = await ask();
  standAt(now() + 8 * DAY);
  await expect(open(expired)).rejects.toEqual(refused('GONE'));
});

/** How a link ends while a file comes in by it. */
const ENDINGS: Record<
  string,
  { isPhone?: boolean; end: (asked: Asked, visits: string) => Promise<unknown> }
> = {
  'the contact revokes it': { end: ({ task, linkId }) => revokeTaskLink(ada, task.taskId, linkId) },
  'its person sends the answers': { end: (asked, visits) => send(asked, visits, { [WAGES]: '1' }) },
  'the task is submitted': { end: ({ task }) => performAction(ada, task.taskId, 'submit') },
  'a new code for the phone replaces it': {
    isPhone: true,
    end: async () => startPhone(ada, (await newTask()).taskId, PAPERS),
  },
  'the contact signs out': { isPhone: true, end: signInAndOut },
  'its ten minutes pass': { isPhone: true, end: () => Promise.resolve(standAt(now() + 11 * MINUTE)) },
};

test.each(Object.entries(ENDINGS))(
  'a file that comes in by a link is refused without effect when, meanwhile, %s',
  async (_, { isPhone = false, end }) => {
    const task = await newTask();
    const asked = isPhone ? { task, ...(await startPhone(ada, task.taskId, PAPERS)) } : await askAbout(task);
    const visits = isPhone ? ((await claimPhone(asked.token, undefined, 'phone')) ?? '') : await open(asked);
    const stored = async () => ({
      documents: await db().selectFrom('documents').select('document_id').execute(),
      blobs: [await db().selectFrom('blobs').selectAll().execute(), await blobFiles()],
      files: [(await proposedBy(asked.linkId))[PAPERS], (await questionAnswers(task.taskId)).answers[PAPERS]],
    });
    const before = await stored();
    const bytes = bytesAfter(
      () => end(asked, visits),
      () => fileOf(pdf('late')),
    );
    await expect(addLinkFile(asked.token, visits, PAPERS, { name: 'late.pdf', bytes })).rejects.toEqual(
      refused('GONE'),
    );
    expect(await stored()).toEqual(before);
  },
);

test('a link for a phone ends when the contact signs out, and one for somebody else does not', async () => {
  const asked = await ask();
  const visits = await open(asked);
  const { token } = await startPhone(ada, asked.task.taskId, PAPERS);
  await signInAndOut();
  await expect(claimPhone(token, undefined, 'phone')).rejects.toEqual(refused('GONE'));
  expect(await viewTaskLink(token, undefined, 'en-us')).toMatchObject({ kind: 'over' });
  expect(await viewTaskLink(asked.token, visits, 'en-us')).toMatchObject({ kind: 'open' });
});

test('staff, and contacts of other clients and firms, neither ask nor see nor decide', async () => {
  const asked = await ask();
  await send(asked, await open(asked), { [WAGES]: '1' });
  for (const actor of [ben, zoe]) {
    await expect(askAbout(asked.task, { actor })).rejects.toEqual(refused('NOT_FOUND'));
    await expect(peopleAsked(actor, asked.task.taskId)).rejects.toEqual(refused('NOT_FOUND'));
    await expect(openProposals(actor, asked.task.taskId, 'en-us')).rejects.toEqual(refused('NOT_FOUND'));
    await expect(decideProposal(actor, asked.task.taskId, asked.linkId, [])).rejects.toEqual(
      refused('NOT_FOUND'),
    );
    await expect(startPhone(actor, asked.task.taskId, PAPERS)).rejects.toEqual(refused('NOT_FOUND'));
  }
  await expect(askAbout(asked.task, { actor: sam })).rejects.toEqual(refused('FORBIDDEN'));
  await expect(decideProposal(sam, asked.task.taskId, asked.linkId, [])).rejects.toEqual(
    refused('FORBIDDEN'),
  );
  const other = await ask();
  await expect(decideProposal(ada, other.task.taskId, asked.linkId, []), 'another task').rejects.toEqual(
    refused('NOT_FOUND'),
  );
  await decideProposal(cleo, asked.task.taskId, asked.linkId, []);
});

test('of two contacts who decide about the same answers at the same time, one decides', async () => {
  const asked = await ask();
  await send(asked, await open(asked), { [WAGES]: '9' });
  const results = await Promise.allSettled([
    decideProposal(ada, asked.task.taskId, asked.linkId, [WAGES]),
    decideProposal(cleo, asked.task.taskId, asked.linkId, []),
  ]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a phone adds several photos to its question for ten minutes, and only the first browser', async () => {
  const task = await newTask();
  const { token } = await startPhone(ada, task.taskId, PAPERS);
  const photo = () => ({ name: 'photo.pdf', bytes: fileOf(pdf('photo')) });
  await expect(addLinkFile(token, undefined, PAPERS, photo())).rejects.toEqual(refused('NOT_FOUND'));
  const visit = (await claimPhone(token, undefined, 'phone')) ?? '';
  expect(await claimPhone(token, visit, 'phone'), 'the same browser').toBeUndefined();
  await expect(claimPhone(token, 'another', 'other'), 'a copied address').rejects.toEqual(refused('GONE'));
  expect(await viewTaskLink(token, 'another', 'en-us')).toMatchObject({ kind: 'over' });
  await addLinkFile(token, visit, PAPERS, photo());
  await addLinkFile(token, visit, PAPERS, photo());
  await expect(addLinkFile(token, visit, PAPERS, photo())).rejects.toEqual(refused('TOO_MANY_FILES'));
  expect((await questionAnswers(task.taskId)).answers[PAPERS]).toHaveLength(2);
  await expect(openTaskLink(token, CODE, 'phone'), 'it has no code').rejects.toEqual(refused('NOT_FOUND'));
  standAt(now() + 11 * MINUTE);
  await expect(addLinkFile(token, visit, PAPERS, photo())).rejects.toEqual(refused('NOT_FOUND'));
  await expect(claimPhone(token, undefined, 'phone')).rejects.toEqual(refused('GONE'));
  expect(await viewTaskLink(token, visit, 'en-us')).toMatchObject({ kind: 'over' });
});

async function pageOf(token: string, cookie: string) {
  const request = new Request('http://portal/', { headers: { cookie } });
  const locals = { lang: 'en-us', network: 'net', pathTo: (to = '') => to } as const;
  const page = await linkPage({ request, response: {}, locals }, token);
  if (page instanceof Response) throw new Error('no page');
  return page;
}

/** Where the form on the page of a link is posted. */
const formAddress = async (token: string, cookie: string): Promise<string> =>
  (await pageOf(token, cookie)).action;

test.each(['somebody else', 'the phone'])(
  'a file that comes again by the link of %s, since the answer was lost, is stored and noted once',
  async (whose) => {
    const isPhone = whose === 'the phone';
    const task = await newTask();
    const asked = isPhone ? { task, ...(await startPhone(ada, task.taskId, PAPERS)) } : await askAbout(task);
    const visits = isPhone ? ((await claimPhone(asked.token, undefined, 'phone')) ?? '') : await open(asked);
    const cookie = `task-visit=${visits}`;
    const address = await formAddress(asked.token, cookie);
    expect(await formAddress(asked.token, cookie), 'each page sends files of its own').not.toBe(address);
    const sendFiles = async () => {
      const form = filesForm();
      form.append('lang', 'en-us');
      if (isPhone) form.append('phone', '1');
      for (const name of ['first.pdf', 'second.pdf'])
        form.append(`files:${PAPERS}`, new Blob([new Uint8Array(pdf(name))]), name);
      const answer = await apiAs(undefined)('POST', address, { form, headers: { cookie } });
      expect(answer.status).toBe(303);
      return answer.headers.get('set-cookie');
    };
    const stored = async () => ({
      documents: await db().selectFrom('documents').select('document_id').execute(),
      files: [(await proposedBy(asked.linkId))[PAPERS], (await questionAnswers(task.taskId)).answers[PAPERS]],
      notes: await db().selectFrom('audit').select('seq').where('action', '=', 'task-link.file').execute(),
    });
    const flash = await sendFiles();
    const before = await stored();
    expect(before.files[isPhone ? 1 : 0], 'as many as the question takes').toHaveLength(2);
    expect(await sendFiles(), 'says the same').toBe(flash);
    expect(await stored()).toEqual(before);
  },
);

test('a new code for a phone ends the one before, and only questions for files have one', async () => {
  const task = await newTask();
  const first = await startPhone(ada, task.taskId, PAPERS);
  const second = await startPhone(ada, task.taskId, PAPERS);
  await expect(claimPhone(first.token, undefined, 'phone')).rejects.toEqual(refused('GONE'));
  expect(await claimPhone(second.token, undefined, 'phone')).toBeDefined();
  await expect(startPhone(ada, task.taskId, WAGES)).rejects.toEqual(refused('INVALID'));
  await expect(startPhone(sam, task.taskId, PAPERS)).rejects.toEqual(refused('FORBIDDEN'));
});

test('a form that is posted to a link leads back to its page, and an unknown link does not exist', async () => {
  const asked = await ask();
  const visits = await open(asked);
  const form = posted({ lang: 'en-us', [WAGES]: '12', send: '1' });
  const call = apiAs(undefined);
  const address = `/api/client-center/v3/task-links/${asked.token}`;
  expect((await call('POST', address, { form })).status, 'without the cookie').toBe(404);
  const answer = await call('POST', address, { form, headers: { cookie: `task-visit=${visits}` } });
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/\/task-link\/[\w-]{43}$/),
  ]);
  expect(await viewTaskLink(asked.token, visits, 'en-us')).toMatchObject({ kind: 'sent' });
  expect((await call('POST', `/api/client-center/v3/task-links/${'x'.repeat(43)}`, { form })).status).toBe(
    404,
  );
});
