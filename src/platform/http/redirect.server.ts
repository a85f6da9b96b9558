/** Sets cookies on a response. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** The answer 303, with cookies. */
export const redirectTo = (location: string, cookies: readonly string[] = []): Response =>
  withCookies(new Response(null, { status: 303, headers: { Location: location } }), cookies);
