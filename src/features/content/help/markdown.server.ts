import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { Text } from '#platform/text/texts.ts';
import { ICON_NAMES, type IconName } from '#ui/icons.ts';
import type { Block, Inline } from './help.ts';

/*
 * Reads the text of an article: headings, paragraphs, lists, bold text, links, tables and notes of Markdown. Anything
 * else is refused, and HTML is text (docs/decisions/0101).
 */

/** What a text refers to: labels of the portal's own translations, and how words are spelled. */
export interface References {
  /** The text of a label; undefined if there is none. */
  textOfLabel: (label: Text) => string | undefined;
  respell: (text: string) => string;
}

/** Reads Markdown as data; throws an Error that names what is not allowed or unknown. */
export function blocksOf(source: string, references: References): Block[] {
  return new Lexer({ gfm: true }).lex(source).flatMap((token) => blockOf(token as MarkedToken, references));
}

/** The text of blocks, for the search. */
export const textOf = (blocks: readonly Block[]): string => blocks.map(textOfBlock).join('\n');

function blockOf(token: MarkedToken, references: References): Block | [] {
  const inline = (tokens: readonly Token[] | undefined): Inline[] => inlinesOf(tokens ?? [], references);
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      if (token.depth !== 2 && token.depth !== 3) throw new Error(`heading of level ${token.depth}`);
      return { kind: 'heading', level: token.depth, content: inline(token.tokens) };
    case 'paragraph':
      return { kind: 'paragraph', content: inline(token.tokens) };
    case 'html':
      return { kind: 'paragraph', content: [{ kind: 'text', text: token.raw.trim() }] };
    case 'blockquote':
      return { kind: 'note', content: inline(paragraphsIn(token.tokens ?? [])) };
    case 'list':
      return {
        kind: 'list',
        isOrdered: token.ordered,
        items: token.items.map((item) => inline(paragraphsIn(item.tokens))),
      };
    case 'table':
      return {
        kind: 'table',
        head: token.header.map((cell) => inline(cell.tokens)),
        rows: token.rows.map((row) => row.map((cell) => inline(cell.tokens))),
      };
    default:
      throw new Error(`“${token.type}” is not used in articles`);
  }
}

/** The text of an item or a note, which may consist of paragraphs only. */
const paragraphsIn = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => {
    if (token.type === 'space') return [];
    if (token.type !== 'text' && token.type !== 'paragraph')
      throw new Error(`“${token.type}” inside a list or a note`);
    return 'tokens' in token && token.tokens ? token.tokens : [token];
  });

const inlinesOf = (tokens: readonly Token[], references: References): Inline[] =>
  tokens.flatMap((token) => inlineOf(token as MarkedToken, references));

function inlineOf(token: MarkedToken, references: References): Inline[] {
  switch (token.type) {
    case 'text':
    case 'escape':
      return piecesOf(token.text, references);
    case 'html':
      return [{ kind: 'text', text: token.raw }];
    case 'strong':
      return [{ kind: 'strong', content: inlinesOf(token.tokens ?? [], references) }];
    case 'link':
      return [linkOf(token, references)];
    default:
      throw new Error(`“${token.type}” in “${token.raw}”`);
  }
}

function linkOf({ href, tokens, raw }: Tokens.Link, references: References): Inline {
  const [, kind, to = ''] = /^\{(page|article):([\w./[\]-]+)\}$/.exec(href) ?? [];
  if (kind !== 'page' && kind !== 'article') throw new Error(`link to “${href}” in “${raw}”`);
  return { kind, to, content: inlinesOf(tokens, references) };
}

const REFERENCE = /\{(t|icon):([\w.-]+)\}/;

/** Divides a text at its labels and icons. */
function piecesOf(text: string, { textOfLabel, respell }: References): Inline[] {
  const pieces = text.split(REFERENCE);
  const found: Inline[] = [];
  for (let i = 0; i < pieces.length; i += 3) {
    const [words = '', kind, name = ''] = pieces.slice(i, i + 3);
    if (/\{\w+:/.test(words)) throw new Error(`unknown reference in “${words}”`);
    if (words !== '') found.push({ kind: 'text', text: respell(words) });
    if (kind === 'icon') found.push({ kind: 'icon', name: iconNamed(name) });
    if (kind === 't') found.push(labelNamed(name, textOfLabel));
  }
  return found;
}

function iconNamed(name: string): IconName {
  const icon = ICON_NAMES.find((each) => each === name);
  if (!icon) throw new Error(`unknown icon “${name}”`);
  return icon;
}

/** The label `namespace.key`. Its text may contain the name of the firm, and no other placeholder. */
function labelNamed(name: string, textOfLabel: References['textOfLabel']): Inline {
  const [namespace = '', key = ''] = name.split('.');
  const label = { namespace, key };
  const text = textOfLabel(label)?.replaceAll('{{firm}}', '').trim();
  if (text === undefined) throw new Error(`unknown label “${name}”`);
  if (text.includes('{{')) throw new Error(`label “${name}” has placeholders`);
  return { kind: 'label', label, text };
}

function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'list':
      return block.items.map(textOfLine).join('\n');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(textOfLine).join(' ')).join('\n');
    default:
      return textOfLine(block.content);
  }
}

export const textOfLine = (line: readonly Inline[]): string =>
  line
    .map((part) => ('text' in part ? part.text : 'content' in part ? textOfLine(part.content) : ''))
    .join('');
