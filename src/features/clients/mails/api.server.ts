import { OpenAPIHono } from '@hono/zod-openapi';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import type { Env } from '#features/base/people/people.server.ts';
import { invalidInput } from '#platform/http/api.server.ts';
import { mailsGrid } from './mails-grid.server.ts';

export const mailsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

mountGrid(mailsApi, mailsGrid);
