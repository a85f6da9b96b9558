import ky from 'ky';

const SESSION = '/api/security/v1/session';

/**
 * What a refused call does to the page (spec 1 section 8): 401 leads to the sign-in, unless the address has `ignore-codes`, is one of a
 * signature, or carries a storage token of its own; 403 on the session call signs out. Pure, so that it can be tested.
 */
export function afterRefusal(address: string, status: number): 'stay' | 'sign-in' | 'sign-out' {
  const { pathname, searchParams } = new URL(address, 'http://portal.example');
  if (status === 403) return pathname === SESSION ? 'sign-out' : 'stay';
  const isOfItself = searchParams.has('ignore-codes') || pathname.includes('/signature') || (pathname.startsWith('/api/storage/') && (searchParams.has('token') || pathname.includes('/sharing/links/')));
  return status === 401 && !isOfItself ? 'sign-in' : 'stay';
}

/** Where the page's own sign-in is, and back. */
export function signInFrom({ pathname, search }: { pathname: string; search: string }): string {
  const [, base, lang] = pathname.split('/');
  return `/${base}/${lang}/auth?r=${encodeURIComponent(pathname + search)}`;
}

/** How every island calls the portal: one place that knows what to do when the session is over. */
export const http = ky.create({
  hooks: {
    afterResponse: [
      async ({ request, response }) => {
        const next = afterRefusal(request.url, response.status);
        if (next === 'sign-out') await fetch(SESSION, { method: 'DELETE' });
        if (next !== 'stay') location.assign(signInFrom(location));
      },
    ],
  },
});
