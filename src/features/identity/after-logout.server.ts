import { config } from '#platform/config.server.ts';

/**
 * Where a firm sends its people after they signed out: the logout address of its theme (spec 1 section 3, Theme), when it lies at one of
 * LOGOUT_ORIGINS; undefined when people stay in the portal (security.md T21).
 */
export function afterLogout(firm: { theme: { logoutUrl?: string | null } } | undefined): string | undefined {
  const url = URL.parse(firm?.theme.logoutUrl ?? '');
  const isAllowed = url?.protocol === 'https:' && url.username === '' && url.password === '' && config.logoutOrigins.includes(url.origin);
  return isAllowed ? url.href : undefined;
}
