import { OpenAPIHono } from '@hono/zod-openapi';
import type { Env } from '#features/base/people/people.server.ts';
import { invalidInput } from '#platform/http/api.server.ts';
import { documentsApi } from './internal/documents-api.server.ts';
import { exportsApi } from './internal/exports-api.server.ts';

export const downloadsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
for (const part of [documentsApi, exportsApi]) downloadsApi.route('/', part);
