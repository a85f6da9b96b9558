import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { markup, type Markup } from '#ui/markup.ts';
import { MAX_BLOCK } from './news.ts';

/*
 * Texts with headings, lists, links, quotes, tables, bold and italic, written in Markdown. The parser only tells what
 * is there; which elements may appear is written here, and everything else is shown as the text it is
 * (docs/decisions/0103).
 */

const MAX_LEVELS = 20;

/** Why a text cannot be published: in words of its form. */
type TextProblem = 'linkWrong' | 'blockTooLong' | 'tooDeep';

/** What is wrong with a text that somebody writes; undefined if it can be shown as it is meant. */
export function textProblem(source: string): TextProblem | undefined {
  if (source.split(/\n[ \t]*\n/).some((block) => block.length > MAX_BLOCK)) return 'blockTooLong';
  const tokens = read(source);
  if (!tokens) return 'tooDeep';
  return hasOtherLink(tokens) ? 'linkWrong' : undefined;
}

/** The markup of a text. */
export function renderMarkdown(source: string): Markup {
  const tokens = read(source);
  return tokens ? blocks(tokens) : paragraph(markup`${source}`);
}

/** The parts of a text; undefined if it is nested so deep that it cannot be read. */
function read(source: string): Token[] | undefined {
  try {
    const tokens = lexer(source, { gfm: true, breaks: true });
    return isWithin(tokens, MAX_LEVELS) ? tokens : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the parser calls itself for each level
    throw error;
  }
}

/** Whether no part is nested in more parts than so many. */
const isWithin = (tokens: readonly Token[], levels: number): boolean =>
  levels > 0 && tokens.every((token) => partsOf(token).every((parts) => isWithin(parts, levels - 1)));

const partsOf = (token: Token): (readonly Token[])[] => {
  const each = token as MarkedToken;
  if (each.type === 'list') return each.items.map(({ tokens }) => tokens);
  if (each.type === 'table') return [...each.header, ...each.rows.flat()].map(({ tokens }) => tokens);
  return 'tokens' in each && each.tokens ? [each.tokens] : [];
};

const blocks = (tokens: readonly Token[]): Markup => join(tokens.map((token) => block(token as MarkedToken)));

function block(token: MarkedToken): Markup {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return markup``;
    case 'heading':
      return token.depth > 2
        ? markup`<h3>${inline(token.tokens)}</h3>`
        : markup`<h2>${inline(token.tokens)}</h2>`;
    case 'paragraph':
      return paragraph(inline(token.tokens));
    case 'blockquote':
      return markup`<blockquote>${blocks(token.tokens)}</blockquote>`;
    case 'list':
      return list(token);
    case 'table':
      return table(token);
    case 'text':
      return inline(token.tokens ?? [token]);
    case 'code':
      return paragraph(markup`${token.text}`);
    case 'checkbox':
      return markup`${token.raw}`;
    default:
      return paragraph(markup`${token.raw.trim()}`);
  }
}

const paragraph = (content: Markup): Markup => markup`<p>${content}</p>`;

function list({ ordered, start, items }: Tokens.List): Markup {
  const rows = join(items.map(({ tokens }) => markup`<li>${blocks(tokens)}</li>`));
  if (!ordered) return markup`<ul>${rows}</ul>`;
  return typeof start === 'number' && start > 1
    ? markup`<ol start="${start}">${rows}</ol>`
    : markup`<ol>${rows}</ol>`;
}

function table({ header, rows }: Tokens.Table): Markup {
  const head = join(header.map(({ tokens }) => markup`<th scope="col">${inline(tokens)}</th>`));
  const body = join(
    rows.map((row) => markup`<tr>${join(row.map(({ tokens }) => markup`<td>${inline(tokens)}</td>`))}</tr>`),
  );
  const name = header.map(({ tokens }) => textOf(tokens)).join(', ');
  return markup`<table aria-label="${name}"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/** What some tokens say, without their marks. */
const textOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => (partsOf(token)[0] ? partsOf(token).map(textOf).join('') : token.raw)).join('');

const inline = (tokens: readonly Token[]): Markup => join(tokens.map((token) => span(token as MarkedToken)));

function span(token: MarkedToken): Markup {
  switch (token.type) {
    case 'strong':
      return markup`<strong>${inline(token.tokens)}</strong>`;
    case 'em':
      return markup`<em>${inline(token.tokens)}</em>`;
    case 'br':
      return markup`<br>`;
    case 'link':
      return link(token);
    case 'text':
      return token.tokens ? inline(token.tokens) : markup`${token.text}`;
    case 'escape':
    case 'codespan':
      return markup`${token.text}`;
    default:
      return markup`${token.raw}`;
  }
}

function link(token: Tokens.Link): Markup {
  const [address, content] = [safeAddress(token), inline(token.tokens)];
  return address === undefined ? content : markup`<a href="${address}" rel="noopener">${content}</a>`;
}

/** The address of a link that may be followed: of the web, encrypted, or of a mailbox. */
function safeAddress({ href, raw }: Tokens.Link): string | undefined {
  // what is written without a protocol: the parser would take the unencrypted one
  const url = URL.parse(raw.startsWith('www.') ? `https://${raw}` : href);
  return url && ['https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

/** An address in the text that is no link can still be read; others would lose theirs. */
const hasOtherLink = (tokens: readonly Token[]): boolean =>
  tokens.some((token) => {
    const each = token as MarkedToken;
    if (each.type === 'link' && !each.autolink && safeAddress(each) === undefined) return true;
    return partsOf(token).some(hasOtherLink);
  });

const join = (parts: readonly Markup[]): Markup => markup`${parts}`;
