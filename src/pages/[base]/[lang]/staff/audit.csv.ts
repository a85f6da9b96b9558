import type { APIRoute } from 'astro';
import { sessionOf } from '../../../_frame/for-documents.ts';
import { trailQuery } from '#features/staff/staff.ts';
import { exportTrail } from '#features/staff/staff.server.ts';

/** The audit trail as a table, with the filters of its page. */
export const GET: APIRoute = async ({ locals, url }) => {
  const given = Object.fromEntries([...url.searchParams].filter(([name]) => Object.hasOwn(trailQuery.shape, name)));
  const table = await exportTrail(sessionOf(locals).actor, trailQuery.safeParse(given).data ?? trailQuery.parse({}));
  return new Response(table, { headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': 'attachment; filename="audit-trail.csv"', 'Cache-Control': 'no-store' } });
};
