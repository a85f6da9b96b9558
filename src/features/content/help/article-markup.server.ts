import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { iconMarkup } from '#ui/icon-markup.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Block, Inline } from './help.ts';
import { textOfLine } from './markdown.server.ts';

/** For whom an article is written out: labels name their firm, and they may open some of the pages. */
interface Reader {
  lang: Lang;
  firm: string;
  pathTo: PathTo;
  mayOpen: (page: string) => boolean;
}

/** Writes out an article. A link to a page that the reader may not open is text. */
export const articleMarkup = (blocks: readonly Block[], reader: Reader): Markup =>
  markup`${blocks.map((block) => blockMarkup(block, reader))}`;

type Line = readonly Inline[];

function blockMarkup(block: Block, reader: Reader): Markup {
  const line = (parts: Line): Markup => markup`${parts.map((part) => inlineMarkup(part, reader))}`;
  switch (block.kind) {
    case 'heading':
      return block.level === 2
        ? markup`<h2>${line(block.content)}</h2>`
        : markup`<h3>${line(block.content)}</h3>`;
    case 'paragraph':
      return markup`<p>${line(block.content)}</p>`;
    case 'note':
      return markup`<p class="note">${line(block.content)}</p>`;
    case 'list': {
      const items = block.items.map((item) => markup`<li>${line(item)}</li>`);
      return block.isOrdered ? markup`<ol>${items}</ol>` : markup`<ul>${items}</ul>`;
    }
    case 'table': {
      const head = block.head.map((cell) => markup`<th scope="col">${line(cell)}</th>`);
      const rows = block.rows.map(
        (row) => markup`<tr>${row.map((cell) => markup`<td>${line(cell)}</td>`)}</tr>`,
      );
      const name = block.head.map(textOfLine).join(', ');
      return markup`<table aria-label="${name}"><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
    }
  }
}

function inlineMarkup(part: Inline, reader: Reader): Markup {
  switch (part.kind) {
    case 'text':
      return markup`${part.text}`;
    case 'label':
      return markup`<strong>${translate(reader.lang, part.label, { firm: reader.firm })}</strong>`;
    case 'icon':
      return iconMarkup(part.name);
    case 'strong':
      return markup`<strong>${part.content.map((inner) => inlineMarkup(inner, reader))}</strong>`;
    case 'page':
    case 'article':
      return linkMarkup(part, reader);
  }
}

function linkMarkup(link: Extract<Inline, { kind: 'page' | 'article' }>, reader: Reader): Markup {
  const content = link.content.map((inner) => inlineMarkup(inner, reader));
  if (link.kind === 'article') return markup`<a href="${reader.pathTo(`help/${link.to}`)}">${content}</a>`;
  return reader.mayOpen(link.to)
    ? markup`<a href="${reader.pathTo(link.to)}">${content}</a>`
    : markup`${content}`;
}
