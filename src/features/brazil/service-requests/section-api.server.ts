import type { Readable } from 'node:stream';
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { actorIn, type Env } from '#features/base/people/people.server.ts';
import { eachFile } from '#features/documents/uploads/multipart.server.ts';
import { fileCode } from '#features/documents/uploads/refusals.ts';
import { bodyOf, lengthOf, uploadQuery } from '#features/documents/uploads/request-body.server.ts';
import { savedSection } from '#features/tasks/answer-editor/answer-editor.ts';
import { afterSection } from '#features/tasks/tasks/posted-section.server.ts';
import { SECTION_FIELDS } from '#features/tasks/tasks/tasks.ts';
import { data, responses } from '#platform/http/api.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { uploadToRequest } from './files.server.ts';
import { saveSection } from './saving.server.ts';
import { requestRow } from './scope.server.ts';

/** The prefix of file fields: the rest is the path of the question. */
const FILES = 'files:';

/** Refusals of the request, and not of a file. */
const OF_REQUEST = ['NOT_FOUND', 'CLOSED', 'NOT_POSSIBLE', 'FORBIDDEN'];

/** The call that saves a section with its files, for the editor and for forms without scripts. */
export function mountSections(api: OpenAPIHono<Env>, path: string): void {
  // Documented, but not validated by the library, which would buffer the whole body first.
  api.openAPIRegistry.registerPath(
    createRoute({
      method: 'post',
      path: `${path}/requests/{id}/sections/{section}`,
      tags: ['Service requests'],
      summary: 'Save the answers of a section, with its files',
      description:
        'Multipart: a field for each answer, named by its path, and `files:<path>` for the files of a question, after the other fields. Answers that are wrong are saved as typed.',
      request: {
        params: z.object({ id: z.string().max(60), section: z.string().max(40) }),
        query: z.object({ r: z.string().max(2000).optional(), ...uploadQuery }),
        body: { required: true, content: { 'multipart/form-data': { schema: z.object({}) } } },
      },
      responses: {
        ...responses(data(savedSection), 'What was saved'),
        303: { description: 'With `r`: back to that page, which says what was saved and what was not' },
      },
    }),
  );
  api.post(`${path}/requests/:id/sections/:section`, async (c) => {
    const { id: requestId, section } = c.req.param();
    const actor = actorIn(c);
    const page = c.req.query('r');
    const form = new FormData();
    const stored: string[] = [];
    const refused: { name: string; code: string }[] = [];
    let left = lengthOf(c);
    let hasFields = false;
    const take = async (name: string, bytes: Readable, field: string): Promise<void> => {
      try {
        const at = field.startsWith(FILES) ? field.slice(FILES.length) : '';
        const added = await uploadToRequest(actor, requestId, at, { name, bytes, announced: left });
        stored.push(added.id);
        if (left !== undefined) left -= added.originalItemSize;
      } catch (error) {
        const problem = refusal(error);
        if (!problem || OF_REQUEST.includes(problem.code)) throw error;
        refused.push({ name, code: fileCode(problem) });
      }
    };
    await requestRow(actor, requestId);
    await eachFile(bodyOf(c), c.req.header('content-type') ?? '', take, {
      takeField: (name, value) => {
        hasFields = true;
        form.append(name, value);
      },
      fields: SECTION_FIELDS,
    });
    const lang = languageOf(String(form.get('lang') ?? '')) ?? DEFAULT_LANG;
    const { problems, conflicts } = hasFields
      ? await saveSection(actor, requestId, { section, form, lang })
      : { problems: [], conflicts: [] };
    if (page !== undefined) return afterSection(page, form, { problems, conflicts, refused });
    return c.json(
      {
        data: {
          problems: problems.map(({ path: at, code }) => ({ path: at, code })),
          conflicts: conflicts.map(({ path: at }) => at),
          documentIds: stored,
          refused,
        },
      },
      200,
    );
  });
}
