import { describe, expect, test } from 'vitest';
import { pinClientToLinks, withClient } from '#platform/pinned-client.server.ts';

const HOME = '/clientcenter/en-us/';
const kept = (html: string): string => pinClientToLinks(html, 'client_1', HOME);

describe('a tab about one client', () => {
  test.each([
    ['/clientcenter/en-us/documents', '/clientcenter/en-us/documents?client=client_1'],
    ['/clientcenter/en-us/documents?folder=f', '/clientcenter/en-us/documents?folder=f&client=client_1'],
    ['/clientcenter/en-us/#top', '/clientcenter/en-us/?client=client_1#top'],
    ['?pageNum=2', '?pageNum=2&client=client_1'],
    ['/clientcenter/en-us/documents?client=client_2', '/clientcenter/en-us/documents?client=client_2'],
    [
      '/clientcenter/en-us/documents?a=1&client=client_2',
      '/clientcenter/en-us/documents?a=1&client=client_2',
    ],
    ['/clientcenter/pt/documents', '/clientcenter/pt/documents'],
    ['/clientcenter/en-us/auth?r=x', '/clientcenter/en-us/auth?r=x'],
    ['/clientcenter/en-us/account-switch', '/clientcenter/en-us/account-switch'],
    ['/api/storage/v1/folders/f/documents/d', '/api/storage/v1/folders/f/documents/d'],
    ['https://elsewhere.example/clientcenter/en-us/', 'https://elsewhere.example/clientcenter/en-us/'],
    ['//elsewhere.example/', '//elsewhere.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['#main', '#main'],
    ['', ''],
  ])('leads from %j to %j', (address, expected) => {
    expect(withClient(address, 'client_1', HOME)).toBe(expected);
  });

  test('keeps its client in links and htmx requests, but not in user content', () => {
    expect(
      kept(
        '<a class="x" href="/clientcenter/en-us/documents?a=1" data-hx-get="/clientcenter/en-us/partials/documents">/clientcenter/en-us/documents</a>',
      ),
    ).toBe(
      '<a class="x" href="/clientcenter/en-us/documents?a=1&amp;client=client_1" data-hx-get="/clientcenter/en-us/partials/documents?client=client_1">/clientcenter/en-us/documents</a>',
    );
    const written =
      '<p>&lt;a href="/clientcenter/en-us/documents"&gt;</p><abbr title="x">a</abbr><img alt="href=&quot;/clientcenter/en-us/&quot;" src="/x.svg">';
    expect(kept(written)).toBe(written);
  });

  test('keeps its client as a field of GET forms, and in the URL of POST forms and buttons', () => {
    const field = '<input type="hidden" name="client" value="client_1">';
    expect(kept('<form id="f" action="/clientcenter/en-us/documents/send"><button>')).toBe(
      `<form id="f" action="/clientcenter/en-us/documents/send">${field}<button>`,
    );
    expect(kept('<form role="search">')).toBe(`<form role="search">${field}`);
    const posts = '<form action="/clientcenter/en-us/documents/trash" method="post">';
    expect(kept(posts)).toBe(posts.replace('trash', 'trash?client=client_1'));
    const button =
      '<button class="button" formmethod="post" formaction="/clientcenter/en-us/documents/download">';
    expect(kept(button)).toBe(button.replace('download"', 'download?client=client_1"'));
    const others = [
      '<form method="post">',
      '<form action="https://elsewhere.example/">',
      '<button name="client" value="c">',
      '<input value="a">',
    ];
    for (const other of others) expect(kept(other)).toBe(other);
  });

  test('escapes the client id in attributes', () => {
    expect(
      pinClientToLinks('<a href="/clientcenter/en-us/documents"><form action="">', '"><script>&', HOME),
    ).not.toMatch(/"><script>|&(?!amp;)/);
  });
});
