import { expect, inject, test } from 'vitest';
import { compare, Ledger, verify } from './support/ledger.ts';
import { Person } from './support/person.ts';
import { Portal, turn } from './support/portal.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const MINUTES = Number(process.env['TIMES'] ?? 120);
/** Caches fill and the compiler warms up, so measuring starts after a quarter of the time. */
const SETTLED = MINUTES / 4;
const MAX_SLOPE = 1; // MiB per hour
/**
 * The number and length of idle periods: then the portal collects garbage (docs/decisions/0033), and the
 * remaining memory is measured. Under load it varies by 80 MiB.
 */
const EVERY = Math.min(2, MINUTES / 60);
const QUIET = 12_000;

interface Sample {
  hours: number;
  memory: number;
  descriptors: number;
}

test(`after ${MINUTES} minutes of load memory and descriptors are stable, and nothing is lost`, async () => {
  const portal = await Portal.start({ folder: copyWorld(inject('world')) });
  const ledger = new Ledger();
  const samples: Sample[] = [];
  const began = performance.now();
  const minutes = (): number => (performance.now() - began) / 60_000;
  let acts = 0;
  let looked = 0; // minutes
  for (let round = 0; minutes() < MINUTES; round += 1) {
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    for (let i = 0; i < 4; i += 1) acts += await work(olivia, ledger, `w${round}-${i}-20000.pdf`);
    await olivia.signOut();
    await turn(2000);
    if (minutes() - looked < EVERY) continue;
    await turn(QUIET);
    samples.push({ hours: minutes() / 60, memory: portal.memory, descriptors: portal.descriptors });
    looked = minutes();
  }
  const later = samples.filter(({ hours }) => hours * 60 >= SETTLED);
  const { slope, error } = lineThrough(later.map(({ hours, memory }) => [hours, memory]));
  const measurements = {
    acts,
    samples: later.length,
    'memory MiB at first': later[0]?.memory ?? 0,
    'memory MiB at last': later.at(-1)?.memory ?? 0,
    'slope MiB per hour': slope,
    'standard error of the slope': error,
    'descriptors at first': later[0]?.descriptors ?? 0,
    'descriptors at last': later.at(-1)?.descriptors ?? 0,
  };
  report(`soak of ${MINUTES} minutes`, measurements);
  const found = await compare(await new Person(portal.origin, 'olivia@juniper.example').arrive(), ledger);
  await portal.end('SIGTERM');

  expect(found).toEqual({ lost: [], torn: [], twice: [] });
  expect(await verify(portal)).toEqual([]);
  expect(slope, 'MiB per hour').toBeLessThanOrEqual(MAX_SLOPE);
  expect(later.at(-1)?.descriptors).toBeLessThanOrEqual((later[0]?.descriptors ?? 0) + 5);
});

/** The requests of a visit: viewing, uploading, downloading. */
async function work(person: Person, ledger: Ledger, name: string): Promise<number> {
  for (let i = 0; i < 10; i += 1)
    expect(
      (
        await person.ask(
          i % 2 === 0
            ? '/clientcenter/en-us/documents'
            : `/api/storage/v1/containers/documents?clientId=${person.clientId}`,
        )
      ).status,
    ).toBe(200);
  const [document] = ledger.noteDocuments(await person.uploadAs([name], { onConflict: 'rename' }));
  if (!document) throw new Error(`The upload of ${name} was not taken.`);
  expect((await person.download(document)).status).toBe(200);
  return 12;
}

/**
 * Fits a straight line: its slope, and the standard error of the slope, as if the samples were independent.
 */
function lineThrough(points: readonly (readonly [number, number])[]): { slope: number; error: number } {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  const slope = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
  const left = points.reduce((sum, [at, value]) => sum + (value - y - slope * (at - x)) ** 2, 0);
  return { slope, error: Math.sqrt(left / (points.length - 2) / spread) };
}
