import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import compression from 'compression';
import type { ListOfRows } from '../parts/server.ts';

// The same list with node:http only: concatenated strings, and the portal's own compression if requested.
const { head, tail, items } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ListOfRows;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const row = (item: ListOfRows['items'][number]): string =>
  `<tr class="${item.isRead ? '' : 'is-new'}"><td class="cell-pick"><label class="pick"><input type="checkbox" name="id" value="${escaped(item.id)}" data-name="${escaped(item.name)}" data-container="${escaped(item.folderId)}" data-container-type="Folder"><span class="visually-hidden">Select ${escaped(item.name)}</span></label></td><th scope="row" class="cell-name">${item.isRead ? '' : '<span class="dot"></span>'}<a href="/api/storage/v1/folders/${item.folderId}/documents/${item.id}" download><bdi>${escaped(item.name)}</bdi></a>${item.isRead ? '' : '<span class="visually-hidden"> (unread)</span>'}</th><td class="number meta">${escaped(item.size)}</td><td class="number meta"><time datetime="${item.date}">${escaped(item.day)}</time></td><td class="meta"><bdi>${escaped(item.folder)}</bdi></td><td class="meta"><bdi>${escaped(item.from)}</bdi></td></tr>`;

const compress = compression();
const server = http.createServer((request, response) => {
  // The library is typed for Express, but uses only node:http.
  compress(request as never, response as never, () => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(head + items.map(row).join('') + tail);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`up at ${(server.address() as AddressInfo).port} .`));
