import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inlineStyles, isFirstView, loadStyles } from '#platform/http/first-view.server.ts';

const FRAME = '.frame { color: red }';
const LIST = '.list { content: "$&" }';
const POLICY = "default-src 'none'; style-src 'self' 'sha256-of-another='";
const THEME = { url: '/theme/firm_1/a1/theme.css', css: ':root{--firm:#abc}', digest: 'sha256-theme=' };
const HEAD =
  '<head><title>Documents</title><link rel="stylesheet" href="/theme/firm_1/a1/theme.css">' +
  '<link rel="stylesheet" href="/_astro/frame.a1.css"><link rel="stylesheet" href="/_astro/list.b2.css"></head>';
const BODY =
  '<body class="wide"><svg class="icon"><use href="/icons.svg#bell"></use></svg><svg><use href="/icons.svg#bell"></use></svg></body>';

const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-first-view-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => {
  mkdirSync(path.join(folder, '_astro'));
  writeFileSync(path.join(folder, '_astro/frame.a1.css'), FRAME);
  writeFileSync(path.join(folder, '_astro/list.b2.css'), LIST);
  writeFileSync(path.join(folder, '_astro/list.js'), 'export {}');
  writeFileSync(
    path.join(folder, 'icons.svg'),
    '<svg><symbol id="bell" viewBox="0 0 24 24"><path d="M1 1"/></symbol><symbol id="info"><path d="M2 2"/></symbol></svg>',
  );
  loadStyles(folder);
});

const page = (html = `<html>${HEAD}${BODY}</html>`, headers: Record<string, string> = {}): Response =>
  new Response(html, {
    status: 422,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY, ...headers },
  });
const requestWith = (headers: Record<string, string>): Request => new Request('http://portal/', { headers });
const digestOf = (css: string): string => `'sha256-${createHash('sha256').update(css).digest('base64')}'`;

describe('the first page that a browser opens', () => {
  test('contains the style sheets in their order, and names their files', async () => {
    const html = await (await inlineStyles(page(), THEME)).text();
    expect(html.slice(0, html.indexOf('<body'))).toBe(
      '<html><head><title>Documents</title><style>:root{--firm:#abc}</style>' +
        '<style data-files="/_astro/frame.a1.css /_astro/list.b2.css /icons.svg /theme/firm_1/a1/theme.css">' +
        `${FRAME}\n${LIST}</style></head>`,
    );
  });

  test('contains each icon once, and none that it does not show', async () => {
    const html = await (await inlineStyles(page(), THEME)).text();
    expect(html.slice(html.indexOf('<body'))).toBe(
      '<body class="wide"><svg class="visually-hidden" aria-hidden="true"><symbol id="icon-bell" viewBox="0 0 24 24"><path d="M1 1"/></symbol></svg>' +
        '<svg class="icon"><use href="#icon-bell"></use></svg><svg><use href="#icon-bell"></use></svg></body></html>',
    );
  });

  test('allows exactly these styles besides, and keeps its status', async () => {
    const response = await inlineStyles(page(), THEME);
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([
      422,
      `default-src 'none'; style-src 'self' ${digestOf(`${FRAME}\n${LIST}`)} 'sha256-theme=' 'sha256-of-another='`,
    ]);
  });

  test('is followed by pages that link to the files', async () => {
    expect(isFirstView(requestWith({}))).toBe(true);
    const [cookie = ''] = (await inlineStyles(page(), THEME)).headers.getSetCookie();
    expect(cookie).toMatch(/^styles=[\w-]{8}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(isFirstView(requestWith({ cookie: cookie.split(';', 1)[0] ?? '' }))).toBe(false);
    expect(isFirstView(requestWith({ cookie: 'styles=of-an-older-build' }))).toBe(true);
  });
});

test('a page that a script reads is none, and neither is a part of a page', () => {
  expect(isFirstView(requestWith({ 'sec-fetch-dest': 'empty' }))).toBe(false);
  expect(isFirstView(requestWith({ 'sec-fetch-dest': 'document' }))).toBe(true);
});

test.each([
  ['without style sheets of the build', page('<head><style>a{}</style></head><body>Signed out</body>')],
  [
    'with a style sheet that is not of this build',
    page(`${HEAD.replaceAll('a1.css', 'z9.css').replace('list.b2', 'list.z9')}${BODY}`),
  ],
  ['without a policy', new Response(`${HEAD}${BODY}`, { headers: { 'content-type': 'text/html' } })],
  ['of another type', page('{"head":"</head>"}', { 'content-type': 'application/json' })],
])('a response %s stays as it is', async (_, response) => {
  const before = await response.clone().text();
  const after = await inlineStyles(response, THEME);
  expect([await after.text(), [...after.headers]]).toEqual([before, [...response.headers]]);
});

test('a page without a theme has the styles of the build alone', async () => {
  const html = await (
    await inlineStyles(page(`${HEAD.replace(/<link[^>]*theme[^>]*>/, '')}${BODY}`), undefined)
  ).text();
  expect(html).toContain('data-files="/_astro/frame.a1.css /_astro/list.b2.css /icons.svg"');
});
