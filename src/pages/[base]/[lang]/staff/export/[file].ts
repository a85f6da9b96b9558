import type { APIRoute } from 'astro';
import { recordFile } from '#features/office/imports/record-files.server.ts';

/** All clients, contacts or links of the firm, with the columns that an import takes. */
export const GET: APIRoute = ({ locals, params }) =>
  recordFile(locals.session.actor, locals.lang, params['file'] ?? '');
