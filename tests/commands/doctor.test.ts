import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  act,
  command,
  copyOf,
  databaseOf,
  filesIn,
  newPlace,
  removePlaces,
  rowsIn,
  startPortal,
  tamper,
  type Place,
} from './support.ts';
import { startDovecot } from '../../scripts/services.mjs';
import type { Filled } from './acts.ts';

/** A server at an address, which is or is not the portal. */
async function answering(
  respond: http.RequestListener,
): Promise<{ address: string; server: http.Server; close: () => void }> {
  const server = http.createServer(respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () => server.close(),
  };
}

/** Mails that the filled portal has yet to send. */
const MAILS = 24;

const portal = newPlace();
const site = await answering((request, response) =>
  response.end(request.url === '/healthz' ? 'ok\n' : '<form>'),
);
const stranger = await answering((_, response) => response.end('a shop'));
const nameless = await answering((_, response) => response.writeHead(421).end());
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  logger: false,
});
const listening = mailServer.listen(0, '127.0.0.1');
await once(listening, 'listening');
const WELL = {
  PUBLIC_ORIGIN: site.address,
  SMTP_URL: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
};
let filled: Filled;

beforeAll(async () => {
  filled = await act(portal, 'fill', 3);
});
afterAll(async () => {
  for (const each of [site, stranger, nameless]) each.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
  removePlaces();
});

async function expectWrong(
  place: Place,
  what: string,
  sentence: string | RegExp,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {},
): Promise<void> {
  const { code, said } = await command(place, 'doctor', args, { ...WELL, ...env });
  const wrong = said.split('\n').filter((line) => line.startsWith(`WRONG  ${what} `));
  expect(
    wrong.map((line) => line.slice(17)),
    said,
  ).toEqual(
    expect.arrayContaining([
      typeof sentence === 'string' ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
    ]),
  );
  expect(said).toMatch(/\d+ things? (is|are) wrong\.\n$/);
  expect(code).toBe(1);
}

test('doctor reports a healthy portal as such, with its counts', async () => {
  const { code, said } = await command(portal, 'doctor', ['--deep'], WELL);
  expect(said.split('\n')).toEqual([
    expect.stringMatching(
      /^good {3}version {3}This is version \d+\.\d+\.\d+(?:\+[0-9a-f]{8}(?:\.changed)?)?\.$/,
    ),
    'good   database  SQLite answers; 2 firms; the schema is up to date.',
    'good   key       The key file fits this data and only this user can read it.',
    expect.stringMatching(/^(good|look) {3}disk {6}\d+\.\d GiB of \d+\.\d GiB are free\.$/),
    'good   files     6 documents have their bytes, and the audit trail holds.',
    expect.stringMatching(/^good {3}clock {5}It is 20\d\d-[\d:.TZ-]+\.$/),
    `good   mail      The mail server answers; ${MAILS} mails wait. Mails come from portal@firm.example.`,
    expect.stringMatching(/^good {3}fiscal {4}Files of fiscal documents: 1, in packs: 1; .* none differs\.$/),
    `good   address   The portal answers at ${site.address}/clientcenter/.`,
    'Nothing is wrong.',
    '',
  ]);
  expect(code).toBe(0);
});

test('doctor counts practice firms apart from firms', async () => {
  const place = copyOf(portal);
  const database = new DatabaseSync(path.join(place.data, 'portal.db'));
  database.exec(
    'update firms set practice_of = (select min(company_id) from firms) where company_id = (select max(company_id) from firms)',
  );
  database.close();
  const { said } = await command(place, 'doctor', [], WELL);
  expect(said).toContain('SQLite answers; 1 firm, and 1 for practice; the schema is up to date.');
});

test('doctor warns of audit log checkpoints in the data folder and says where to put them', async () => {
  const place = copyOf(portal);
  const inside = path.join(place.data, 'audit-anchors.log');
  writeFileSync(inside, '');
  const { code, said } = await command(place, 'doctor', [], WELL);
  expect(said).toContain(
    `warn   anchors   The anchors of the audit trail are kept in the data folder (${inside})`,
  );
  expect(said).toContain('best on another machine’s disk, set AUDIT_ANCHORS to it, and restart.');
  expect(code).toBe(0);
  const configured = await command(place, 'doctor', [], { ...WELL, AUDIT_ANCHORS: inside });
  expect(configured.said).toContain('warn   anchors   ');
  writeFileSync(`${place.data}.anchors.log`, '');
  expect((await command(place, 'doctor', [], WELL)).said).not.toContain('anchors');
});

test('doctor without a portal reports so and creates nothing', async () => {
  const place = newPlace();
  const { said } = await command(place, 'doctor', [], WELL);
  expect(said).toContain(`There is no portal in ${place.data} yet.`);
  expect(filesIn(place.folder)).toEqual([]);
});

