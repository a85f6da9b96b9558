import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { GRACE } from '../support/whole.ts';
import { compare, compareMails, Ledger, verify } from './support/ledger.ts';
import { startLoad } from './support/load.ts';
import { Person } from './support/person.ts';
import { Portal, turn, until } from './support/portal.ts';
import { startMailServer } from './support/mail-server.ts';
import { startOwnPostgres } from '../../scripts/services.mjs';
import { report } from './support/report.ts';

const CUTS = Number(process.env['TIMES'] ?? 5);
const WORKERS = 8;

test(
  'when connections break every two seconds and the database restarts, nothing acknowledged is lost and the portal recovers',
  { timeout: 240_000 },
  async () => {
    const postgres = await startOwnPostgres();
    const office = await startMailServer();
    const portal = await Portal.start({
      folder: mkdtempSync(path.join(os.tmpdir(), 'portal-faults-')),
      env: { DATABASE_URL: postgres.url, SMTP_URL: office.url },
    });
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const ledger = new Ledger();

    const load = startLoad([olivia], ledger, office, WORKERS);
    for (let cut = 0; cut < CUTS; cut += 1) {
      await turn(2000);
      const administrator = new pg.Client(postgres.url);
      await administrator.connect();
      await administrator.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
      );
      await administrator.query('delete from limits');
      await administrator.end();
    }
    await load.stop();
    const answers = ledger.acknowledged + [...ledger.refused.values()].reduce((sum, count) => sum + count, 0);
    const afterCuts = [...ledger.refused];

    await olivia.arrive(); // of her many sign-ins under load the ten newest sessions are left
    await postgres.halt();
    const away = await olivia.makeFolder('while the database is away');
    expect(away.status).toBe(503);
    expect(away.headers.get('retry-after')).toMatch(/^\d+$/);
    await postgres.resume();
    const recovered = await until(
      'people can work again',
      10_000,
      async () => (await olivia.makeFolder(`w9-${performance.now()}`)).status === 200,
    );

    const more = startLoad([olivia], ledger, office, WORKERS);
    await turn(1500);
    await more.stop();
    await until(
      'every acknowledged mail is delivered',
      150_000,
      () => compareMails(office.delivered, ledger).lost.length === 0,
    );
    const found = await compare(olivia, ledger);
    const mails = compareMails(office.delivered, ledger);
    const faults = afterCuts.filter(([status]) => status >= 500 && status !== 503);
    const unavailable = afterCuts
      .filter(([status]) => status === 503)
      .reduce((sum, [, count]) => sum + count, 0);
    report('PostgreSQL connections cut, then a restart', {
      cuts: CUTS,
      answers,
      'other 5xx': JSON.stringify(faults),
      'answered 503': unavailable,
      'recovered ms': recovered,
      lost: found.lost.length + mails.lost.length,
      torn: found.torn.length,
      wrong: load.wrong.length,
    });
    await portal.end('SIGTERM');
    const verified = await verify(portal);
    await office.close();
    await postgres.stop();

    expect([...load.wrong, ...more.wrong, ...verified]).toEqual([]);
    expect({ ...found, mails }).toEqual({
      lost: [],
      torn: [],
      twice: [],
      mails: { lost: [], torn: [], twice: [] },
    });
    expect(faults, 'a lost connection is 503, never a fault of ours').toEqual([]);
    expect(recovered).toBeLessThan(1000 + GRACE);
    expect(unavailable, 'a cut ends requests in flight, and no later one').toBeLessThanOrEqual(
      CUTS * WORKERS,
    );
    // beside other tests this share measures how slow the machine is
    if (GRACE === 0) expect(unavailable / answers).toBeLessThanOrEqual(0.01);
  },
);
