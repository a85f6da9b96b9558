import { expect, test } from 'vitest';
import { states } from '#platform/inputs/countries.server.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';

const { ada, sam } = await makeCast();
const COUNTRIES = '/api/core/v1/contact-address-countries';
const stateUrl = (country: string) =>
  `/api/core/v1/contact-address-state-provinces?contactAddressCountryIdRequest.contactAddressCountryId=${country}`;

async function list(url: string, language = 'en-US') {
  const response = await apiAs(ada)('GET', url, { headers: { 'Accept-Language': language } });
  return { response, items: ((await response.json()) as { items: { id: string; name: string }[] }).items };
}

test('the countries are all of ISO 3166, named and sorted in the language of the request', async () => {
  const english = await list(COUNTRIES);
  expect(english.items).toHaveLength(249);
  expect(english.items[0]).toEqual({ id: 'AF', name: 'Afghanistan' });
  const french = (await list(COUNTRIES, 'fr-CA')).items;
  expect(french.slice(0, 3).map(({ name }) => name)).toEqual(['Afghanistan', 'Afrique du Sud', 'Albanie']);
  expect(french.map(({ id }) => id).toSorted()).toEqual(english.items.map(({ id }) => id).toSorted());
});

test('the states of a country are complete and sorted, and another country has others', async () => {
  expect((await list(stateUrl('BR'))).items).toHaveLength(27);
  const american = (await list(stateUrl('US'))).items;
  expect(american).toHaveLength(57);
  expect(american).toContainEqual({ id: 'US-CA', name: 'California' });
  const names = (await list(stateUrl('CA'), 'fr-CA')).items.map(({ name }) => name);
  expect(names).toHaveLength(13);
  expect(names.slice(0, 2)).toEqual(['Alberta', 'Colombie-Britannique']);
  expect((await list(stateUrl('AQ'))).items, 'Antarctica has none').toEqual([]);
});

test('every subdivision of the seven markets has a name in each language', () => {
  for (const country of ['US', 'CA', 'AU', 'BR', 'AR', 'IN', 'NL'])
    for (const lang of ['en-us', 'es', 'pt', 'fr'] as const)
      expect(states(country, lang).every(({ name }) => name !== '')).toBe(true);
});

test('a list is kept by the browser, and not sent again when it has not changed', async () => {
  const { response } = await list(stateUrl('AR'), 'es-AR');
  expect(response.headers.get('cache-control')).toBe('private, max-age=86400');
  expect(response.headers.get('vary')).toContain('Accept-Language');
  const again = await apiAs(sam)('GET', stateUrl('AR'), {
    headers: { 'Accept-Language': 'es-AR', 'If-None-Match': response.headers.get('etag') ?? '' },
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the lists are for people who are signed in, and a country must be a code', async () => {
  expect((await apiAs(undefined)('GET', COUNTRIES)).status).toBe(401);
  expect((await apiAs(undefined)('GET', stateUrl('US'))).status).toBe(401);
  expect((await apiAs(ada)('GET', stateUrl('Brazil'))).status).toBe(422);
  expect((await apiAs(ada)('GET', '/api/core/v1/contact-address-state-provinces')).status).toBe(422);
});
