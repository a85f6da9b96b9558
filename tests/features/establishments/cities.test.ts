import { describe, expect, test } from 'vitest';
import {
  cityName,
  resolveCity,
  findCities,
  isCity,
  suggestCities,
} from '#features/brazil/establishments/cities.server.ts';

describe('a city', () => {
  test.each([
    ['Campinas', ['3509502']],
    ['campinas/sp', ['3509502']],
    ['Campinas - SP', ['3509502']],
    ['São Paulo (SP)', ['3550308']],
    ['sao  paulo', ['3550308']],
    ['3550308', ['3550308']],
    ['Mirassol d’Oeste MT', ['5105622']],
    ['Não-Me-Toque/RS', ['4312658']],
    ['Campinas/RJ', []],
    ['São Paolo', []],
    ['9999999', []],
    ['', []],
  ])('written as “%s” is found', (typed, codes) => {
    expect(findCities(typed)).toEqual(codes);
  });

  test('of a name that several have is not guessed', () => {
    const found = findCities('Bom Jesus');
    expect(found.length).toBeGreaterThan(1);
    expect(findCities('Bom Jesus/RS')).toHaveLength(1);
    expect(found.map(cityName)).toContain('Bom Jesus/RS');
  });

  test('is looked up, because nine have a wrong check digit', () => {
    expect(isCity('2201919')).toBe(true);
    expect(isCity('3550309')).toBe(false);
    expect(cityName('2201919')).toBe('Bom Princípio do Piauí/PI');
  });
});

describe('a part of a name', () => {
  const named = (typed: string): string[] => suggestCities(typed).map(cityName);

  test.each([
    ['campi', ['Campinas/SP', 'Campina Grande/PB']],
    ['Campinas', ['Campinas/SP', 'Campinas do Sul/RS']],
    ['sao p', ['São Paulo/SP', 'São Pedro/SP']],
    ['preto', ['Ouro Preto/MG']],
    ['camp sp', ['Campinas/SP']],
    ['São Paolo', ['São Paulo/SP']],
    ['Goiania', ['Goiânia/GO']],
  ])('“%s” suggests cities', (typed, some) => {
    expect(named(typed)).toEqual(expect.arrayContaining(some));
  });

  test('with a state suggests those of the state first, and few in all', () => {
    expect(
      named('camp sp')
        .slice(0, 3)
        .every((name) => name.endsWith('/SP')),
    ).toBe(true);
    expect(named('s').length).toBe(8);
    expect(named('Campinas')[0]).toBe('Campinas/SP');
    for (const none of ['', '  ', 'xyzzyq', '-']) expect(named(none)).toEqual([]);
  });

  test('is no city, but says which are near', () => {
    expect(resolveCity('campinas')).toEqual({ city: '3509502' });
    expect(resolveCity('Campin')).toMatchObject({
      problem: 'cityAlike',
      cities: expect.stringContaining('Campinas/SP') as unknown,
    });
    expect(resolveCity('Bom Jesus')).toMatchObject({ problem: 'citySeveral' });
    expect(resolveCity('xyzzyq')).toEqual({ problem: 'cityUnknown', cities: '' });
  });
});
