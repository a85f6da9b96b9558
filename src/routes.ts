/*
 * Every address that answers, and who may call it. The front door and the middleware read it, so what does not stand here is not
 * served; tests compare it with what is mounted. `visitor` needs no session: that list is kept short on purpose (security.md T84).
 */

export type Who = 'visitor' | 'signed-in' | 'demo';

export interface ApiRoute {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  who: Who;
}

const container = (path: string, method: ApiRoute['method']): ApiRoute[] =>
  ['clients', 'projects', 'folders'].map((type) => ({ method, path: `/api/storage/v1/${type}/{id}/documents${path}`, who: 'signed-in' }));

export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'get', path: '/api/openapi.json', who: 'visitor' },
  { method: 'get', path: '/api/docs', who: 'visitor' },
  { method: 'get', path: '/api/security/v1/session', who: 'signed-in' },
  { method: 'delete', path: '/api/security/v1/session', who: 'signed-in' },
  { method: 'get', path: '/api/client-center/v1/clients/', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/documents/constraints', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v1/containers/documents', who: 'signed-in' },
  { method: 'post', path: '/api/storage/v1/folders', who: 'signed-in' },
  ...container('/exists', 'post'),
  ...container('/{documentId}', 'get'),
  ...container('', 'post'),
  { method: 'post', path: '/api/storage/v2/sharing/share', who: 'signed-in' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents/{documentId}', who: 'visitor' },
  { method: 'get', path: '/api/storage/v2/sharing/links/{token}/documents.zip', who: 'visitor' },
  { method: 'get', path: '/api/demo/v1/mails/{id}', who: 'demo' },
];

/** What the front door answers itself, by the beginning of the address; every other address is a file of the build or a page. */
export const FRONT_DOOR = {
  '/healthz': 'visitor',
  '/readyz': 'visitor',
  '/oidc/': 'visitor',
  '/theme/': 'visitor',
  '/api/': 'visitor', // each call has its own line above
} as const satisfies Record<string, Who>;

/** Pages by Astro's route pattern. */
export const PAGES: Readonly<Record<string, Who>> = {
  '/[base]/[lang]': 'signed-in',
  '/[base]/[lang]/documents': 'signed-in',
  '/[base]/[lang]/documents/send': 'signed-in',
  '/[base]/[lang]/partials/documents': 'signed-in',
  '/[base]/[lang]/clients': 'signed-in',
  '/[base]/[lang]/auth': 'visitor',
  '/[base]/[lang]/auth/logout': 'visitor',
  '/[base]/[lang]/auth/firm-locked': 'visitor',
  '/[base]/[lang]/auth/mfa-required': 'visitor',
  '/[base]/[lang]/auth/signin-error': 'visitor',
  '/[base]/[lang]/language': 'visitor',
  '/[base]/[lang]/share/[token]': 'visitor',
  '/[base]/[lang]/not-authorized': 'visitor',
  '/[base]/[lang]/notfound': 'visitor',
  '/[base]/[lang]/kit': 'demo',
  '/[base]/[lang]/mailbox': 'demo',
  '/[base]/[lang]/mailbox/[id]': 'demo',
  '/404': 'visitor',
  '/500': 'visitor',
};
