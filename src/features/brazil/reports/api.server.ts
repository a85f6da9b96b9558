import { OpenAPIHono } from '@hono/zod-openapi';
import { mountGrid } from '#features/base/grids/grid-api.server.ts';
import type { Env } from '#features/base/people/people.server.ts';
import { invalidInput } from '#platform/http/api.server.ts';
import { registrationsGrid } from './registrations.server.ts';
import { storedDocumentsGrid } from './stored-documents.server.ts';

export const reportsApi = new OpenAPIHono<Env>({ defaultHook: invalidInput });

mountGrid(reportsApi, storedDocumentsGrid);
mountGrid(reportsApi, registrationsGrid);
