import { expect, inject, test } from 'vitest';
import { freePort } from '../../e2e/support/portal.ts';
import { compareMails, Ledger, verify } from './support/ledger.ts';
import { Person } from './support/person.ts';
import { Portal, until } from './support/portal.ts';
import { startMailServer, type MailFault } from './support/mail-server.ts';
import { report } from './support/report.ts';
import { copyWorld } from './support/world.ts';

const SHARES = Number(process.env['TIMES'] ?? 8);
const MINUTE = 60_000;

/**
 * Every mail meets two of these faults before it is accepted, chosen by its number. A 5yz reply is permanent
 * (tests/platform/mail.test.ts).
 */
const FAULTS: MailFault[] = ['4xx', 'reject-recipient', 'drop', 'slow'];

test(`${SHARES} shares while the mail server is down, rejects, then disconnects: every mail arrives, repeated ones with the same Message-ID`, async () => {
  const port = await freePort();
  const portal = await Portal.start({
    folder: copyWorld(inject('world')),
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, FAULTS_CLOCK: '0' },
    preload: ['clock-preload.ts'],
  });
  const olivia = await new Person(portal.origin, 'olivia@juniper.example').arrive();
  const ledger = new Ledger();
  const [document] = ledger.noteDocuments(await olivia.uploadAs(['w0-0-500.pdf']));
  if (!document) throw new Error('the document was not taken');
  for (let i = 0; i < SHARES; i += 1) {
    const [subject, recipients] = [`w0-${i}`, [`r${i}@supplier.example`]];
    expect(
      ledger.note(await olivia.share(document, recipients, subject)),
      'a share needs no mail server',
    ).toBe(true);
    ledger.shares.push({ subject, recipients });
  }
  // Killed while it retries; each later run is an hour ahead, past every retry delay and lease.
  await portal.end('SIGKILL');
  const met = new Map<string, number>();
  const office = await startMailServer(port, (to) => {
    const tries = met.get(to) ?? 0;
    met.set(to, tries + 1);
    return tries < 2 ? (FAULTS[(Number(/\d+/.exec(to)?.[0]) + tries) % FAULTS.length] ?? 'none') : 'none';
  });
  let lives = 0;
  for (; lives < 12 && !delivered(); lives += 1) {
    Object.assign(portal.start.env ?? {}, { FAULTS_CLOCK: String((lives + 1) * 61 * MINUTE) });
    const before = office.faults.length;
    await portal.again();
    await until(
      'the outbox is worked through',
      60_000,
      async () => delivered() || (office.faults.length > before && (await quiet())),
    );
    await portal.end(lives % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  }
  await office.close();

  const found = compareMails(office.delivered, ledger);
  const repeated = [...Map.groupBy(office.delivered, (mail) => mail.messageId).values()].filter(
    (same) => same.length > 1,
  ).length;
  report('mail server away, 4xx, 5xx, hanging up after DATA', {
    shares: SHARES,
    attempts: office.faults.length,
    lives,
    lost: found.lost.length,
    'under two ids': found.twice.length,
    repeated,
  });
  expect(found).toEqual({ lost: [], torn: [], twice: [] });
  expect(repeated, 'some mails were taken and not acknowledged, so they came again').toBeGreaterThan(0);
  expect(await verify(portal)).toEqual([]);

  function delivered(): boolean {
    return ledger.shares.every(({ recipients }) =>
      recipients.every((to) => office.delivered.some((mail) => mail.to === to)),
    );
  }

  /** True if nothing was tried within a second: failed mails wait for their retry. */
  async function quiet(): Promise<boolean> {
    const count = office.faults.length;
    const began = performance.now();
    await until(
      'a second passes',
      2000,
      () => performance.now() - began > 1000 || office.faults.length > count,
    );
    return office.faults.length === count;
  }
});
