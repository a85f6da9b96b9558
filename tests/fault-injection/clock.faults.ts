import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, inject, test } from 'vitest';
import { verify } from './support/ledger.ts';
import { Person } from './support/person.ts';
import { Portal, until } from './support/portal.ts';
import { startMailServer } from './support/mail-server.ts';
import { copyWorld } from './support/world.ts';

const DAY = 86_400_000;

test(
  'a clock that jumps a day ahead and back, or a day back, revives no session and no link',
  { timeout: 120_000 },
  async () => {
    const office = await startMailServer();
    const portal = await Portal.start({
      folder: copyWorld(inject('world')),
      preload: ['clock-preload.ts'],
      env: { SMTP_URL: office.url, FAULTS_CLOCK: '0' },
    });
    const standAt = async (ahead: number): Promise<void> => {
      expect((await portal.end('SIGTERM')).code).toBe(0);
      Object.assign(portal.start.env ?? {}, { FAULTS_CLOCK: String(ahead) });
      await portal.again();
    };
    const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
    const kept = olivia.cookieHeader;
    const gone = new Person(portal.origin, 'olivia@juniper.example');
    await gone.signIn();
    const ended = gone.cookieHeader;
    await gone.signOut();
    const [document] = (
      JSON.parse((await olivia.uploadAs(['w0-0-100.pdf'])).body.toString()) as { data: { id: string }[] }
    ).data;
    const share = await olivia.share(
      { id: document?.id ?? '', containerId: olivia.clientId, containerType: 'Client' },
      ['bank@supplier.example'],
      'Metrics',
    );
    expect(share.status).toBe(200);
    const bank = new Person(portal.origin, 'bank@supplier.example');
    // staff are notified of the upload, too
    const mail = () => office.delivered.find(({ to }) => to === bank.email);
    await until('the mail arrives', 20_000, () => mail() !== undefined);
    const link = mail()?.link ?? '';
    expect((await bank.openLink(link)).status).toBe(303);

    const session = async (cookie: string): Promise<number> =>
      (await fetch(`${portal.origin}/api/security/v1/session`, { headers: { cookie } })).status;
    const page = async (): Promise<number> => (await bank.ask(new URL(link).pathname)).status;
    const seen: Record<string, unknown> = {};
    const look = async (when: string): Promise<void> =>
      void (seen[when] = { kept: await session(kept), ended: await session(ended), link: await page() });

    await look('today');
    await standAt(-DAY);
    await look('a day back');
    await standAt(4 * DAY);
    await look('four days ahead');
    await standAt(0);
    await look('today again');
    await standAt(-DAY);
    await look('a day back again');

    expect(seen).toEqual({
      today: { kept: 200, ended: 401, link: 200 },
      'a day back': { kept: 200, ended: 401, link: 200 },
      'four days ahead': { kept: 401, ended: 401, link: 410 },
      'today again': { kept: 401, ended: 401, link: 410 },
      'a day back again': { kept: 401, ended: 401, link: 410 },
    });
    expect((await portal.end('SIGTERM')).code).toBe(0);
    expect(await verify(portal)).toEqual([]);
    const database = new DatabaseSync(path.join(portal.start.folder, 'data/portal.db'), { readOnly: true });
    const order = database.prepare('select seq from audit order by company_id, seq').all().length;
    database.close();
    expect(order, 'the trail is in order whatever the clock said').toBeGreaterThan(0);
    await office.close();
  },
);
