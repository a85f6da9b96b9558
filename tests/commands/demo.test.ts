import { cpSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { command, contentsOf, newPlace, removePlaces, startPortal, type Place } from './support.ts';

/*
 * The first `npm start` fills DATA_DIR with a demo, whose people have a public password: its data must never
 * be a real portal's.
 */

function demo(): Place {
  const place = newPlace();
  cpSync(path.join(inject('world'), 'data'), place.data, { recursive: true });
  cpSync(path.join(inject('world'), 'data.key'), place.keyFile);
  return place;
}

const REAL = { DEMO: '', PUBLIC_ORIGIN: 'https://portal.example' };
afterAll(removePlaces);

test.each([
  ['under its public address', REAL],
  ['on every address of the machine', { DEMO: '', HOST: '0.0.0.0' }],
  ['where nobody wants a demo', { DEMO: '0' }],
])(
  'the data of a demo does not start as a real portal %s, with an error that says how to continue',
  async (_, env) => {
    const place = demo();
    const before = contentsOf(path.join(place.data, 'blobs'));
    const { code, said } = await startPortal(place, env);
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(`DATA_DIR=${place.data} holds a demo, and everybody knows the password`),
    ]);
    expect(said).toMatch(/set DATA_DIR to a new place.+ to see the demo again, set DEMO=1\.\n$/);
    expect(contentsOf(path.join(place.data, 'blobs'))).toEqual(before);
  },
);

test('doctor reports demo data in a real portal, and nothing in a demo', async () => {
  const place = demo();
  const real = await command(place, 'doctor', [], REAL);
  expect([real.code, real.said]).toEqual([
    1,
    expect.stringContaining(`WRONG  demo      DATA_DIR=${place.data} holds a demo`),
  ]);
  expect((await command(place, 'doctor')).said).not.toContain('demo  ');
});
