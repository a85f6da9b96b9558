const SECONDS = 2;

/** Reloads a page every two seconds, also without scripts, while a job works on what it shows. */
export function refreshWhile(
  isAtWork: boolean,
  { request, response }: { request: Request; response: { headers: Headers } },
): void {
  // a reload would submit a form again
  if (isAtWork && request.method === 'GET') response.headers.set('Refresh', String(SECONDS));
}
