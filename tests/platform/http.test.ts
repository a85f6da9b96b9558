import { globSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { keyedFetch } from '#platform/http/keyed-fetch.ts';
import { afterRefusal, signInFrom, termsFrom } from '#platform/http/refused-calls.ts';

test.each([
  ['/api/client-center/v1/clients/', 401, 'sign-in'],
  ['/api/security/v1/session?force=1', 401, 'sign-in'],
  ['/api/security/v1/session?force=1', 403, 'sign-out'],
  ['/api/client-center/v1/clients/', 403, 'stay'],
  ['/api/client-center/v1/clients/?ignore-codes=401', 401, 'stay'],
  ['/api/tasks/v1/tasks/1/signature', 401, 'stay'],
  ['/api/storage/v1/documents/1?token=x', 401, 'stay'],
  ['/api/storage/v2/sharing/links/x/documents.zip', 401, 'stay'],
  ['/api/storage/v1/folders', 401, 'sign-in'],
  ['/api/storage/v1/folders', 404, 'stay'],
  ['/api/storage/v1/folders', 500, 'stay'],
] as const)('an API response of %s with status %i leads to: %s', (address, status, next) => {
  expect(afterRefusal(`https://portal.firm.example${address}`, status)).toBe(next);
});

test('the link to the terms is in the language of the page', () => {
  expect(termsFrom({ pathname: '/clientcenter/pt/documents' })).toBe('/clientcenter/pt/terms-and-conditions');
});

test('the sign-in link returns to the page with its query', () => {
  expect(signInFrom({ pathname: '/clientcenter/pt/documents', search: '?folder=a&from=2' })).toBe(
    '/clientcenter/pt/auth?r=%2Fclientcenter%2Fpt%2Fdocuments%3Ffolder%3Da%26from%3D2',
  );
});

/** Requests of the browser that do not go through the `http` client, and why. */
const OTHER_REQUESTS: Readonly<Record<string, string>> = {
  'src/platform/http/refused-calls.ts': 'the client itself calls it',
  'src/platform/http/keyed-fetch.ts': 'the client itself sends through it',
  'src/ui/dialog-form.ts': 'a page, for its form; it opens on pages that have no client',
  'src/ui/prefetch.ts': 'static files, for the cache',
  'src/ui/page-errors.ts': 'an error that nobody waits for: its refusal must lead nowhere',
  'src/features/base/logging/ui/load-time.ts':
    'a measure that nobody waits for: its refusal must lead nowhere',
  'src/ui/form/enhance.ts': 'a form to its page; loaded by pages for strangers, which are light',
  'src/ui/form/autosave.ts': 'a form to its page',
  'src/ui/mobile-bridge/bridge.ts': 'asks whether a page is there',
  'src/features/documents/trash/ui/deleting.ts': 'a page, for its form',
  'src/features/tasks/task-links/ui/phone-files.ts': 'a page, for a part of it',
  'src/features/brazil/payroll-entries/calls.ts':
    'cells are saved while they are typed by the queue of the answer editor, which repeats them itself, and while the page is left',
  'src/features/tasks/answer-editor/calls.ts':
    'the client would be a tenth of what the editor of a step loads (0062)',
  'src/features/tasks/answer-editor/ui/lookup-suggestions.ts':
    'the same, for suggestions that nobody waits for',
  'src/features/brazil/service-request-rules/check-while-typing.ts':
    'the same, for what is said while somebody types and checked again before it is sent',
  'src/features/tasks/answer-editor/ui/use-uploads.ts': 'a page, for a part of it',
  'src/features/office/search/ui/suggestions.ts': 'a page, for a part of it',
  'src/ui/lookup-field.ts': 'suggestions that nobody waits for: their refusal must lead nowhere',
  'src/ui/live-bell.ts': 'a page, for a part of it',
  'src/ui/service-worker.ts': 'a renewal that nobody waits for, of pages that have no client',
  'src/features/office/offline/worker.ts': 'the requests of pages, as they are',
  'src/features/documents/downloads/ui/downloading.ts': 'a page, for a part of it',
  'src/features/documents/uploads/ui/file-sender.ts':
    'asked when the uploader is touched, whose scripts are 3 kB below their budget; the client has 8',
  'src/features/documents/viewer/ui/viewing.ts': 'why an image did not come; pages of shares have no client',
  'src/features/documents/uploads/ui/large-uploading.ts': 'fetch does not tell how much of a body was sent',
};

test('every call of the API from the browser goes through the http client, or says why not', () => {
  const found = globSync('src/{features,layouts,pages,platform,ui}/**/*.{ts,tsx,astro}')
    .filter((file) => !file.endsWith('.server.ts') && !file.startsWith('src/commands'))
    .filter((file) => {
      const code = readFileSync(file, 'utf8').replace(/^---$[^]*?^---$/m, '');
      return /(?<![.\w])fetch\(|new XMLHttpRequest/.test(code);
    });
  expect(found.map((file) => file.replaceAll('\\', '/')).toSorted()).toEqual(
    Object.keys(OTHER_REQUESTS).toSorted(),
  );
});

test('a write that failed without an answer is sent again with its key, and any other write has a key of its own', async () => {
  const statuses = [503, 200, 200, 200];
  const keys: (string | null)[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    keys.push(request.headers.get('idempotency-key'));
    return Promise.resolve(new Response(null, { status: statuses.shift() ?? 200 }));
  });
  const send = (text: string) =>
    keyedFetch('https://portal.firm.example/api/notes/v1/comments/', {
      method: 'POST',
      body: JSON.stringify({ text }),
      headers: { 'content-type': 'application/json' },
    });
  await send('Thanks'); // 503
  await send('Another');
  await send('Thanks');
  await send('Thanks');
  await keyedFetch('https://portal.firm.example/api/notes/v1/comments/');
  vi.unstubAllGlobals();
  expect(keys[2]).toBe(keys[0]);
  expect(new Set(keys.slice(0, 4)).size).toBe(3);
  expect(keys[4]).toBeNull();
});
