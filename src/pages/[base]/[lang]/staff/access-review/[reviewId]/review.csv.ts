import type { APIRoute } from 'astro';
import { reviewFile } from '#features/clients/access-review/pages.server.ts';

/** A review of who has access, with every decision. */
export const GET: APIRoute = ({ locals, params }) =>
  reviewFile(locals.session.actor, locals.lang, params['reviewId'] ?? '');
