/** The answer 303, with cookies. */
export function goTo(location: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 303, headers: { Location: location } });
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
