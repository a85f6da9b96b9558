import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { templateProblemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import { data, invalidInput, jsonBody, responses } from '#platform/http/api.server.ts';
import { DEFAULT_LANG } from '#platform/text/languages.ts';
import {
  listedTemplate,
  newTemplate,
  publication,
  taskTemplate,
  templateChange,
  templateQuery,
} from './task-templates.ts';
import {
  archiveTemplate,
  createTemplate,
  listTemplates,
  publishTemplate,
  saveDraft,
  templateOf,
} from './templates.server.ts';

export const taskTemplatesApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Task templates'];
const BASE = '/api/client-center/v3/task-templates';
const params = z.object({ templateId: z.string().max(60) });

/** A template with the texts of its problems. */
async function shown(actor: Actor, templateId: string): Promise<z.infer<typeof taskTemplate>> {
  const { form, problems, ...template } = await templateOf(actor, templateId);
  return {
    ...template,
    form: { ...form },
    problems: problems.map((problem) => ({
      path: problem.path,
      code: problem.code,
      text: templateProblemText(problem, DEFAULT_LANG),
    })),
  };
}

taskTemplatesApi.openapi(
  createRoute({
    method: 'get',
    path: BASE,
    tags,
    summary: 'The templates of the firm, by name',
    request: { query: templateQuery },
    responses: responses(
      data(z.strictObject({ templates: z.array(listedTemplate), total: z.number().int() })),
      'A page of templates',
    ),
  }),
  async (c) => c.json({ data: await listTemplates(actorIn(c), c.req.valid('query')) }, 200),
);

taskTemplatesApi.openapi(
  createRoute({
    method: 'post',
    path: BASE,
    tags,
    summary: 'Create a template, as a draft',
    description:
      'The form is a questionnaire. What else prevents that it is published is in `problems` of the answer.',
    request: { body: jsonBody(newTemplate) },
    responses: responses(data(taskTemplate), 'The template'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const id = await createTemplate(actor, c.req.valid('json'));
    return c.json({ data: await shown(actor, id) }, 200);
  },
);

taskTemplatesApi.openapi(
  createRoute({
    method: 'get',
    path: `${BASE}/{templateId}`,
    tags,
    summary: 'A template',
    request: { params },
    responses: responses(data(taskTemplate), 'The template: its draft, else its newest published version'),
  }),
  async (c) => c.json({ data: await shown(actorIn(c), c.req.valid('param').templateId) }, 200),
);

taskTemplatesApi.openapi(
  createRoute({
    method: 'patch',
    path: `${BASE}/{templateId}`,
    tags,
    summary: 'Change the draft of a template',
    description:
      'A published version never changes: the first change after it begins the next version. With an older `revision` the change is refused with EDIT_CONFLICT.',
    request: { params, body: jsonBody(templateChange) },
    responses: responses(data(taskTemplate), 'The template'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { templateId } = c.req.valid('param');
    await saveDraft(actor, templateId, c.req.valid('json'));
    return c.json({ data: await shown(actor, templateId) }, 200);
  },
);

taskTemplatesApi.openapi(
  createRoute({
    method: 'post',
    path: `${BASE}/{templateId}/publish`,
    tags,
    summary: 'Publish the draft of a template',
    description: 'Refused with INVALID and the problems while there are any.',
    request: { params, body: jsonBody(publication) },
    responses: responses(data(taskTemplate), 'The template'),
  }),
  async (c) => {
    const actor = actorIn(c);
    const { templateId } = c.req.valid('param');
    await publishTemplate(actor, templateId, c.req.valid('json').revision);
    return c.json({ data: await shown(actor, templateId) }, 200);
  },
);

taskTemplatesApi.openapi(
  createRoute({
    method: 'delete',
    path: `${BASE}/{templateId}`,
    tags,
    summary: 'Archive a template',
    description: 'Its tasks stay. The page of templates takes it back into use.',
    request: { params },
    responses: responses(data(z.strictObject({ templateId: z.string() })), 'It is archived'),
  }),
  async (c) => {
    const { templateId } = c.req.valid('param');
    await archiveTemplate(actorIn(c), templateId);
    return c.json({ data: { templateId } }, 200);
  },
);
