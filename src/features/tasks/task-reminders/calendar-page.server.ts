import { refusal } from '#platform/runtime/errors.server.ts';
import { readCalendar } from './calendars.server.ts';

/** Answers a calendar program: 304 if it has the current state, 404 for an address that does not work, 429. */
export async function calendarResponse(request: Request, token: string, network: string): Promise<Response> {
  try {
    const { text, etag } = await readCalendar(token, network);
    const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', 'X-Robots-Tag': 'noindex' };
    const known = request.headers.get('if-none-match')?.split(',') ?? [];
    if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
      return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, 'Content-Type': 'text/calendar; charset=utf-8' } });
  } catch (error) {
    const code = refusal(error)?.code;
    if (code !== 'NOT_FOUND' && code !== 'TOO_MANY') throw error;
    // browsers show an error response without a body as a connection error
    return code === 'NOT_FOUND'
      ? new Response('This calendar address does not work.\n', { status: 404 })
      : new Response('Too many requests. Try again later.\n', { status: 429 });
  }
}
