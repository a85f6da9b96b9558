import { expect, test } from 'vitest';
import { articleMarkup } from '#features/content/help/article-markup.server.ts';
import { blocksOf } from '#features/content/help/markdown.server.ts';

const html = (source: string, pages: readonly string[] = []): string =>
  articleMarkup(blocksOf(source, { textOfLabel: () => 'x', respell: (text) => text }), {
    lang: 'en-us',
    firm: '<Maple> & Hart',
    pathTo: (page = '') => `/c/${page}?client=a&b`,
    mayOpen: (page) => pages.includes(page),
  }).html;

test('a label is that of the portal in the language of the reader, with the name of their firm', () => {
  expect(html('Choose {t:tasks.submit}.')).toBe(
    '<p>Choose <strong>Submit to &lt;Maple&gt; &amp; Hart</strong>.</p>',
  );
});

test('a link to a page that the reader may not open is text', () => {
  const source = 'Open [the trash]({page:documents/trash}), or [read on]({article:trash}).';
  expect(html(source, ['documents/trash'])).toBe(
    '<p>Open <a href="/c/documents/trash?client=a&amp;b">the trash</a>, or <a href="/c/help/trash?client=a&amp;b">read on</a>.</p>',
  );
  expect(html(source)).toContain('<p>Open the trash, or <a');
});

test('HTML in an article is shown as text', () => {
  expect(html('a <script>alert("1")</script> b')).toBe(
    '<p>a &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; b</p>',
  );
});

test('lists, tables, notes and headings are elements of their own', () => {
  expect(html('## a\n\n### b\n\n- c\n\n1. d\n\n> e\n\n| f |\n| - |\n| g |')).toBe(
    '<h2>a</h2><h3>b</h3><ul><li>c</li></ul><ol><li>d</li></ol><p class="note">e</p>' +
      '<table aria-label="f"><thead><tr><th scope="col">f</th></tr></thead><tbody><tr><td>g</td></tr></tbody></table>',
  );
});
