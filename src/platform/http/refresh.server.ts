const SECONDS = 2;

interface Page {
  request: Request;
  response: { headers: Headers };
}

/**
 * Loads a page again, also without scripts. By its address: one with a fragment, as after a link that skips to the
 * content, would only scroll.
 */
export function refreshAfter(seconds: number, { request, response }: Page): void {
  const { pathname, search } = new URL(request.url);
  response.headers.set('Refresh', `${seconds};url=${pathname}${search}`);
}

/** Loads a page again every two seconds while a job works on what it shows. */
export function refreshWhile(isAtWork: boolean, page: Page): void {
  // a reload would submit a form again
  if (isAtWork && page.request.method === 'GET') refreshAfter(SECONDS, page);
}
