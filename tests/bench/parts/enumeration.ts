import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import type { Options } from '../support/options.ts';
import { scratchFolder, startPortal } from '../support/portal.ts';
import { progress } from '../support/progress.ts';
import { median, type Report, type Row } from '../support/report.ts';

const PAIRS = 400;
const KNOWN = 'ana@padaria.example';
const UNKNOWN = 'eva@padaria.example';

/**
 * Measures whether the response time reveals if an address has an account (threat-model.md T33): the same
 * form with a known and an unknown address, in turns.
 */
export async function enumeration(_: Options): Promise<Report> {
  const folder = scratchFolder();
  const portal = await startPortal({ folder, env: { DEMO: '1' } });
  const database = new DatabaseSync(path.join(folder, 'data', 'portal.db'), { timeout: 5000 });
  const forms: Record<string, (email: string) => [page: string, fields: Record<string, string>]> = {
    'sign in with a wrong password': (email) => ['auth', { email, password: `not ${DEMO_PASSWORD}` }],
    'ask for a new password': (email) => ['auth/forgot', { form: 'forgot', email }],
    'a rescue code that is wrong': (email) => [
      'auth/rescue',
      { form: 'rescue', email, code: '12345678', password: 'seven grey lakes sing' },
    ],
  };
  const rows: Row[] = [];
  for (const [what, form] of Object.entries(forms)) {
    progress(what);
    const took = { known: [] as number[], unknown: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      for (const kind of pair % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) {
        database.exec('delete from limits'); // this measures one attempt, not rate limits
        const [page, fields] = form(kind === 'known' ? KNOWN : UNKNOWN);
        const began = performance.now();
        await (
          await fetch(`${portal.address}/clientcenter/en-us/${page}`, {
            method: 'POST',
            body: new URLSearchParams(fields),
            headers: { origin: portal.address },
            redirect: 'manual',
          })
        ).text();
        took[kind].push(performance.now() - began);
      }
    }
    rows.push(
      { what: `${what}: median`, unit: 'ms', figure: median(took.known), baseline: median(took.unknown) },
      {
        what: `${what}: gap of the medians`,
        unit: 'ms',
        figure: Math.abs(median(took.known) - median(took.unknown)),
        reach: [{ most: 3 }],
      },
      {
        what: `${what}: p that both are alike`,
        unit: '',
        figure: mannWhitney(took.known, took.unknown),
        reach: [{ least: 0.01 }],
      },
    );
  }
  database.close();
  await portal.end();
  return {
    title: 'What time tells of an address',
    how: [
      `${PAIRS} pairs of each form, one for ${KNOWN}, who has an account (measured), and one for ${UNKNOWN}, whom nobody knows (baseline), in turns, over HTTP; p by the test of Mann and Whitney.`,
    ],
    tables: [{ title: 'Metrics', rows }],
  };
}

/**
 * Two-sided p-value for two samples from one distribution, by the normal approximation (both have far more
 * than 20 values).
 */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const ranked = [
    ...one.map((value) => ({ value, mine: 1 })),
    ...other.map((value) => ({ value, mine: 0 })),
  ].toSorted((a, b) => a.value - b.value);
  const rankSum = ranked.reduce((sum, { mine }, place) => sum + mine * (place + 1), 0);
  const [n, m] = [one.length, other.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const z = Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return 2 * (1 - normal(z));
}

/**
 * The distribution function of the normal distribution (Abramowitz and Stegun 26.2.17; error below 7.5e-8).
 */
function normal(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const tail =
    t *
    (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}
