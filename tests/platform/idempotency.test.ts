import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { countFetched } from '#features/documents/downloads/allowance.server.ts';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { DAY, moveClock, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { defineForm, useForm, type Destination, type DraftStore } from '#platform/forms/forms.server.ts';
import { addFormKeys, postOnce } from '#platform/forms/form-keys.server.ts';
import { carryOutOnce, sweepRequestKeys, type StoredAnswer } from '#platform/http/idempotency.server.ts';
import { joinNodes, leaveNodes } from '#platform/runtime/nodes.server.ts';
import { apiAs } from '../support/api.ts';
import { makeCast } from '../support/cast.ts';

const { ada, ben, clientA, clientB } = await makeCast();
await joinNodes();
afterAll(leaveNodes);

const folders = async (name: string): Promise<number> =>
  (
    await db()
      .selectFrom('containers')
      .select('container_id')
      .where('container_type', '=', 'folder')
      .where('name', 'in', [name, `${name} (1)`, `${name} (2)`])
      .execute()
  ).length;
const newFolder = (name: string, key: string, who = ada, parentId = clientA) =>
  apiAs(who)('POST', '/api/storage/v1/folders', {
    json: { name, parentId, parentType: 'Client' },
    headers: { 'Idempotency-Key': key },
  });

test('a call that is repeated with its key is carried out once and gets the same answer', async () => {
  const first = await newFolder('Once', 'key-1');
  expect(first.status).toBe(200);
  const second = await newFolder('Once', 'key-1');
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(await second.json()).toEqual(await first.json());
  expect(await folders('Once')).toBe(1);
});

test('another call with the same key is refused, and the key of one person says nothing about that of another', async () => {
  await newFolder('Mine', 'key-2');
  const other = await newFolder('Something else', 'key-2');
  expect(other.status).toBe(422);
  expect(await other.json()).toMatchObject({ errors: [{ code: 'KEY_REUSED' }] });
  expect((await newFolder('Theirs', 'key-2', ben, clientB)).status).toBe(200);
  expect([await folders('Something else'), await folders('Theirs')]).toEqual([0, 1]);
});

test('a refused call may be repeated with its key, since it had no effect', async () => {
  await newFolder('Taken', 'key-3');
  expect((await newFolder('Taken', 'key-4')).status).toBe(409);
  await db()
    .updateTable('containers')
    .set({ name: 'Moved', name_key: 'moved' })
    .where('name', '=', 'Taken')
    .execute();
  expect((await newFolder('Taken', 'key-4')).status).toBe(200);
});

test('a key that is not one is refused', async () => {
  expect((await newFolder('Bad key', 'x'.repeat(256))).status).toBe(422);
  expect(await folders('Bad key')).toBe(0);
});

const answer: StoredAnswer = { status: 200, headers: [], body: '' };
const make = (name: string) => createFolder(ada, { parentType: 'Client', parentId: clientA, name });

test('while the first of two equal requests runs, the second is refused and nothing is done twice', async () => {
  const gate = Promise.withResolvers<void>();
  const request = { owner: ada.contactId, key: 'running', content: 'x' };
  const first = carryOutOnce(
    request,
    () => gate.promise.then(() => make('Running')),
    async () => answer,
  );
  const second = expect
    .poll(() =>
      carryOutOnce(
        request,
        () => make('Running'),
        async () => answer,
      ).catch((error: unknown) => refusal(error)?.code),
    )
    .toBe('IN_PROGRESS');
  await second;
  gate.resolve();
  await first;
  expect(
    await carryOutOnce(
      request,
      () => make('Running'),
      async () => answer,
    ),
  ).toMatchObject({
    isRepeated: true,
  });
  expect(await folders('Running')).toBe(1);
});

/** Leaves a key as a process does that was killed. */
const killHolder = () =>
  db().updateTable('request_keys').set({ node_id: 'node_gone', answer: null }).execute();

test('a request whose process was killed after its commit is not carried out again', async () => {
  const request = { owner: ada.contactId, key: 'killed after', content: 'x' };
  await carryOutOnce(
    request,
    () => make('Killed after'),
    async () => answer,
  );
  await killHolder();
  await expect(
    carryOutOnce(
      request,
      () => make('Killed after'),
      async () => answer,
    ),
  ).rejects.toMatchObject({
    code: 'ALREADY_DONE',
  });
  expect(await folders('Killed after')).toBe(1);
});

test('a request that has only counted files when its outcome becomes unknown is carried out by the next', async () => {
  const request = { owner: ada.contactId, key: 'counted', content: 'x' };
  const session = { id: 's', actor: ada, expiresAt: now() + DAY, amr: ['pwd'], authenticatedAt: now() };
  const failed = carryOutOnce(
    request,
    async () => {
      await countFetched({ ...session, termsDue: false }, [100]);
      throw new PortalError('UNAVAILABLE', { outcome: 'unknown' });
    },
    async () => answer,
  );
  await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(
    await carryOutOnce(
      request,
      () => make('Counted'),
      async () => answer,
    ),
  ).toMatchObject({ isRepeated: false });
});

test('a request whose database goes away after its commit is not carried out again, and before it is', async () => {
  const attempt = (key: string, isMade: boolean) =>
    carryOutOnce(
      { owner: ada.contactId, key, content: 'x' },
      async () => {
        if (isMade) await make(key);
        throw new PortalError('UNAVAILABLE', { retryAfter: 1 });
      },
      async () => answer,
    );
  await expect(attempt('gone after', true)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(attempt('gone after', true)).rejects.toMatchObject({ code: 'ALREADY_DONE' });
  expect(await folders('gone after')).toBe(1);
  await expect(attempt('gone before', false)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(attempt('gone before', true)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(attempt('gone before', true)).rejects.toMatchObject({ code: 'ALREADY_DONE' });
  expect(await folders('gone before')).toBe(1);
});

test('a request whose process was killed before its commit is carried out by the next', async () => {
  const request = { owner: ada.contactId, key: 'killed before', content: 'x' };
  await db()
    .insertInto('request_keys')
    .values({ request_key: 'unused', content_hash: 'x', node_id: 'node_gone', started_at: 0, answer: null })
    .execute();
  const failed = carryOutOnce(
    request,
    () => Promise.reject(new PortalError('UNAVAILABLE', { outcome: 'unknown' })),
    async () => answer,
  );
  await expect(failed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(
    await carryOutOnce(
      request,
      () => make('Killed before'),
      async () => answer,
    ),
  ).toMatchObject({
    isRepeated: false,
  });
  expect(await folders('Killed before')).toBe(1);
});

test('keys are deleted after a day', async () => {
  await newFolder('Kept for a day', 'old-key');
  moveClock(DAY - 1000);
  await sweepRequestKeys();
  expect((await newFolder('Kept for a day', 'old-key')).headers.get('idempotency-replayed')).toBe('true');
  moveClock(2000);
  await sweepRequestKeys();
  expect((await newFolder('Kept for a day', 'old-key')).status).toBe(409);
  moveClock(-DAY - 1000);
});

const post = (fields: Record<string, string>): Request => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return new Request('http://localhost/clientcenter/en-us/folders', { method: 'POST', body: form });
};
const makeByForm = (name: string, key: string) =>
  postOnce(post({ 'request-key': key, name }), ada.contactId, async () => {
    await make(name);
    return new Response(null, { status: 303, headers: { location: `/made/${name}` } });
  });

test('a form that is posted twice at once is carried out once, and both get the same answer', async () => {
  const responses = await Promise.all([makeByForm('Clicked', 'k'), makeByForm('Clicked', 'k')]);
  expect(responses.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [303, '/made/Clicked'],
    [303, '/made/Clicked'],
  ]);
  expect(await folders('Clicked')).toBe(1);
});

test('whoever goes back and types something else in the same form does something else', async () => {
  await makeByForm('First text', 'k2');
  expect((await makeByForm('Second text', 'k2')).headers.get('location')).toBe('/made/Second text');
  expect([await folders('First text'), await folders('Second text')]).toEqual([1, 1]);
});

test('a form that was refused can be sent again', async () => {
  let tries = 0;
  const send = () =>
    postOnce(post({ 'request-key': 'k3', name: 'x' }), ada.contactId, async () => {
      tries += 1;
      return new Response('<p>Enter a name</p>', { status: 422, headers: { 'content-type': 'text/html' } });
    });
  expect([(await send()).status, (await send()).status, tries]).toEqual([422, 422, 2]);
});

test('a request that failed for good runs again, whatever it had counted before', async () => {
  const request = { owner: ada.contactId, key: 'failed', content: 'x' };
  const work = async () => {
    await make('Before it failed').catch(() => undefined);
    throw new Error('a fault');
  };
  const attempt = () => carryOutOnce(request, work, () => Promise.resolve(answer));
  await expect(attempt()).rejects.toThrow('a fault');
  await expect(attempt()).rejects.toThrow('a fault');
});

describe('a form that says by itself that the database is away', () => {
  const unavailable = defineForm('shell', () => ({
    id: 'sample',
    title: 'profileTitle',
    problemTitle: 'profileErrorTitle',
    submit: 'save',
    schema: z.object({ name: z.string() }),
    fields: { name: { kind: 'text', label: 'firstName' } },
    refusals: { UNAVAILABLE: 'languageWrong' },
  }));
  const sendTo = (key: string, draft: DraftStore | undefined, submit: () => Promise<Destination>) => {
    const request = post({ form: 'sample', 'request-key': key, name: key });
    const page = { request, response: {} as { status?: number }, locals: { lang: 'en-us' as const } };
    return postOnce(request, ada.contactId, async () => {
      const view = await useForm(page, unavailable, { submit, draft });
      return view instanceof Response ? view : new Response('', { status: page.response.status ?? 200 });
    });
  };
  const away = () => Promise.reject(new PortalError('UNAVAILABLE'));

  test('is shown again while nothing has been done, and can be sent again', async () => {
    let tries = 0;
    const send = () =>
      sendTo('Not begun', undefined, async () => {
        tries += 1;
        return away();
      });
    expect([(await send()).status, (await send()).status, tries]).toEqual([422, 422, 2]);
  });

  test('does not say that it failed after it was carried out, and is not carried out again', async () => {
    const send = () =>
      sendTo('Carried out', undefined, async () => {
        await make('Carried out');
        return away();
      });
    await expect(send()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await send()).status).toBe(303);
    expect(await folders('Carried out')).toBe(1);
  });

  test('is done even if its draft cannot be deleted', async () => {
    const draft: DraftStore = {
      load: () => Promise.resolve(undefined),
      save: () => Promise.resolve(1),
      discard: away,
    };
    const sent = await sendTo('With a draft', draft, () => Promise.resolve({ to: '/done' }));
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/done']);
  });
});

test('an answer that signs somebody in is not stored', async () => {
  const signIn = () =>
    postOnce(post({ 'request-key': 'k4', name: 'x' }), undefined, () =>
      Promise.resolve(
        new Response(null, { status: 303, headers: { location: '/', 'set-cookie': 'sid=secret' } }),
      ),
    );
  await signIn();
  const rows = await db()
    .selectFrom('request_keys')
    .select('answer')
    .where('answer', 'is not', null)
    .execute();
  const answers = rows.length;
  await signIn();
  expect(
    (await db().selectFrom('request_keys').select('answer').where('answer', 'is not', null).execute()).length,
  ).toBe(answers);
});

test('forms that post to pages get a key, others do not', () => {
  const island = '<astro-island props="{}"><form method="post"></form></astro-island>';
  const others = `${island}<form method="get"><form action="/api/x" method="post"><form method="post" action="https://pay.example/">`;
  expect(addFormKeys(others)).toBe(others);
  expect(addFormKeys('<form id="a>b" method="post" action="x">')).toMatch(
    /^<form id="a>b" method="post" action="x"><input type="hidden" name="request-key" value="[\w-]{16}">$/,
  );
});
