import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, stateOf, type Env } from '#features/base/people/people.server.ts';
import { SECTION_FIELDS } from '#features/tasks/tasks/tasks.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { fileCode } from '#features/documents/uploads/refusals.ts';
import { bodyOf, lengthOf, uploadKey, uploadQuery } from '#features/documents/uploads/request-body.server.ts';
import {
  data,
  fileResponse,
  invalidInput,
  rangeResponses,
  responses,
  untyped,
} from '#platform/http/api.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { flashCookie } from '#platform/http/flash.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { sendFile } from '#platform/http/send-file.server.ts';
import { proposedFile } from './proposals.server.ts';
import { addLinkFile, claimPhone, saveLinkAnswers } from './recipient.server.ts';
import { withVisit } from './visits.ts';

export const taskLinksApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const PATH = '/api/client-center/v3/task-links';
/** The prefix of file fields: the rest is the path of the question. */
const FILES = 'files:';

// Documented, but not validated by the library, which would buffer the whole body first.
taskLinksApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: `${PATH}/{token}`,
    tags: ['Tasks'],
    summary: 'Answer a step by link',
    description:
      'Multipart, for people without an account who opened the link: a field for each answer, named by its path, and `files:<path>` for the files of a question. With `send`, what was answered goes to the contact who asked. A file that is sent again with the same `upload` is stored once. Answers with the page of the link.',
    request: {
      params: z.object({ token: z.string().max(100) }),
      query: z.object(uploadQuery),
      body: { required: true, content: { 'multipart/form-data': { schema: z.object({}) } } },
    },
    responses: {
      ...responses(data(z.strictObject({})), 'Never: the answer is always the page'),
      303: { description: 'Back to the page of the link, which says what was saved and what was not' },
    },
  }),
);
taskLinksApi.post(`${PATH}/:token`, async (c) => {
  const { token } = c.req.param();
  const visits = readCookie(c.req.header('cookie'), 'task-visit') ?? '';
  const visit = await claimPhone(token, visits, stateOf(c).network);
  const all = visit === undefined ? visits : withVisit(visits, visit);
  const form = new FormData();
  const refused: { name: string; code: string }[] = [];
  let added = 0;
  const take = async (name: string, bytes: Readable, field: string): Promise<void> => {
    try {
      await addLinkFile(token, all, field.startsWith(FILES) ? field.slice(FILES.length) : '', {
        name,
        bytes,
        announced: lengthOf(c),
        key: uploadKey(c),
      });
      added += 1;
    } catch (error) {
      const problem = refusal(error);
      if (!problem || ['NOT_FOUND', 'GONE', 'CLOSED', 'EXPIRED'].includes(problem.code)) throw error;
      refused.push({ name, code: fileCode(problem) });
    }
  };
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
    takeField: (name, value) => form.append(name, value),
    fields: SECTION_FIELDS,
  });
  const lang = languageOf(String(form.get('lang') ?? '')) ?? DEFAULT_LANG;
  const isPhone = form.get('phone') === '1';
  const isSent = form.has('send') && refused.length === 0;
  let key: 'sent' | 'saved' | 'savedWrong' | 'filesRefused' | 'received' | 'nothing' = 'saved';
  if (!isPhone) {
    try {
      const { problems } = await saveLinkAnswers(token, all, { posted: form, isSent, lang });
      key = problems.length > 0 ? 'savedWrong' : isSent ? 'sent' : 'saved';
    } catch (error) {
      if (refusal(error)?.code !== 'EMPTY') throw error;
      key = 'nothing';
    }
  } else key = added === 0 ? 'nothing' : 'received';
  if (refused.length > 0) key = 'filesRefused';
  const isGood = ['sent', 'saved', 'received'].includes(key);
  return redirectTo(`/${config.base}/${lang}/task-link/${encodeURIComponent(token)}`, [
    flashCookie({
      type: isGood ? 'success' : 'danger',
      namespace: 'task-links',
      key,
      vars: key === 'received' ? { count: added } : {},
      items: refused.map(({ name, code }) => ({ name, codes: [code] })),
    }),
    ...(visit === undefined ? [] : [setCookie('task-visit', all, 43_200)]),
  ]);
});

taskLinksApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/client-center/v3/tasks/{taskId}/proposed-files/{fileId}',
    tags: ['Tasks'],
    summary: 'Download a file that somebody sent by a link',
    description:
      'For the contacts of the task, until they have accepted or declined it. It is no document of the client yet, and the firm does not see it.',
    request: { params: z.object({ taskId: z.string().max(60), fileId: z.string().max(60) }) },
    responses: {
      ...responses(z.string(), ''),
      200: fileResponse('The bytes, as an attachment; ranges are answered'),
      ...rangeResponses,
    },
  }),
  async (c) => {
    const { taskId, fileId } = c.req.valid('param');
    const file = await proposedFile(actorIn(c), taskId, fileId);
    return untyped(await sendFile(c.req.raw, file, c.env.outgoing));
  },
);
