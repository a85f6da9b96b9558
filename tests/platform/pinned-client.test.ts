import { describe, expect, test } from 'vitest';
import { keepClient, withClient } from '#platform/pinned-client.server.ts';

const HOME = '/clientcenter/en-us/';
const kept = (html: string): string => keepClient(html, 'client_1', HOME);

describe('a tab about one client', () => {
  test.each([
    ['/clientcenter/en-us/documents', '/clientcenter/en-us/documents?client=client_1'],
    ['/clientcenter/en-us/documents?folder=f', '/clientcenter/en-us/documents?folder=f&client=client_1'],
    ['/clientcenter/en-us/#top', '/clientcenter/en-us/?client=client_1#top'],
    ['?pageNum=2', '?pageNum=2&client=client_1'],
    ['/clientcenter/en-us/documents?client=client_2', '/clientcenter/en-us/documents?client=client_2'],
    ['/clientcenter/en-us/documents?a=1&client=client_2', '/clientcenter/en-us/documents?a=1&client=client_2'],
    ['/clientcenter/pt/documents', '/clientcenter/pt/documents'],
    ['/clientcenter/en-us/auth?r=x', '/clientcenter/en-us/auth?r=x'],
    ['/api/storage/v1/folders/f/documents/d', '/api/storage/v1/folders/f/documents/d'],
    ['https://elsewhere.example/clientcenter/en-us/', 'https://elsewhere.example/clientcenter/en-us/'],
    ['//elsewhere.example/', '//elsewhere.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['#main', '#main'],
    ['', ''],
  ])('leads from %j to %j', (address, expected) => {
    expect(withClient(address, 'client_1', HOME)).toBe(expected);
  });

  test('keeps its client in links and in what htmx fetches, and in nothing that a person wrote', () => {
    expect(kept('<a class="x" href="/clientcenter/en-us/documents?a=1" hx-get="/clientcenter/en-us/partials/documents">/clientcenter/en-us/documents</a>')).toBe(
      '<a class="x" href="/clientcenter/en-us/documents?a=1&amp;client=client_1" hx-get="/clientcenter/en-us/partials/documents?client=client_1">/clientcenter/en-us/documents</a>',
    );
    const written = '<p>&lt;a href="/clientcenter/en-us/documents"&gt;</p><abbr title="x">a</abbr><img alt="href=&quot;/clientcenter/en-us/&quot;" src="/x.svg">';
    expect(kept(written)).toBe(written);
  });

  test('keeps it in forms that ask, while those that post keep their own address', () => {
    const field = '<input type="hidden" name="client" value="client_1">';
    expect(kept('<form id="f" action="/clientcenter/en-us/documents/send"><button>')).toBe(`<form id="f" action="/clientcenter/en-us/documents/send">${field}<button>`);
    expect(kept('<form role="search">')).toBe(`<form role="search">${field}`);
    for (const other of ['<form method="post">', '<form action="/clientcenter/en-us/clients" method="post">', '<form action="https://elsewhere.example/">']) expect(kept(other)).toBe(other);
  });

  test('writes the id so that it can end no attribute', () => {
    expect(keepClient('<a href="/clientcenter/en-us/documents"><form action="">', '"><script>&', HOME)).not.toMatch(/"><script>|&(?!amp;)/);
  });
});
