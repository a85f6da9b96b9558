/**
 * The place inside this portal that `target` names, as path, query and fragment, or `fallback` when it would lead anywhere else.
 * A browser may read the emitted path once more, so what we emit must mean the same when it is resolved again (security.md F1).
 */
export function safeRedirect(target: string | null | undefined, origin: string, fallback: string): string {
  if (!target || target.length > 2000 || /[\u0000-\u001f\u007f\\]/.test(target)) return fallback;
  const once = inside(target, origin);
  if (once === undefined || /^\/(?:\/|%2f|%5c)/i.test(once)) return fallback;
  return inside(once, origin) === once ? once : fallback;
}

function inside(target: string, origin: string): string | undefined {
  const url = URL.parse(target, `${origin}/`);
  if (!url || url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return url.pathname + url.search + url.hash;
}
