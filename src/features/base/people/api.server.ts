import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { responses, invalidInput, jsonBody } from '#platform/http/api.server.ts';
import { contactInfo, contactQuery, languageInput, profile, profileInput } from './profile.ts';
import { actorIn, sessionIn, type Env } from './people.server.ts';
import { changeLanguage, contactOf, profileOf, saveProfile } from './profile.server.ts';

export const peopleApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

const tags = ['Profile'];
const current = '/api/profile/v1/users/current';

peopleApi.openapi(
  createRoute({
    method: 'get',
    path: current,
    tags,
    summary: 'Your own profile',
    responses: responses(profile, 'The profile'),
  }),
  async (c) => c.json(await profileOf(actorIn(c)), 200),
);

peopleApi.openapi(
  createRoute({
    method: 'put',
    path: current,
    tags,
    summary: 'Save your own profile',
    request: { body: jsonBody(profileInput) },
    responses: responses(profile, 'The profile as it is now'),
  }),
  async (c) => c.json(await saveProfile(sessionIn(c), c.req.valid('json')), 200),
);

peopleApi.openapi(
  createRoute({
    method: 'put',
    path: '/api/profile/v1/users/{prismGuid}/language',
    tags,
    summary: 'Change your own language',
    request: { params: z.strictObject({ prismGuid: z.string().max(60) }), body: jsonBody(languageInput) },
    responses: responses(languageInput, 'The language as it is kept'),
  }),
  async (c) =>
    c.json(
      {
        language: await changeLanguage(
          actorIn(c),
          c.req.valid('param').prismGuid,
          c.req.valid('json').language,
        ),
      },
      200,
    ),
);

peopleApi.openapi(
  createRoute({
    method: 'get',
    path: '/api/profile/v1/contacts',
    tags,
    summary: 'A contact, by its company and its id',
    request: { query: contactQuery },
    responses: responses(contactInfo, 'The contact'),
  }),
  async (c) => c.json(await contactOf(actorIn(c), c.req.valid('query')), 200),
);
