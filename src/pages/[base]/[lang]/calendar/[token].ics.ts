import type { APIRoute } from 'astro';
import { calendarResponse } from '#features/tasks/task-reminders/calendar-page.server.ts';

/** The due dates of a contact for calendar programs, by a secret address. */
export const GET: APIRoute = ({ locals, params, request }) =>
  calendarResponse(request, params['token'] ?? '', locals.network);
