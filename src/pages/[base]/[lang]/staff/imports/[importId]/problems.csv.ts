import type { APIRoute } from 'astro';
import { problemsFile } from '#features/office/imports/record-files.server.ts';

/** The rows of an import with a problem, to correct them and to import them again. */
export const GET: APIRoute = ({ locals, params }) =>
  problemsFile(locals.session.actor, locals.lang, params['importId'] ?? '');
