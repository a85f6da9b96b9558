import { expect, test } from 'vitest';
import { attributes, markup } from '#ui/markup.ts';

const HOSTILE = `"><script>alert('1')</script>&`;
const HARMLESS = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

test('every text in markup is escaped, once, in elements and in attributes', () => {
  const name = markup`<bdi title="${HOSTILE}">${HOSTILE}</bdi>`;
  expect(name.html).toBe(`<bdi title="${HARMLESS}">${HARMLESS}</bdi>`);
  expect(markup`<p>${name}${[name, name]}</p>`.html).toBe(`<p>${name.html.repeat(3)}</p>`);
});

test('what is not there leaves nothing in markup', () => {
  expect(markup`<p>${undefined}${false}${''}${[]}</p>`.html).toBe('<p></p>');
  expect(markup`<p>${0}</p>`.html).toBe('<p>0</p>');
});

test('an object that only looks like markup is not taken for it', () => {
  const parsed = JSON.parse('{ "html": "<script>" }') as never;
  expect(() => markup`<p>${parsed}</p>`).toThrow();
});

test('attributes are escaped; without a value they are left out, and true ones have no text', () => {
  const written = attributes({ class: HOSTILE, form: undefined, checked: true, hidden: false, 'data-a': '' });
  expect(written.html).toBe(` class="${HARMLESS}" checked data-a=""`);
});
