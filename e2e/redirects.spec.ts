import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { expect, PEOPLE, test } from './support/test.ts';

/*
 * Every hostile link of the corpus in every parameter that redirects (threat-model.md T21, F1) must stay in
 * the portal.
 */

const START = '/clientcenter/en-us/';
const { hostile } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../tests/corpora/redirects.json'), 'utf8'),
) as { hostile: { target: string; why: string }[] };

test('no hostile link redirects out of the portal, whichever parameter carries it', async ({
  portal,
  page,
}) => {
  test.setTimeout(180_000);
  const { origin } = portal;
  const targets = hostile.map(({ target }) =>
    target.replaceAll('ORIGIN', origin).replaceAll('HOST', new URL(origin).host),
  );
  expect(targets.length).toBeGreaterThanOrEqual(50);
  const request = async (
    address: string,
    { cookie = '', form, json }: { cookie?: string; form?: Record<string, string>; json?: unknown } = {},
  ) => {
    const body = form ? new URLSearchParams(form) : json === undefined ? undefined : JSON.stringify(json);
    const answer = await fetch(origin + address, {
      redirect: 'manual',
      method: body === undefined ? 'GET' : 'POST',
      headers: { origin, cookie, ...(json !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    // for example an address or a field that is too long
    if (answer.status >= 400) return { location: '/refused', body: '', cookies: [] };
    return {
      location: answer.headers.get('location'),
      body: await answer.text(),
      cookies: answer.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? ''),
    };
  };
  /** Signs in with this `r` and returns the session cookie and the final redirect. */
  const signIn = async (r: string): Promise<{ sid: string; location: string | null }> => {
    const started = await request(`${START}auth?r=${encodeURIComponent(r)}`, {
      form: { email: PEOPLE.olivia, password: DEMO_PASSWORD },
    });
    const jar = new Map(started.cookies.map((pair) => pair.split('=', 2) as [string, string]));
    let next = started.location ?? '';
    for (let hops = 0; hops < 6 && next.includes('/oidc/'); hops += 1) {
      const answer = await request(next.replace(origin, ''), {
        cookie: [...jar].map((pair) => pair.join('=')).join('; '),
      });
      for (const pair of answer.cookies) jar.set(...(pair.split('=', 2) as [string, string]));
      next = answer.location ?? '';
    }
    const done = await request(next.replace(origin, ''), {
      cookie: [...jar].map((pair) => pair.join('=')).join('; '),
    });
    return { sid: done.cookies.find((pair) => pair.startsWith('sid=')) ?? '', location: done.location };
  };
  /** Returns where a browser ends up that follows `location`, and that resolves its path once more (F1). */
  const leads = (location: string | null, from: string): string[] => {
    const first = URL.parse(location ?? '', origin + from);
    if (!first) return ['no address'];
    return [first.origin, new URL(first.pathname + first.search + first.hash, origin + from).origin];
  };
  const problems: string[] = [];
  const expectInside = (parameter: string, target: string, location: string | null, from: string): void => {
    if (location === null || leads(location, from).some((place) => place !== origin))
      problems.push(
        `${parameter} with ${JSON.stringify(target.slice(0, 60))} leads to ${location?.slice(0, 200)}`,
      );
    const next = URL.parse(location ?? '', origin + from);
    // The same page in another language checks its own parameter again.
    const inner = next?.pathname.endsWith('/auth') ? next.searchParams.get('r') : null;
    if (inner !== null && leads(inner, from).some((place) => place !== origin))
      problems.push(
        `${parameter} with ${JSON.stringify(target.slice(0, 60))} hands on ${inner.slice(0, 200)}`,
      );
  };
  const linksOf = (body: string): string[] =>
    [...body.matchAll(/<a [^>]*href="([^"]*)"/g)]
      .map(([, href = '']) => href.replaceAll('&#38;', '&').replaceAll('&amp;', '&'))
      .filter((href) => !/^(?:tel|mailto):/.test(href));

  const { sid } = await signIn('/');
  expect(sid).not.toBe('');
  for (const target of targets) {
    const r = `r=${encodeURIComponent(target)}`;
    expectInside(
      'r of auth, signed in',
      target,
      (await request(`${START}auth?${r}`, { cookie: sid })).location,
      `${START}auth`,
    );
    expectInside(
      'r of auth/logout',
      target,
      (await request(`${START}auth/logout`, { form: { r: target } })).location,
      `${START}auth/logout`,
    );
    const login = await request('/api/security/v1/oidc/login', {
      json: { lang: 'en-us', redirectUri: target },
    });
    expectInside('redirectUri of the login call', target, login.location, START);
    for (const page of ['auth/mfa-required', 'auth/firm-locked', 'auth/signin-error', 'language']) {
      for (const href of linksOf((await request(`${START}${page}?${r}`)).body))
        expectInside(`r of ${page}`, target, href, START + page);
    }
  }
  for (const target of targets.filter((_, index) => index % 6 === 0))
    expectInside('r of auth, while signing in', target, (await signIn(target)).location, `${START}auth`);
  expect(problems).toEqual([]);

  // The same in a real browser, for a few of them.
  await page.context().addCookies([{ name: 'sid', value: sid.slice(4), url: origin }]);
  for (const target of targets.slice(0, 12)) {
    await page.goto(`${origin}${START}auth?r=${encodeURIComponent(target)}`);
    expect(new URL(page.url()).origin, target).toBe(origin);
  }
});
