/**
 * A minimal browser with cookies that follows the redirects of the embedded provider to the portal's sign-in
 * page.
 */
export async function browse({
  location,
  cookies,
}: {
  location: string;
  cookies: string[];
}): Promise<{ callback: URL; jar: Map<string, string> }> {
  const jar = new Map<string, string>();
  const keep = (lines: string[]) => {
    for (const line of lines) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  };
  keep(cookies);
  let next = new URL(location);
  for (let hops = 0; hops < 10 && next.pathname.startsWith('/oidc/'); hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } });
    keep(answer.headers.getSetCookie());
    const target = answer.headers.get('location');
    if (target === null)
      throw new Error(`no way on from ${next.pathname}: ${answer.status} ${await answer.text()}`);
    next = new URL(target, next);
  }
  return { callback: next, jar };
}
