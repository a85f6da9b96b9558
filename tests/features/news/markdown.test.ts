import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown, textProblem } from '#features/content/news/markdown.server.ts';
import { MAX_BLOCK, MAX_BODY } from '#features/content/news/news.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

const html = (source: string): string => renderMarkdown(source).html;

/** What may be in an article: elements with exactly these attributes, and text without any special character. */
const ELEMENT =
  /<\/table>|<\/?(?:h2|h3|p|ul|li|blockquote|strong|em|thead|tbody|tr|td)>|<table aria-label="[^"<>]*">|<br>|<\/?ol>|<ol start="\d+">|<\/a>|<a href="(?:https:\/\/|mailto:)[^"<>]*" rel="noopener">|<\/th>|<th scope="col">/g;
const strangeIn = (rendered: string): string =>
  rendered
    .replaceAll(ELEMENT, '')
    .match(/[<>"']/g)
    ?.join('') ?? '';

describe('the markup of an article', () => {
  test.each([
    ['## Heading', '<h2>Heading</h2>'],
    ['# Heading', '<h2>Heading</h2>'],
    ['### Smaller', '<h3>Smaller</h3>'],
    ['**bold** and *italic*', '<p><strong>bold</strong> and <em>italic</em></p>'],
    ['one\ntwo', '<p>one<br>two</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['> said', '<blockquote><p>said</p></blockquote>'],
    [
      'a|b\n-|-\n1|*2*',
      '<table aria-label="a, b"><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td>1</td><td><em>2</em></td></tr></tbody></table>',
    ],
    [
      '[site](https://a.example/?b=1&c=2)',
      '<p><a href="https://a.example/?b=1&amp;c=2" rel="noopener">site</a></p>',
    ],
    ['[us](mailto:office@a.example)', '<p><a href="mailto:office@a.example" rel="noopener">us</a></p>'],
    ['www.a.example', '<p><a href="https://www.a.example/" rel="noopener">www.a.example</a></p>'],
    ['http://a.example', '<p>http://a.example</p>'],
    ['[x](javascript:alert(1))', '<p>x</p>'],
    ['<b>raw</b>', '<p>&lt;b&gt;raw&lt;/b&gt;</p>'],
    ['![alt](https://a.example/b.png)', '<p>![alt](https://a.example/b.png)</p>'],
    ['    indented', '<p>indented</p>'],
    ['- [ ] todo', '<ul><li>[ ] todo</li></ul>'],
    ['R$ 5 < 6 & "7"', '<p>R$ 5 &lt; 6 &amp; &quot;7&quot;</p>'],
  ])('%j becomes %s', (source, rendered) => {
    expect(html(source)).toBe(rendered);
  });
});

/** Known ways to run a script, or to load something from elsewhere, through Markdown or HTML. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<style>*{background:url(https://evil.example)}</style>',
  '<a href="javascript:alert(1)">x</a>',
  '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
  '<object data="data:text/html,<script>alert(1)</script>">',
  '<form action=https://evil.example><input name=password>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href="https://evil.example">',
  '<link rel=stylesheet href=https://evil.example>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml <script>alert(1)</script>?>',
  '<a <!-- href="x" onclick=alert(1)>x</a>',
  '<<script>alert(1)//<</script>',
  '<scr\u0000ipt>alert(1)</scr\u0000ipt>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](&#x6A;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x]( javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](//evil.example)',
  '[x](/clientcenter/en-us/auth/logout)',
  '[x](https://a.example" onmouseover="alert(1))',
  '[x](https://a.example "t\\" onmouseover=alert(1)")',
  "[x](https://a.example 'onmouseover=alert(1)')",
  '[<img src=x onerror=alert(1)>](https://a.example)',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '[y]: https://a.example "><script>alert(1)</script>"\n\n[x][y]',
  '<javascript:alert(1)>',
  '<https://a.example/"onmouseover="alert(1)>',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/pixel.gif)',
  '![x"onerror="alert(1)](x)',
  '`<script>alert(1)</script>`',
  '```html"onload="alert(1)\n<script>alert(1)</script>\n```',
  '    <script>alert(1)</script>',
  '**<script>alert(1)</script>**',
  '# <script>alert(1)</script>',
  '- <script>alert(1)</script>',
  '> <script>alert(1)</script>',
  'a|<script>alert(1)</script>\n-|-\n<img src=x onerror=alert(1)>|b',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\\<script>alert(1)</script>',
  '<details open ontoggle=alert(1)>',
  '<video><source onerror=alert(1)>',
  '<body onload=alert(1)>',
  '<x style="position:fixed" onclick=alert(1)>',
  '1<script>\n\nalert(1)\n\n</script>',
  'mailto:a@a.example?body=<script>alert(1)</script>',
  'https://a.example/<script>alert(1)</script>',
  'www.a.example/"onmouseover="alert(1)',
];

describe('no script, style or image of others gets into an article', () => {
  test.each(ATTACKS)('%j is text', (source) => {
    expect(strangeIn(html(source))).toBe('');
  });

  test('a thousand mixtures of attacks and Markdown are text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.constantFrom(
        '\n',
        '\n\n',
        ' ',
        '> ',
        '- ',
        '1. ',
        '## ',
        '**',
        '*',
        '_',
        '`',
        '```',
        '[',
        '](',
        ')',
        '<',
        '>',
      ),
      fc.constantFrom(
        '|',
        '|-|-|',
        '"',
        "'",
        '\\',
        '&',
        '&#',
        ';',
        '!',
        '\t',
        '    ',
        'https://',
        'mailto:',
        'www.',
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(strangeIn(html(pieces.join('')))).toBe('');
      }),
      { numRuns: 1000, seed: 20261128 },
    );
  });

  test('a link that may not be followed is refused before it is published', () => {
    expect(textProblem('See [this](http://a.example).')).toBe('linkWrong');
    expect(textProblem('- a\n- [x](javascript:alert(1))')).toBe('linkWrong');
    expect(textProblem('a|b\n-|-\n1|[x](ftp://a.example)')).toBe('linkWrong');
    expect(textProblem('See [this](https://a.example), http://a.example or www.a.example.')).toBeUndefined();
  });
});

/** Texts that parsers of Markdown take long to read, or call themselves for. */
const HEAVY = [
  '>',
  '> ',
  '- ',
  '1. ',
  '**',
  '_a_',
  '__a_',
  '*a_b',
  '~a~~',
  '[',
  '![',
  '<a ',
  '`a',
  '> - 1. ',
  'a ',
];

describe('a text that is made to take long', () => {
  test.each(HEAVY)('of %j is read in little time, or refused', async (unit) => {
    const block = unit.repeat(Math.floor((MAX_BLOCK - 1) / unit.length));
    const source = `${block}\n\n`.repeat(3).slice(0, MAX_BODY);
    const time = await cpuTimeOf(() => {
      if (textProblem(source) !== 'tooDeep') expect(strangeIn(html(source))).toBe('');
    });
    expect(time).toBeLessThan(500);
  });

  test('a text without an empty line in thousands of characters is refused', () => {
    expect(textProblem('a '.repeat(MAX_BLOCK))).toBe('blockTooLong');
  });

  test.each([
    ['quotes', '> '.repeat(30) + 'a'],
    ['lists', '- '.repeat(30) + 'a'],
    ['emphasis', '**'.repeat(60) + 'a' + '**'.repeat(60)],
    ['all of them, thousands', '> - 1. '.repeat(400) + 'a'],
  ])('%s that are nested too deep are refused, and shown as they were written', (_, source) => {
    expect(textProblem(source)).toBe('tooDeep');
    expect(html(source)).toBe(`<p>${source.replaceAll('>', '&gt;')}</p>`);
  });
});
