import { expect, test } from 'vitest';
import { placeAfterSwitch } from '#features/clients/clients/clients-page.server.ts';

test.each([
  ['/clientcenter/en-us/documents', '/clientcenter/en-us/documents'],
  [
    '/clientcenter/en-us/documents?folder=folder_of_the_other_client&from=100',
    '/clientcenter/en-us/documents',
  ],
  ['/clientcenter/en-us/documents/send?id=doc_1', '/clientcenter/en-us/documents'],
  ['/clientcenter/en-us/tasks/task_of_the_other_client', '/clientcenter/en-us/tasks'],
  ['/clientcenter/en-us/documents?client=client_1&folder=f', '/clientcenter/en-us/documents?client=client_2'],
  ['/clientcenter/en-us/?client=client_1', '/clientcenter/en-us/?client=client_2'],
  ['/clientcenter/en-us/clients?searchTerm=x', '/clientcenter/en-us/'],
  ['/clientcenter/en-us/auth/logout', '/clientcenter/en-us/'],
  ['/clientcenter/pt/documents', '/clientcenter/en-us/'],
  ['/api/docs', '/clientcenter/en-us/'],
  ['https://elsewhere.example/clientcenter/en-us/documents', '/clientcenter/en-us/'],
  ['//elsewhere.example', '/clientcenter/en-us/'],
  ['/clientcenter/en-us//elsewhere.example', '/clientcenter/en-us/'],
  ['', '/clientcenter/en-us/'],
  [null, '/clientcenter/en-us/'],
])('switching the client on %j leads to %j', (from, place) => {
  expect(placeAfterSwitch('en-us', from, 'client_2')).toBe(place);
});

test('choosing a client on the clients page of a tab pinned to one client replaces the client in its address', () => {
  expect(placeAfterSwitch('en-us', null, 'client_2', true)).toBe('/clientcenter/en-us/?client=client_2');
});