describe('doctor findings', () => {
  test('doctor finds the key file of other data', async () => {
    const place = copyOf(portal);
    writeFileSync(place.keyFile, `${'ab'.repeat(32)}\n`);
    await expectWrong(
      place,
      'key',
      'does not contain the key of this data. Restore the key file that belongs to it',
    );
  });

  test('doctor finds a missing key file', async () => {
    const place = copyOf(portal);
    rmSync(place.keyFile);
    await expectWrong(
      place,
      'key',
      `KEY_FILE=${place.keyFile} does not exist. Put the key file of this data there`,
    );
    expect(filesIn(place.folder)).not.toContain('data.key');
  });

  test('doctor finds a key file that others can read', async () => {
    const place = copyOf(portal);
    chmodSync(place.keyFile, 0o640);
    await expectWrong(
      place,
      'key',
      `Others on this machine can read the key file. Run: chmod 600 ${place.keyFile}`,
    );
  });

  test('doctor finds a key file inside the data folder', async () => {
    const place = copyOf(portal);
    const inside = path.join(place.data, 'portal.key');
    cpSync(place.keyFile, inside);
    await expectWrong(
      { ...place, keyFile: inside },
      'key',
      'lies in the data folder: who takes the one has the other',
    );
  });

  test('doctor finds a disk that is nearly full', async () => {
    const full =
      "import fs from 'node:fs/promises';import{syncBuiltinESMExports}from'node:module';fs.statfs=async()=>({bavail:10,blocks:1000,bsize:1048576});syncBuiltinESMExports()";
    await expectWrong(portal, 'disk', /^0\.0 GiB of 1\.0 GiB are free: uploads are refused\. Make room/, {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(full)}` },
    });
  });

  test('doctor finds a mailbox for undelivered emails that refuses the password, and one that cannot be reached', async () => {
    const dovecot = await startDovecot();
    const urlWith = (password: string, port = dovecot.port): string =>
      `imap://bounces:${encodeURIComponent(password)}@127.0.0.1:${port}`;
    try {
      await expectWrong(portal, 'bounces', 'its user name or password is wrong. Check BOUNCE_IMAP_URL.', {
        env: { BOUNCE_IMAP_URL: urlWith('wrong') },
      });
      await expectWrong(portal, 'bounces', 'ECONNREFUSED', {
        env: { BOUNCE_IMAP_URL: urlWith(dovecot.password, 1) },
      });
      const { said } = await command(portal, 'doctor', [], {
        ...WELL,
        BOUNCE_IMAP_URL: urlWith(dovecot.password),
      });
      expect(said).toContain('good   bounces   The mailbox for reports of undelivered emails can be read.\n');
    } finally {
      await dovecot.stop();
    }
  });

  test('doctor finds a mailbox of fiscal documents that refuses the password', async () => {
    const dovecot = await startDovecot();
    const env = { FISCAL_MAIL_ADDRESS: 'xml@intake.example' };
    const urlWith = (password: string): string =>
      `imap://fiscal:${encodeURIComponent(password)}@127.0.0.1:${dovecot.port}`;
    try {
      await expectWrong(portal, 'mailbox', 'its user name or password is wrong. Check FISCAL_IMAP_URL.', {
        env: { ...env, FISCAL_IMAP_URL: urlWith('wrong') },
      });
      const { said } = await command(portal, 'doctor', [], {
        ...WELL,
        ...env,
        FISCAL_IMAP_URL: urlWith(dovecot.password),
      });
      expect(said).toContain('good   mailbox   The mailbox of fiscal documents can be read.\n');
    } finally {
      await dovecot.stop();
    }
  });

  test('doctor finds a watched folder that is missing, and folders in it of no client', async () => {
    const place = newPlace();
    const folder = path.join(place.folder, 'fiscal');
    const env = { FISCAL_FOLDER: folder };
    await expectWrong(portal, 'folder', 'cannot be used: ENOENT', { env });
    mkdirSync(path.join(folder, '99304518000186'), { recursive: true });
    const { code, said } = await command(portal, 'doctor', [], { ...WELL, ...env });
    expect(said).toContain(
      'warn   folder    No client that stores fiscal documents has this number or CNPJ: 99304518000186 in the watched folder.',
    );
    expect(said).toContain(
      'good   folder    The watched folder of fiscal documents can be used; folders of clients: 0.',
    );
    expect(code).toBe(0);
  });

  test('doctor finds a missing and a truncated file', async () => {
    const place = copyOf(portal);
    const [gone = '', cut = ''] = filesIn(place.data).filter((file) => file.startsWith('blobs/'));
    rmSync(path.join(place.data, gone));
    truncateSync(path.join(place.data, cut), 10);
    await expectWrong(place, 'files', `the bytes of ${path.basename(gone)} are missing`);
    await expectWrong(place, 'files', `${path.basename(cut)} has 10 bytes in the store instead of`);
  });

  test('doctor finds a changed file when it checks contents', async () => {
    const place = copyOf(portal);
    const [{ blob_key: key } = {}] = rowsIn(
      databaseOf(place),
      'select blob_key from documents where deleted_at is null order by seq limit 1',
    );
    const file = path.join(place.data, filesIn(place.data).find((each) => path.basename(each) === key) ?? '');
    writeFileSync(file, Buffer.alloc(statSync(file).size));
    await expectWrong(place, 'files', /^the bytes of document doc_\w+ differ from those uploaded/, {
      args: ['--deep'],
    });
  });

  test('doctor finds a changed audit log', async () => {
    const place = copyOf(portal);
    tamper(
      databaseOf(place),
      `drop trigger audit_is_not_changed; update audit set actor = 'nobody' where company_id = '${filled.firmId}' and seq = 3`,
    );
    await expectWrong(
      place,
      'files',
      `the audit log of ${filled.firmId} is invalid from entry 3 on: changed`,
    );
  });

  test('doctor finds a value moved to another row', async () => {
    const place = copyOf(portal);
    tamper(
      databaseOf(place),
      'create temp table one as select email from users limit 1; update users set email = (select email from one)',
    );
    await expectWrong(
      place,
      'files',
      /^users\.email of user_\w+ cannot be decrypted: it was changed, or belongs to another row/,
    );
  });

  test('doctor finds a clock that was set back', async () => {
    const place = copyOf(portal);
    await act(place, 'actAhead', filled.firmId);
    await expectWrong(
      place,
      'clock',
      'Something happened here 60 minutes in the future: the clock was set back. Set it by NTP.',
    );
  });

  test('doctor finds an unreachable mail server and mails that have waited too long', async () => {
    const place = copyOf(portal);
    await act(place, 'ageJobs', 5);
    await expectWrong(
      place,
      'mail',
      /^The mail server does not take our mails: .*ECONNREFUSED.* Check SMTP_URL\./,
      { env: { SMTP_URL: 'smtp://127.0.0.1:1' } },
    );
    await expectWrong(place, 'mail', `${MAILS} mails wait, the oldest for 5 hours`);
  });

  test('doctor finds a portal address that belongs to somebody else, does not resolve or is not encrypted', async () => {
    await expectWrong(portal, 'address', `What answers at ${stranger.address} is not the portal`, {
      env: { PUBLIC_ORIGIN: stranger.address },
    });
    await expectWrong(portal, 'address', 'the proxy must pass the Host header on', {
      env: { PUBLIC_ORIGIN: nameless.address },
    });
    await expectWrong(
      portal,
      'address',
      'People reach http://portal.invalid without encryption. Put a proxy with TLS in front',
      { env: { PUBLIC_ORIGIN: 'http://portal.invalid' } },
    );
  });

  test('doctor finds a sender that no mail server takes, where the portal is not for this machine alone', async () => {
    await expectWrong(
      portal,
      'mail',
      'Mails come from portal@localhost.localdomain, an address that no mail',
      {
        env: { PUBLIC_ORIGIN: 'https://portal.invalid', MAIL_FROM: 'portal@localhost.localdomain' },
      },
    );
    const { said } = await command(portal, 'doctor', [], {
      ...WELL,
      MAIL_FROM: 'portal@localhost.localdomain',
    });
    expect(said).toContain('Nothing is wrong.');
  });

  test('doctor finds a database of a newer version', async () => {
    const place = copyOf(portal);
    tamper(
      databaseOf(place),
      "insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '2030-01-01T00:00:00Z')",
    );
    await expectWrong(
      place,
      'schema',
      'The database was used by a newer version (9999-of-tomorrow). Start that version, or restore a backup from before the upgrade.',
    );
  });

  test('doctor finds an interrupted restore', async () => {
    const place = copyOf(portal);
    tamper(databaseOf(place), "insert into settings values ('restoring', '0123456789abcdef')");
    await expectWrong(place, 'database', 'A restore was started here and did not finish.');
  });

  test('doctor finds a database that does not respond', async () => {
    await expectWrong(
      { ...portal, env: { DATABASE_URL: 'postgres://portal:secret@localhost:1/portal' } },
      'database',
      'The database does not answer.',
    );
  });
});

test.each([
  ['backup', '--help', 0, 'npm run backup -- --to FOLDER '],
  ['doctor', '--help', 0, 'npm run doctor -- --deep '],
  ['create-firm', '-h', 0, 'npm run create-firm -- "Name of the firm"'],
  ['doctor', '--version', 0, /^\d+\.\d+\.\d+/],
  ['doctor', '--deeper', 1, /^Unknown option '--deeper'\.\n\nnpm run doctor /],
  ['verify', 'everything', 1, /^"everything" is one argument too many\.\n\nnpm run verify /],
  ['restore', '--from', 1, /^Option '--from <value>' argument missing\.\n\nnpm run restore /],
])('%s %s ends with %i and a sentence', async (name, argument, expected, sentence) => {
  const { code, said } = await command(portal, name, [argument], WELL);
  expect([code, said]).toEqual([
    expected,
    typeof sentence === 'string' ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
  ]);
  expect(said, 'no stack').not.toMatch(/^ +at /m);
});

test('doctor counts documents that were never scanned and names the scanner', async () => {
  const clamd = net.createServer((socket) => socket.once('data', () => socket.end('PONG\0')));
  await once(clamd.listen(0, '127.0.0.1'), 'listening');
  const { code, said } = await command(portal, 'doctor', [], {
    ...WELL,
    CLAMD: `127.0.0.1:${(clamd.address() as AddressInfo).port}`,
  });
  clamd.close();
  expect(said).toContain(
    'warn   scanner   6 documents were never scanned: they came in before CLAMD was set, or while clamd was away.',
  );
  expect(said).toContain('good   scanner   clamd answers; 0 documents wait to be scanned.');
  expect(code).toBe(0);
});

test('doctor says that an untrusted proxy is wrong where people come from other machines', async () => {
  const place = copyOf(portal);
  tamper(databaseOf(place), `insert into settings values ('foreign-proxy-at', '${Date.now()}')`);
  const { code, said } = await command(place, 'doctor', [], {
    ...WELL,
    PUBLIC_ORIGIN: 'https://portal.invalid',
  });
  expect(said).toContain(
    'WRONG  proxy     Within a day, requests came by a proxy that TRUSTED_PROXIES does not name',
  );
  expect(code).toBe(1);
});

test('doctor finds a proxy that refuses large bodies, an untrusted proxy, and a misspelled variable', async () => {
  const narrow = await answering((request, response) =>
    response.end(request.url === '/healthz' ? 'ok\n' : '<form>'),
  );
  narrow.server.on('checkContinue', (_, response: http.ServerResponse) => response.writeHead(413).end());
  const place = copyOf(portal);
  tamper(databaseOf(place), `insert into settings values ('foreign-proxy-at', '${Date.now()}')`);
  const { code, said } = await command(place, 'doctor', [], {
    ...WELL,
    PUBLIC_ORIGIN: narrow.address,
    TRUST_PROXY: '10.0.0.1',
  });
  narrow.close();
  expect(said).toContain(
    `WRONG  proxy     The proxy in front of ${narrow.address} refuses 9 MB, so larger files cannot be uploaded.`,
  );
  expect(said).toContain(
    'warn   proxy     Within a day, requests came by a proxy that TRUSTED_PROXIES does not name',
  );
  expect(said).toContain(
    'warn   variable  TRUST_PROXY is not a setting of the portal and is ignored. Did you mean TRUSTED_PROXIES?',
  );
  expect(code).toBe(1);
});

test('doctor says which secrets it reads from files, and the portal stops where it cannot', async () => {
  const place = copyOf(portal);
  const file = path.join(place.folder, 'smtp');
  writeFileSync(file, `${WELL.SMTP_URL}\n`);
  const env = { SMTP_URL: '', SMTP_URL_FILE: file };
  const { code, said } = await command(place, 'doctor', [], { ...WELL, ...env });
  expect(said).toContain(`good   variable  SMTP_URL is read from the file ${file}.`);
  expect(said).toContain('good   mail      The mail server answers;');
  expect(code).toBe(0);
  rmSync(file);
  expect(await startPortal(place, env)).toEqual({
    code: 1,
    said: `SMTP_URL_FILE="${file}" cannot be read (ENOENT). Check its path, and that the portal's user may read it.\n`,
  });
});

test('doctor stops at a database with pending migrations, and verify reports them in a sentence', async () => {
  const place = copyOf(portal);
  tamper(databaseOf(place), "delete from kysely_migration where name >= '0020'; drop table item_metadata");
  const { code, said } = await command(place, 'doctor', [], WELL);
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(
      /^warn {3}schema {4}The next start brings the schema up to date \(0020-comments, /m,
    ),
  ]);
  expect(said).not.toContain('no such table');
  for (const name of ['verify', 'audit-verify', 'receipt-verify']) {
    const verified = await command(place, name);
    expect([verified.code, verified.said]).toEqual([
      1,
      expect.stringMatching(
        /^The database is of an earlier version .+ Start the portal once, then run this again\.\n$/,
      ),
    ]);
  }
});

test('the portal refuses to run from its sources, where each module would be loaded twice', async () => {
  const { code, said } = await startPortal(portal, {}, 'src/server.ts');
  expect([code, said]).toEqual([1, expect.stringContaining('the portal runs as it was built')]);
});
