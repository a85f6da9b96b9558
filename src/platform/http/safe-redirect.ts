/**
 * Returns `target` as path, query and fragment if it stays within this portal, else `fallback`. A browser
 * parses the result again, so it must resolve to itself (threat-model.md F1).
 */
export function safeRedirect(target: string | null | undefined, origin: string, fallback: string): string {
  if (!target || target.length > 2000 || /[\u0000-\u001f\u007f\\]/.test(target)) return fallback;
  const resolved = resolveWithin(target, origin);
  if (resolved === undefined || /^\/(?:\/|%2f|%5c)/i.test(resolved)) return fallback;
  return resolveWithin(resolved, origin) === resolved ? resolved : fallback;
}

function resolveWithin(target: string, origin: string): string | undefined {
  const url = URL.parse(target, `${origin}/`);
  if (!url || url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return url.pathname + url.search + url.hash;
}
