import { Readable } from 'node:stream';
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import type { ApiRoute, Guard } from '#features/base/people/people.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { fileResponse, responses, untyped } from '#platform/http/api.server.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { attachment, sendStream } from '#platform/http/send-file.server.ts';
import { translationsFor, type KeysOf, type Namespace } from '#platform/text/translations.server.ts';
import { answerOf } from './answer.server.ts';
import { gridQueryOf, type Grid } from './define.server.ts';
import { EXPORT_FORMATS, exportGrid } from './exports.server.ts';
import { gridAnswer } from './grids.ts';

import { MAX_PAGE, PAGE, readGrid } from './reading.server.ts';

/** The calls of a grid for the `routes` of the feature, guarded like its page. */
export const gridRoutes = ({ path }: Pick<Grid, 'path'>, guard: Guard): ApiRoute[] => [
  { ...guard, method: 'get', path },
  { ...guard, method: 'get', path: `${path}/export` },
];

/** Adds the calls of a grid to the API of the feature: its rows, and its export. */
export function mountGrid<Row, N extends Namespace, K extends KeysOf<N>>(
  api: OpenAPIHono<Env>,
  grid: Grid<Row, N, K>,
): void {
  const contextOf = (lang: Lang, client: string | undefined) => ({
    lang,
    t: translationsFor(lang, grid.namespace),
    pathTo: addressBuilder(() => lang, client),
  });
  const parameters = grid.parameters.extend({
    /** The language of texts, and the client of the tab for links. */
    lang: z.enum(LANGS).default('en-us'),
    client: z.string().max(60).optional(),
  });
  api.openapi(
    createRoute({
      method: 'get',
      path: grid.path,
      tags: ['Grids'],
      summary: `The rows of the grid ${grid.name}, or its groups`,
      request: {
        query: parameters.extend({ limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE) }),
      },
      responses: responses(gridAnswer, 'A page of rows, or of groups while fewer are opened than grouped'),
    }),
    async (c) => {
      const { lang, client, limit, ...query } = c.req.valid('query');
      const actor = actorIn(c);
      const page = await readGrid(grid, actor, gridQueryOf(grid, query, client), limit);
      c.header('Cache-Control', 'no-store');
      return c.json(
        answerOf(grid, page, {
          actor,
          context: contextOf(lang, client),
          query: gridQueryOf(grid, query, client),
        }),
        200,
      );
    },
  );
  api.openapi(
    createRoute({
      method: 'get',
      path: `${grid.path}/export`,
      tags: ['Grids'],
      summary: `All matching rows of the grid ${grid.name} as a file`,
      request: { query: parameters.extend({ format: z.enum(EXPORT_FORMATS).default('xlsx') }) },
      responses: { ...responses(z.strictObject({}), ''), 200: fileResponse('The file') },
    }),
    async (c) => {
      const { lang, client, format, ...query } = c.req.valid('query');
      const content = await exportGrid(grid, actorIn(c), {
        query: gridQueryOf(grid, query, client),
        format,
        context: contextOf(lang, client),
      });
      const headers = {
        'Content-Type': TYPES[format],
        'Content-Disposition': attachment(`${grid.name}.${format}`),
        'Cache-Control': 'no-store',
      };
      const { outgoing } = c.env;
      const bytes = Readable.from(content, { objectMode: false });
      if (!outgoing) return untyped(new Response(Readable.toWeb(bytes) as unknown as BodyInit, { headers }));
      outgoing.writeHead(200, headers);
      void sendStream(bytes, outgoing);
      return untyped(new Response(null, { headers: { 'x-hono-already-sent': 'true' } }));
    },
  );
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
