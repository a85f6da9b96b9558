import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { freePort, startPortal } from './support/portal.ts';
import { expect, test } from './support/test.ts';

test.use({ baseURL: '' }); // starts its own portals

test('a mail that could not be sent survives a killed portal and is sent when the mail server is back', async ({
  page,
}) => {
  test.setTimeout(60_000);
  const port = await freePort();
  const mailServer = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'portal@maplehart.example',
    DEMO: '1',
  };
  const first = await startPortal(mailServer);
  await page.goto(`${first.origin}/clientcenter/fr/documents`);
  await page.locator('#email').fill('olivia@juniper.example');
  await page.locator('#password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Ouvrir une session', exact: true }).click();
  await page.locator('#document-list input[name=id]').first().check();
  await page.getByRole('button', { name: 'Partager', exact: true }).click();
  await page.locator('#share-to').fill('later@supplier.example');
  await page.locator('#share-subject').fill('Après la panne');
  await page.locator('form .actions').getByRole('button', { name: 'Partager', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'later@supplier.example' })).toBeVisible();
  // wait until the attempt has failed: a job killed in flight is retried only after two minutes
  await expect
    .poll(() =>
      first.sql("select job_id from jobs where last_error is not null and unique_key like 'mail:recipient%'"),
    )
    .toHaveLength(1);
  await page.goto('about:blank'); // what the page loads later needs the portal
  await first.kill();

  const arrived: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      void text(stream).then((raw) => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        // in working hours the demo sends reminders as well
        if (to === 'later@supplier.example') arrived.push(raw);
        done();
      });
    },
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const second = await startPortal(mailServer, first.folder);
  await expect.poll(() => arrived.length, { timeout: 30_000 }).toBe(1);
  expect(arrived[0]).toMatch(/^From: =\?UTF-8\?Q\?Olivia_Bennett_[^<]*<portal@maplehart\.example>/m);
  expect(arrived[0]).toContain('Content-Language: fr-CA');
  await second.stop();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});
