import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readCookie, setCookie } from './cookies.server.ts';

/*
 * The first page that a browser opens has its style sheets and icons inline, so that it is shown after one round trip.
 * It lists their files, which ui/prefetch.ts loads when somebody touches the page; later pages link to them
 * (docs/decisions/0075).
 */

const A_YEAR = 31_536_000;
const SPRITE = '/icons.svg';
const SHEET = /<link rel="stylesheet" href="\/_astro\/([^"]+\.css)">/g;
const ICON = /(<use href=")\/icons\.svg#([\w-]+)"/g;
const SYMBOL = /<symbol id="([\w-]+)".*?<\/symbol>/gs;

/** The style sheets of the build by file name. */
let sheets: ReadonlyMap<string, string> = new Map();
/** The icons of the sprite by name, as elements with ids that no page has. */
let symbols: ReadonlyMap<string, string> = new Map();
/** Changes whenever a style sheet does. */
let version = '';
/** Digests of joined style sheets by their file names; every page of a kind has the same. */
const digests = new Map<string, string>();

/** Reads style sheets and icons of the build once, as a newer build may replace them. `folder`: that of the client. */
export function loadStyles(folder: string): void {
  const styles = path.join(folder, '_astro');
  const names = readdirSync(styles).filter((name) => name.endsWith('.css'));
  sheets = new Map(names.map((name) => [name, readFileSync(path.join(styles, name), 'utf8')]));
  const sprite = readFileSync(path.join(folder, SPRITE), 'utf8');
  symbols = new Map(
    [...sprite.matchAll(SYMBOL)].map(([symbol, name = '']) => [
      name,
      symbol.replace('<symbol id="', '<symbol id="icon-'),
    ]),
  );
  version = createHash('sha256').update(names.sort().join()).digest('base64url').slice(0, 8);
  digests.clear();
}

/** True for a navigation, not a request of a script, of a browser that has opened no page of this build. */
export const isFirstView = ({ headers }: Request): boolean =>
  sheets.size > 0 &&
  (headers.get('sec-fetch-dest') ?? 'document') === 'document' &&
  readCookie(headers.get('cookie'), 'styles') !== version;

/** A style sheet that is not a file of the build: its URL, its content, and its digest for the policy. */
export interface ThemeSheet {
  url: string;
  css: string;
  digest: string;
}

/**
 * Inlines the style sheets and icons that a page links to, allows the styles in its content security policy, and sets
 * the cookie that marks later requests as such. `theme`: that of the firm. Returns every other response unchanged.
 */
export async function inlineStyles(response: Response, theme: ThemeSheet | undefined): Promise<Response> {
  const policy = response.headers.get('content-security-policy');
  if (policy === null || !response.headers.get('content-type')?.startsWith('text/html')) return response;
  const html = await response.text();
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-length'); // the length has changed
  const names = [...html.matchAll(SHEET)].flatMap(([, name = '']) => (sheets.has(name) ? [name] : []));
  if (names.length === 0) return new Response(html, { status, headers });
  const sources = [digestOf(names), ...(theme ? [theme.digest] : [])].map((digest) => `'${digest}'`);
  headers.append('Set-Cookie', setCookie('styles', version, A_YEAR));
  headers.set(
    'content-security-policy',
    policy.replace("style-src 'self'", `style-src 'self' ${sources.join(' ')}`),
  );
  return new Response(withIcons(withStyles(html, names, theme)), { status, headers });
}

function withStyles(html: string, names: readonly string[], theme: ThemeSheet | undefined): string {
  const files = [...names.map((name) => `/_astro/${name}`), SPRITE, ...(theme ? [theme.url] : [])];
  const style = `<style data-files="${files.join(' ')}">${joined(names)}</style></head>`;
  const unlinked = html.replace(SHEET, (link, name: string) => (sheets.has(name) ? '' : link));
  const themed = theme
    ? unlinked.replace(`<link rel="stylesheet" href="${theme.url}">`, () => `<style>${theme.css}</style>`)
    : unlinked;
  return themed.replace('</head>', () => style);
}

/** Defines the icons of a page at the start of its body. Those that an island renders later come from the sprite. */
function withIcons(html: string): string {
  const names = new Set([...html.matchAll(ICON)].map(([, , name = '']) => name));
  const used = [...names].map((name) => symbols.get(name) ?? '').join('');
  return html
    .replace(ICON, '$1#icon-$2"')
    .replace(/<body[^>]*>/, (body) => `${body}<svg class="visually-hidden" aria-hidden="true">${used}</svg>`);
}

function digestOf(names: readonly string[]): string {
  const key = names.join();
  const digest = digests.get(key) ?? `sha256-${createHash('sha256').update(joined(names)).digest('base64')}`;
  digests.set(key, digest);
  return digest;
}

const joined = (names: readonly string[]): string => names.map((name) => sheets.get(name)).join('\n');
