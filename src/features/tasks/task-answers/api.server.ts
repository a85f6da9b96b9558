import type { Readable } from 'node:stream';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { taskOf } from '#features/tasks/tasks/reading.server.ts';
import { afterSection } from '#features/tasks/tasks/posted-section.server.ts';
import { SECTION_FIELDS } from '#features/tasks/tasks/tasks.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { fileCode } from '#features/documents/uploads/refusals.ts';
import { bodyOf, lengthOf, uploadKey, uploadQuery } from '#features/documents/uploads/request-body.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { fieldId } from '#platform/forms/forms.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { saveChanges } from './autosaving.server.ts';
import { taskLookup } from './task-lookups.server.ts';
import { uploadToTask } from './files.server.ts';
import { saveSection } from './posting.server.ts';
import { lastYearIn } from '#features/tasks/answer-editor/rules.ts';
import {
  answerChanges,
  changeResults,
  lookupEntries,
  lookupQuery,
  savedSection,
} from '#features/tasks/answer-editor/answer-editor.ts';

export const taskAnswersApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Tasks'];
const BASE = '/api/client-center/v3/tasks';
const id = z.string().max(60);

taskAnswersApi.openapi(
  createRoute({
    method: 'post',
    path: `${BASE}/{taskId}/answers`,
    tags,
    summary: 'Save what a person enters in a task, while they type',
    description:
      'For contacts. Each change has a result of its own: answers that somebody else has changed since `base` are not overwritten, but both are kept until one is chosen. To send a change again is harmless: its tab and sequence identify it. Rows that two people add and remove are merged.',
    request: { params: z.object({ taskId: id }), body: jsonBody(answerChanges) },
    responses: responses(data(changeResults), 'What became of each change, in their order'),
  }),
  async (c) => {
    const { taskId } = c.req.valid('param');
    const results = await saveChanges(actorIn(c), taskId, c.req.valid('json'));
    return c.json({ data: { results } }, 200);
  },
);

taskAnswersApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/{taskId}/lookups/{list}`,
    tags,
    summary: 'Find entries of a list that a task asks for',
    description:
      'At most 20 entries for the typed words, the best ones first. An answer is the key of an entry, or exactly its text.',
    request: { params: z.object({ taskId: id, list: z.string().max(40) }), query: lookupQuery },
    responses: responses(data(lookupEntries), 'The entries'),
  }),
  async (c) => {
    const { taskId, list } = c.req.valid('param');
    const { q, language } = c.req.valid('query');
    const entries = await taskLookup(actorIn(c), taskId, { list, words: q, lang: language });
    return c.json({ data: { entries: [...entries] } }, 200);
  },
);

/** The prefix of file fields: the rest is the path of the question. */
const FILES = 'files:';

// Documented, but not validated by the library, which would buffer the whole body first.
taskAnswersApi.openAPIRegistry.registerPath(
  createRoute({
    method: 'post',
    path: `${BASE}/{taskId}/sections/{section}`,
    tags,
    summary: 'Save the answers of a section, with its files',
    description:
      'Multipart: a field for each answer, named by its path, and `files:<path>` for the files of a question, after the other fields. A file that is sent again with the same `upload`, a value of the client, is stored once. Answers that are wrong are saved as typed; the answer lists them, and the files that were refused.',
    request: {
      params: z.object({ taskId: id, section: z.string().max(40) }),
      query: z.object({ r: z.string().max(2000).optional(), ...uploadQuery }),
      body: {
        required: true,
        content: { 'multipart/form-data': { schema: z.object({}) } },
      },
    },
    responses: {
      ...responses(data(savedSection), 'What was saved'),
      303: { description: 'With `r`: back to that page, which says what was saved and what was not' },
    },
  }),
);
taskAnswersApi.post(`${BASE}/:taskId/sections/:section`, async (c) => {
  const { taskId, section } = c.req.param();
  const actor = actorIn(c);
  const page = c.req.query('r');
  const form = new FormData();
  const stored: string[] = [];
  let left = lengthOf(c);
  const refused: { name: string; code: string }[] = [];
  let hasFields = false;
  const take = async (name: string, bytes: Readable, field: string): Promise<void> => {
    try {
      const path = field.startsWith(FILES) ? field.slice(FILES.length) : '';
      const added = await uploadToTask(actor, taskId, path, {
        name,
        bytes,
        announced: left,
        key: uploadKey(c),
      });
      stored.push(added.id);
      if (left !== undefined) left -= added.originalItemSize;
    } catch (error) {
      const problem = refusal(error);
      if (!problem || ['NOT_FOUND', 'CLOSED', 'EXPIRED', 'FORBIDDEN'].includes(problem.code)) throw error;
      refused.push({ name, code: fileCode(problem) });
    }
  };
  await taskOf(actor, taskId);
  await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
    takeField: (name, value) => {
      hasFields = true;
      form.append(name, value);
    },
    fields: SECTION_FIELDS,
  });
  const lang = languageOf(String(form.get('lang') ?? '')) ?? DEFAULT_LANG;
  const { problems, conflicts } = hasFields
    ? await saveSection(actor, taskId, { section, form, lang })
    : { problems: [], conflicts: [] };
  if (page !== undefined) {
    const used = lastYearIn(form);
    const here = used ? `${page}#${fieldId(used.formId, used.path)}` : page;
    return afterSection(here, form, { problems, conflicts, refused });
  }
  return c.json(
    {
      data: {
        problems: problems.map(({ path, code }) => ({ path, code })),
        conflicts: conflicts.map(({ path }) => path),
        documentIds: stored,
        refused,
      },
    },
    200,
  );
});
