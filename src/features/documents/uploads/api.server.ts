import { OpenAPIHono } from '@hono/zod-openapi';
import type { Env } from '#features/base/people/people.server.ts';
import { invalidInput } from '#platform/http/api.server.ts';
import { receivingApi } from './internal/receiving-api.server.ts';
import { partsApi } from './internal/parts-api.server.ts';
import { notificationsApi } from './internal/notifications-api.server.ts';

export const uploadsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });
for (const part of [receivingApi, partsApi, notificationsApi]) uploadsApi.route('/', part);
