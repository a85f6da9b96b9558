import { expect, test } from 'vitest';
import { refreshWhile } from '#platform/http/refresh.server.ts';

const pageOf = (method: string) => ({
  request: new Request('http://localhost/imports/1?show=all', { method }),
  response: { headers: new Headers() },
});

test('a page is loaded again by its address, since one with a fragment would only scroll, and never after a form', () => {
  const shown = pageOf('GET');
  refreshWhile(true, shown);
  expect(shown.response.headers.get('refresh')).toBe('2;url=/imports/1?show=all');
  const posted = pageOf('POST');
  refreshWhile(true, posted);
  expect(posted.response.headers.has('refresh')).toBe(false);
  const done = pageOf('GET');
  refreshWhile(false, done);
  expect(done.response.headers.has('refresh')).toBe(false);
});
