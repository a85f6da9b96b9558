import { MINUTE, now } from '#platform/runtime/clock.server.ts';

/* A cache of rendered pages, so that a page is not rendered again for each person and each reload. */

const LIFETIME = MINUTE;
const MAX_BYTES = 32_000_000;

const drawn = new Map<string, { image: Buffer; until: number }>();
let bytes = 0;

/** Returns a page rendered within the last minute. */
export function drawnPage(key: string): Buffer | undefined {
  const cached = drawn.get(key);
  return cached && cached.until > now() ? cached.image : undefined;
}

/** Caches a page for a minute, the latest 32 MB of them. */
export function keepDrawn(key: string, image: Buffer): Buffer {
  drop(key);
  drawn.set(key, { image, until: now() + LIFETIME });
  bytes += image.length;
  for (const [oldest, { until }] of drawn) {
    if (bytes <= MAX_BYTES && until > now()) break;
    drop(oldest);
  }
  return image;
}

function drop(key: string): void {
  bytes -= drawn.get(key)?.image.length ?? 0;
  drawn.delete(key);
}
