import { describe, expect, test } from 'vitest';
import { cityName, findCities, isCity } from '#features/brazil/establishments/cities.server.ts';

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
