import { z } from 'zod';
import { fileResponse, responses } from '#platform/http/api.server.ts';
import { refusal, type ErrorCode } from '#platform/runtime/errors.server.ts';
import { IMAGE_WIDTHS, PREVIEW_WIDTH, type Width } from './viewer.ts';
import type { PageImage } from './viewer.server.ts';

/* What the calls for images of pages have in common. */

export const pageNumber = z.coerce.number().int().min(1).max(1_000_000);

export const imageQuery = z.strictObject({
  width: z.enum(IMAGE_WIDTHS.map(String) as [`${Width}`]).transform((text) => Number(text) as Width),
});

export const imageResponses = {
  ...responses(z.string(), ''),
  200: fileResponse('The image'),
  304: { description: 'It is the one that the caller has' },
};

/** Sends an image of a page; it is not drawn if the browser has it. */
export async function sendPageImage(request: Request, { etag, draw }: PageImage): Promise<Response> {
  const headers = {
    'Content-Type': 'image/webp',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    // A document never changes, but the right to see it may: the browser revalidates each time, also after the
    // session or the link has ended.
    'Cache-Control': 'private, no-cache',
    ETag: `"${etag}"`,
  };
  if (request.headers.get('if-none-match') === headers.ETag)
    return new Response(null, { status: 304, headers });
  return new Response(new Uint8Array(await draw()), { headers });
}

const UNDRAWN: ReadonlySet<ErrorCode | undefined> = new Set([
  'TYPE_NOT_ALLOWED',
  'UNREADABLE', // for example because it needs a password
  'TOO_HEAVY',
  'TOO_LARGE',
  'DAMAGED',
  'TOO_MANY',
  'UNAVAILABLE',
]);

/** One transparent pixel. */
const NOTHING = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');

/**
 * Sends what `draw` returns, or an empty image instead of a small preview that cannot be drawn. Whether it can is known
 * only then, so pages show a preview of each document: with an empty one its icon stays visible, where browsers would
 * show a broken image. Throws for larger images, and every other error.
 */
export async function orEmptyPreview(width: Width, draw: () => Promise<Response>): Promise<Response> {
  try {
    return await draw();
  } catch (error) {
    if (width !== PREVIEW_WIDTH || !UNDRAWN.has(refusal(error)?.code)) throw error;
    return new Response(new Uint8Array(NOTHING), {
      headers: { 'Content-Type': 'image/webp', 'Cache-Control': 'no-store' },
    });
  }
}
