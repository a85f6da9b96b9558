import type { APIRoute } from 'astro';
import { auditLogList } from '#features/staff/lists.server.ts';
import { exportAuditLog } from '#features/staff/audit-log.server.ts';
import { queryOf } from '#platform/lists.server.ts';

/** The audit log as a table, with the filters of its page. */
export const GET: APIRoute = async ({ locals, url }) => {
  const table = await exportAuditLog(locals.session.actor, queryOf(auditLogList, url.searchParams));
  return new Response(table, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit-trail.csv"',
      'Cache-Control': 'no-store',
    },
  });
};
