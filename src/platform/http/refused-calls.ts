/* How the page reacts to a refused call, for the `http` client and for requests that need upload progress. */

const SESSION = '/api/security/v1/session';

/**
 * How the page reacts to a refused call (spec 1 section 8): 401 leads to the sign-in, unless the URL has
 * `ignore-codes`, belongs to a signature, or carries its own storage token; 403 on the session call signs
 * out. A pure function.
 */
export function afterRefusal(address: string, status: number): 'stay' | 'sign-in' | 'sign-out' {
  const { pathname, searchParams } = new URL(address, 'http://portal.example');
  if (status === 403) return pathname === SESSION ? 'sign-out' : 'stay';
  const isExempt =
    searchParams.has('ignore-codes') ||
    pathname.includes('/signature') ||
    (pathname.startsWith('/api/storage/') &&
      (searchParams.has('token') || pathname.includes('/sharing/links/')));
  return status === 401 && !isExempt ? 'sign-in' : 'stay';
}

/** The sign-in page that returns to this page. */
export const signInFrom = ({ pathname, search }: { pathname: string; search: string }): string =>
  `${homeOf(pathname)}/auth?r=${encodeURIComponent(pathname + search)}`;

/** The page to read and accept the firm's terms. */
export const termsFrom = ({ pathname }: { pathname: string }): string =>
  `${homeOf(pathname)}/terms-and-conditions`;

const homeOf = (pathname: string): string => pathname.split('/', 3).join('/');

/**
 * Dispatched before a page is left because its session has ended, after typed text was saved
 * (typed-forms.ts). Call preventDefault() when something cannot be saved, and show a link to the sign-in
 * instead.
 */
export const SESSION_OVER = 'portal:session-over';

/** Dispatched on a page that stayed when the same person has signed in again, before it continues. */
export const SESSION_RESUMED = 'portal:session-resumed';

/** Applies {@link afterRefusal} to the page. */
export async function followRefusal(address: string, status: number): Promise<void> {
  const next = afterRefusal(address, status);
  if (next === 'sign-out') await fetch(SESSION, { method: 'DELETE' });
  if (next === 'sign-in' && !document.dispatchEvent(new Event(SESSION_OVER, { cancelable: true }))) return;
  if (next === 'stay') return;
  location.assign(signInFrom(location));
}
