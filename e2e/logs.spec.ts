import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { APIResponse, Page } from 'playwright/test';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';
import { freePort, startPortal, type Portal } from './support/portal.ts';
import { pdf } from './support/steps.ts';
import { PEOPLE, expect, signIn, test } from './support/test.ts';

/*
 * Checks the log that operators see while a person works and everything around the portal fails
 * (threat-model.md T37, T40, T76, T77). The canaries are typed, uploaded or read off the wire; none may
 * appear in the log, and no refusal may show internal details.
 */

test.use({ baseURL: '' }); // starts its own portal

const TYPED = {
  passwords: [DEMO_PASSWORD, 'Wr0ng-canary-password'],
  'authorization codes': ['canary-croissant-41', 'canary-wrong-code'],
  addresses: [PEOPLE.olivia, 'canary-recipient@supplier.example', 'canary-stranger@supplier.example'],
  names: ['Olivia Bennett', 'Juniper Street Bakery', 'Maple & Hart', 'Canary Client'],
  'file names and messages': [
    'Canary oven invoice',
    'Canary broken upload',
    'Canary program',
    'Canary subject',
    'Canary message',
    'Canary folder',
  ],
  'file contents': ['Canary content of the invoice', 'Canary half of a file'],
};

/** Starts a mail server that refuses every mail and quotes it in the refusal. */
async function openRefusingMailServer(): Promise<{
  port: number;
  subjects: string[];
  links: string[];
  close: () => Promise<void>;
}> {
  const subjects: string[] = [];
  const links: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream).then(async (raw) => {
        const mail = await PostalMime.parse(raw);
        subjects.push(mail.subject ?? '');
        links.push(...(mail.text?.match(/http:\S+\/share\/\S+/g) ?? []));
        done(
          Object.assign(
            new Error(
              `5.1.1 ${session.envelope.rcptTo.map(({ address }) => address).join()} is unknown, "${mail.subject}" was refused: ${mail.text}`.replace(
                /\s+/g,
                ' ',
              ),
            ),
            { responseCode: 550 },
          ),
        );
      });
    },
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { port, subjects, links, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Collects every secret in transit: cookies, and the OIDC parameters of the sign-in. */
function collectSecrets(page: Page): { cookies: Set<string>; oidc: Set<string> } {
  const collected = { cookies: new Set<string>(), oidc: new Set<string>() };
  const context = page.context();
  context.on('request', (request) => {
    const { searchParams } = new URL(request.url());
    for (const name of ['code', 'state', 'nonce', 'code_challenge'])
      for (const value of searchParams.getAll(name)) if (value.length > 8) collected.oidc.add(value);
  });
  context.on('response', (response) => {
    void response.headersArray().then(
      (headers) => {
        for (const { name, value } of headers)
          if (name.toLowerCase() === 'set-cookie')
            for (const part of (value.split(';', 1)[0] ?? '').split(/[=.]/).slice(1))
              if (part.length >= 16) collected.cookies.add(part);
      },
      () => undefined, // the page was left
    );
  });
  return collected;
}

/** Sends raw bytes and hangs up, which no HTTP client would do. */
async function sendAndHangUp(portal: Portal, head: string, cookie: string, body: string): Promise<void> {
  const socket = net.connect(Number(new URL(portal.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined); // the portal may hang up, too
  socket.write(
    `${head}\r\nHost: ${new URL(portal.origin).host}\r\nOrigin: ${portal.origin}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=xx\r\nContent-Length: 1000000\r\n\r\n${body}`,
  );
  await new Promise<void>((resolve) => socket.end(() => resolve()));
  socket.destroy();
}

const form = (...fields: [string, string][]): { headers: Record<string, string>; data: string } => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  data: new URLSearchParams(fields).toString(),
});

test('the log never contains a secret or personal data, whatever fails, and no refusal shows internal details', async ({
  page,
  trouble,
}) => {
  test.setTimeout(180_000);
  trouble.expect(/the portal logged/);
  trouble.expect(/answered 500/);
  const mailServer = await openRefusingMailServer();
  const portal = await startPortal({
    LOG_LEVEL: 'debug',
    DEMO: '1',
    SMTP_URL: `smtp://canary-mail-user:canary-mail-password@127.0.0.1:${mailServer.port}`,
    NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'support/uncaught.mjs')}`,
    PLANTED: 'canary-uncaught\u001b[31m "value"',
  });
  const home = `${portal.origin}/clientcenter/en-us/`;
  const collected = collectSecrets(page);
  const refusals: { where: string; status: number; body: string; id: string | undefined }[] = [];
  const keep = async (response: APIResponse, ...status: number[]): Promise<APIResponse> => {
    if (status.length > 0)
      expect(status, `${response.url()} answered ${response.status()}`).toContain(response.status());
    if (response.status() >= 400)
      refusals.push({
        where: response.url(),
        status: response.status(),
        body: await response.text(),
        id: response.headers()['x-request-id'],
      });
    return response;
  };
  const own = { Origin: portal.origin };
  const post = (url: string, sent: Parameters<typeof page.request.post>[1] = {}): Promise<APIResponse> =>
    page.request.post(new URL(url, home).href, {
      maxRedirects: 0,
      ...sent,
      headers: { ...own, ...sent.headers },
    });
  const get = (url: string): Promise<APIResponse> =>
    page.request.get(new URL(url, home).href, { maxRedirects: 0 });

  // Sign-in: a wrong password, an unknown person, forged parameters, a success, and a replayed code.
  await keep(
    await post('auth', form(['email', PEOPLE.olivia], ['password', 'Wr0ng-canary-password'])),
    401,
    422,
  );
  await keep(
    await post(
      'auth',
      form(['email', 'canary-stranger@supplier.example'], ['password', 'Wr0ng-canary-password']),
    ),
    401,
    422,
  );
  const started = await post('auth', form(['email', PEOPLE.olivia], ['password', DEMO_PASSWORD]));
  for (const value of new URL(started.headers()['location'] ?? '', home).searchParams.values())
    if (value.length > 20) collected.oidc.add(value);
  await keep(
    await get(
      'auth?code=canary-forged-code&state=canary-forged-state&error=canary-forged-error&error_description=canary-forged-text',
    ),
    303,
  );
  await page.goto(`${home}documents`);
  await signIn(page, PEOPLE.olivia);
  await page.locator('#document-list input[name=id]').first().waitFor();
  for (const { value } of await page.context().cookies())
    if (value.length >= 16) collected.cookies.add(value);
  const [used] = collected.oidc;
  await keep(await get(`auth?code=${used}&state=${used}`), 303);
  await keep(
    await get(
      `${portal.origin}/oidc/auth?client_id=portal&redirect_uri=http://canary.example/&state=canary-forged-state&nonce=canary-forged-nonce&code_challenge=canary`,
    ),
  );
  await keep(
    await post(
      `${portal.origin}/oidc/token`,
      form(
        ['grant_type', 'authorization_code'],
        ['code', 'canary-forged-code'],
        ['client_secret', 'canary-forged-secret'],
      ),
    ),
  );

  // Uploads: complete, refused, aborted, with a wrong boundary, and with control characters in the name.
  const documents =
    String(
      await page.locator('form[action*="/api/storage"][action*="/documents"]').first().getAttribute('action'),
    ).split('?')[0] ?? '';
  const file = (name: string, buffer: Buffer) => ({
    multipart: { 'file[]': { name, mimeType: 'application/pdf', buffer } },
  });
  await keep(
    await post(documents, file('Canary oven invoice.pdf', pdf('Canary content of the invoice'))),
    200,
  );
  await keep(
    await post(documents, file('Canary oven invoice.pdf', pdf('Canary content of the invoice'))),
    409,
  );
  await keep(await post(documents, file('Canary program.exe', Buffer.from('MZ'))), 415);
  await keep(
    await post(
      documents,
      file('Canary \u001b[31m\u2028oven <invoice>|.pdf', pdf('Canary content of the invoice')),
    ),
  );
  await keep(
    await post(documents, {
      headers: { 'content-type': 'multipart/form-data' },
      data: 'Canary half of a file',
    }),
  );
  await keep(
    await post(`${portal.origin}/api/storage/v1/folders`, {
      data: { name: 'Canary folder', clientId: 'Canary Client', parentId: 7 },
    }),
    422,
  );
  await keep(
    await post(`${portal.origin}/api/storage/v1/folders`, {
      headers: { 'content-type': 'application/json' },
      data: '{"name":"Canary folder",',
    }),
  );
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  await sendAndHangUp(
    portal,
    `POST ${documents} HTTP/1.1`,
    cookie,
    '--xx\r\nContent-Disposition: form-data; name="file[]"; filename="Canary broken upload.pdf"\r\n\r\n%PDF-1.4 Canary half of a file',
  );

  // Addresses with user input in them.
  for (const address of [
    'canary-stranger@supplier.example',
    'share/canary-not-a-token',
    'Canary%20Client/Canary%20oven%20invoice.pdf',
    'documents/send?id=Canary%20Client',
    'clients?searchTerm=Canary%20Client',
  ])
    await keep(await get(address));
  await keep(
    await get(
      `${portal.origin}/api/storage/v1/folders/Canary%20folder/documents/Canary%20oven%20invoice.pdf`,
    ),
    404,
  );
  await keep(await get(`${portal.origin}/theme/canary-stranger@supplier.example/1/logo`), 404);
  await keep(await page.request.get(home, { headers: { Host: 'canary.example' } }), 421);
  await keep(await page.request.post(`${home}auth`, { headers: { Origin: 'http://canary.example' } }), 403);

  // Shares: the mail server refuses, and quotes the mail.
  const [documentId = ''] = await page
    .locator('#document-list input[name=id]')
    .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('value') ?? ''));
  const sharing = {
    data: {
      locale: 'en-US',
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'Canary subject', body: 'Canary message' },
      recipients: [{ emailAddress: 'canary-recipient@supplier.example' }],
      sharedItems: [{ containerType: 'Folder', containerId: '-', documentId, name: 'Canary oven invoice' }],
      authorizationCode: 'canary-croissant-41',
    },
  };
  const share = `${portal.origin}/api/storage/v2/sharing/share`;
  await keep(await post(share, sharing), 200);
  await expect.poll(() => portal.output(), { timeout: 20_000 }).toContain('"event":"job.failed"');
  // the firm is notified of the uploads, too
  await expect.poll(() => mailServer.subjects, { timeout: 20_000 }).toContain('Canary subject');
  const link = mailServer.links[0] ?? '';
  const token = /\/share\/([\w-]{43})/.exec(link)?.[1] ?? '';
  expect(token).not.toBe('');
  await keep(await post(link, form(['form', 'open-share'], ['code', 'canary-wrong-code'])), 422);
  const opened = await post(link, form(['form', 'open-share'], ['code', 'canary-croissant-41']));
  expect(opened.status()).toBe(303);
  await keep(
    await get(`${portal.origin}/api/storage/v2/sharing/links/${token}/documents/${documentId}`),
    200,
  );
  await keep(await get(`${portal.origin}/api/storage/v2/sharing/links/${token}/documents.zip`), 200);

  // The database refuses rows and quotes the values.
  for (const [table, value] of [
    ['documents', 'new.name'],
    ['shares', 'new.subject || new.message'],
    ['sign_in_transactions', 'new.state || new.nonce'],
    ['containers', 'new.name'],
  ] as const)
    await portal.refuse(table, value);
  const failing = [
    await keep(
      await post(documents, file('Canary broken upload.pdf', pdf('Canary content of the invoice'))),
      500,
    ),
    await keep(await post(share, sharing), 500),
    await keep(
      await post(
        'documents/send',
        form(
          ['id', documentId],
          ['to', 'canary-recipient@supplier.example'],
          ['subject', 'Canary subject'],
          ['message', 'Canary message'],
          ['expirationPeriod', 'AfterOneDay'],
        ),
      ),
    ),
    await keep(await post('auth', form(['email', PEOPLE.olivia], ['password', DEMO_PASSWORD])), 500),
  ];
  for (const statement of [
    'alter table documents rename to documents_away',
    'alter table oidc_payloads rename to oidc_away',
  ])
    await portal.sql(statement);
  failing.push(
    await keep(await get('documents'), 500),
    await keep(await get(`${portal.origin}/api/storage/v1/folders/x/documents/${documentId}`), 500),
  );
  await keep(
    await get(
      `${portal.origin}/oidc/auth?client_id=portal&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(`${home}auth`)}&state=canary-forged-state&code_challenge=${'c'.repeat(43)}&code_challenge_method=S256`,
    ),
  );
  await page.goto(`${home}documents`);
  refusals.push({ where: page.url(), status: 500, body: await page.content(), id: undefined });
  for (const statement of [
    'alter table documents_away rename to documents',
    'alter table oidc_away rename to oidc_payloads',
  ])
    await portal.sql(statement);

  // A stored file is truncated; then nothing catches an exception.
  await portal.sql('update blobs set size = size + 200000');
  await get(`${portal.origin}/api/storage/v2/sharing/links/${token}/documents/${documentId}`).catch(
    () => undefined,
  );
  await expect.poll(() => portal.output()).toContain('"event":"blob.damaged"');
  portal.signal('SIGUSR2');
  await expect.poll(() => portal.output()).toContain('"event":"uncaught"');

  const [welcome = '', ...after] = portal.output().split('Stop it with Ctrl-C.');
  expect(welcome).toContain('The client portal is at');
  const lines = after
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const events = lines.map((line) => JSON.parse(line) as { event: string; id?: string; actor?: string });
  for (const event of [
    'request',
    'request.failed',
    'page.failed',
    'job.failed',
    'sign-in.refused',
    'blob.damaged',
    'uncaught',
  ])
    expect(
      events.map((line) => line.event),
      'this test must cause every kind of fault',
    ).toContain(event);

  const canaries: Record<string, string[]> = {
    ...TYPED,
    sessions: [...collected.cookies],
    'tokens of links': [token],
    'what signing in carries': [...collected.oidc, 'canary-forged'],
    'keys and passwords of the portal': [
      readFileSync(`${portal.folder}/data.key`, 'utf8').trim(),
      'canary-mail-password',
      'canary-mail-user',
    ],
    'all the others': ['canary'],
  };
  for (const [kind, values] of Object.entries(canaries)) {
    expect(values.length, `the test must have collected ${kind}`).toBeGreaterThan(0);
    for (const value of values) {
      for (const written of [
        value,
        encodeURIComponent(value),
        Buffer.from(value).toString('base64').replace(/=+$/, ''),
        JSON.stringify(value).slice(1, -1),
      ]) {
        const leaks = lines.filter((line) => line.toLowerCase().includes(written.toLowerCase()));
        expect(
          leaks,
          `These log lines contain one of the ${kind} (${value}). Log only ids and codes: src/platform/monitoring/log.server.ts.`,
        ).toEqual([]);
      }
    }
  }
  expect(
    lines.filter((line) => /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/.test(line)),
    'no line contains control characters',
  ).toEqual([]);

  for (const response of failing.filter((one) => one.status() >= 500)) {
    const id = response.headers()['x-request-id'];
    const own = events.filter((line) => line.id === id).map(({ event }) => event);
    expect(own, `all lines of the request ${id} carry its id`).toEqual(
      expect.arrayContaining(['request', expect.stringMatching(/\.failed$/)]),
    );
  }

  const actors = new Set(
    events.flatMap(({ event, actor }) => (event === 'request' ? (actor ?? 'nobody') : [])),
  );
  expect([...actors].toSorted(), 'of each request, who made it').toEqual([
    expect.stringMatching(/^contact_\w+$/),
    'nobody',
  ]);

  expect(refusals.length).toBeGreaterThan(15);
  for (const { where, status, body } of refusals) {
    expect(
      body,
      `The response ${status} of ${where} shows internal details. Respond with a code, and log what happened.`,
    ).not.toMatch(
      /\bat \S+ ?\(?\S+:\d+:\d+|node_modules|SQLITE|\bselect .+ from\b|no such table|already exists, see|raise\(|\/src\/|file:\/\/|ENOENT/i,
    );
    expect(body.includes(portal.folder) || body.includes(process.cwd()), `${where} shows a path`).toBe(false);
  }
  await portal.kill();
  await mailServer.close();
  rmSync(portal.folder, { recursive: true, force: true });
});
