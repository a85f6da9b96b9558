import { expect, test } from 'vitest';
import { listParameterOf, neighborsInList } from '#features/documents/document-list/list-page.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { makeCast, uploadAs } from '../../support/cast.ts';

const { ada, sam, clientA, projectA } = await makeCast();

test('the parameter of an address describes the list, and leads back to it', async () => {
  const tart = await uploadAs(sam, projectA, 'Apple tart.pdf', 'x');
  await uploadAs(sam, projectA, 'Bread.pdf', 'x');
  const pathTo = addressBuilder(() => 'en-us', undefined);
  const query = documentQuery.parse({
    orderBy: 'name',
    orderDir: 'asc',
    name: 'apple',
    from: 0,
    after: 'x',
  });
  const parameter = listParameterOf({ folder: projectA.id, query });
  expect(parameter).toBe(`folder=${projectA.id}&name=apple&orderBy=name&orderDir=asc`);
  const found = (parameters: string | undefined) =>
    neighborsInList(ada, clientA, tart.id, { parameter: parameters, pathTo });
  expect(await found(parameter)).toEqual({
    neighbors: { position: { number: 1, total: 1 } },
    list: `/clientcenter/en-us/documents?${parameter}`,
  });
  expect(await found(undefined), 'opened from elsewhere').toBeUndefined();
  expect((await found('orderBy=nothing&folder='))?.list).toBe('/clientcenter/en-us/documents?folder=');
  expect(await found(`name=${'x'.repeat(1000)}`), 'no list of ours').toBeUndefined();
});
