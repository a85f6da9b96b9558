import '../../../src/app.server.ts';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { switchForClient } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { intakePage } from '#features/brazil/fiscal-intake/intake-page.server.ts';
import { loadMailAddress, replaceMailAddress } from '#features/brazil/fiscal-intake/mail-addresses.server.ts';
import { readMailbox } from '#features/brazil/fiscal-intake/mailbox.server.ts';
import { listSetAsides } from '#features/brazil/fiscal-intake/set-asides.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { hasStarted } from '#platform/security/limits.server.ts';
import { startDovecot } from '../../../scripts/services.mjs';
import { sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { BAKERY, cancellationXml, LETTERS, noteXml, openStorageOf, zipOf } from '../../support/fiscal.ts';
import { runDueJobs } from '../../support/jobs.ts';
import { mailboxesOf } from '../../support/mailboxes.ts';

/* The mailbox of fiscal documents: messages in a real Dovecot, which the portal reads by IMAP. */

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(owner);
const olga = await actorOf(owner.contactId);
const [ada, ben] = [await actorOf(cast.ada.contactId), await actorOf(cast.ben.contactId)];
const sam = await actorOf(cast.sam.contactId);

const close: (() => void)[] = [];
const dovecot = await startDovecot();
const { newMailbox, wire } = mailboxesOf(dovecot, close);
const ADDRESS = 'xml@intake.example';

beforeAll(async () => {
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, LETTERS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});

let mailbox: ReturnType<typeof newMailbox>;
/** The address of the bakery. */
let bakery = '';
beforeEach(async () => {
  mailbox = newMailbox();
  await replaceMailAddress(ada, clientA);
  bakery = (await loadMailAddress(ada, clientA, at())) ?? '';
  standAt(now() + 2 * HOUR); // no earlier failure counts
});
afterEach(() => {
  for (const end of close.splice(0)) end();
});
afterAll(() => dovecot.stop());

const at = (url = 'imap://x:y@127.0.0.1') => ({ url, address: ADDRESS });
const read = (url = mailbox.url): Promise<void> => readMailbox(undefined, at(url));

type Files = Readonly<Record<string, string | Buffer>>;
let written = 0;

/** A message with attachments, as programs send them. */
function message(to: string, files: Files, { headers = [] as string[], subject = 'NF-e' } = {}): string {
  written += 1;
  const parts = Object.entries(files).map(([name, content]) =>
    [
      '--edge',
      `Content-Type: application/octet-stream; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      ...(Buffer.from(content)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
    ].join('\r\n'),
  );
  return [
    'From: Moinho <nfe@mill.example>',
    `To: ${to}`,
    ...headers,
    `Subject: ${subject}`,
    `Message-ID: <${written}@mill.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=edge',
    '',
    '--edge\r\nContent-Type: text/plain\r\n\r\nSegue a nota.',
    ...parts,
    '--edge--',
    '',
  ].join('\r\n');
}

/** The intakes of a client by mail, the oldest first, with what their pages say of each file. */
async function intakesOf(clientId = clientA) {
  const rows = await db()
    .selectFrom('fiscal_intakes')
    .select('intake_id')
    .where('client_id', '=', clientId)
    .where('source', '=', 'mail')
    .orderBy('created_at')
    .orderBy('intake_id')
    .execute();
  return Promise.all(
    rows.map(async ({ intake_id: id }) => {
      const page = await intakePage(
        { locals: { lang: 'pt', session: sessionAs(olga), pathTo: (to) => `/${to}` } },
        id,
      );
      return Object.fromEntries(page.rows.map(({ name, text }) => [name, text]));
    }),
  );
}

/** Reads the mailbox, and what of it the client has now that it had not before. */
async function newIntakes(work: () => Promise<unknown> = () => read()): Promise<Record<string, string>[]> {
  const { length } = await intakesOf();
  await work();
  return (await intakesOf()).slice(length);
}

describe('a message to the address of a client', () => {
  test('brings its XML and ZIP files in, and is marked as read; printed invoices are left out', async () => {
    await mailbox.deliver(
      message(`"Padaria" <${bakery.toUpperCase()}>`, {
        'nota.xml': noteXml({ number: 301 }),
        'danfe.pdf': '%PDF-1.7',
        'mes.zip': await zipOf({ '302.xml': noteXml({ number: 302 }) }),
      }),
    );
    const [intake] = await newIntakes(async () => {
      await read();
      await runDueJobs();
    });
    expect(intake).toEqual({ 'nota.xml': 'Guardado', '302.xml': 'Guardado' });
    expect(await mailbox.unread()).toBe(0);
  });

  test('counts by the header of the delivery too, whoever it was written to', async () => {
    await mailbox.deliver(
      message(
        'compras@padaria.example',
        { 'a.xml': noteXml({ number: 303 }) },
        {
          headers: [`Delivered-To: ${bakery}`],
        },
      ),
    );
    expect(await newIntakes()).toEqual([{ 'a.xml': 'Guardado' }]);
  });

  test('says why a file is refused: too large, no XML, an event that nobody signed', async () => {
    await mailbox.deliver(
      message(bakery, {
        'huge.xml': Buffer.alloc(4 * 1024 ** 2 + 1, 32),
        'broken.xml': '<nfeProc',
        'cancelled.xml': cancellationXml({ number: 301 }),
        'fine.xml': noteXml({ number: 304 }),
      }),
    );
    expect(await newIntakes()).toEqual([
      {
        'huge.xml': 'Maior que 4 MB',
        'broken.xml': 'Não é um XML válido: exporte de novo do programa que o gerou',
        'cancelled.xml':
          'Por e-mail, eventos só são aceitos com assinatura válida: envie este arquivo aqui no portal',
        'fine.xml': 'Guardado',
      },
    ]);
  });

  test('without such files says so, as does one that is too large', async () => {
    await mailbox.deliver(
      message(bakery, { 'foto.jpg': 'x' }, { subject: 'Fotos da loja' }),
      message(bakery, { 'big.zip': Buffer.alloc(30 * 1024 ** 2, 7) }, { subject: 'Tudo' }),
    );
    expect(await newIntakes()).toEqual([
      { 'Fotos da loja': 'O e-mail não tem arquivo XML nem ZIP anexado' },
      { Tudo: 'O e-mail tem mais de 40 MB: envie os arquivos em vários e-mails ou aqui no portal' },
    ]);
  });

  test('that has documents of another company sets them aside, even of another client', async () => {
    await mailbox.deliver(message(bakery, { 'letters.xml': noteXml({ number: 305, recipient: LETTERS }) }));
    expect(await newIntakes()).toEqual([
      { 'letters.xml': 'Não é desta empresa; o escritório vai verificar' },
    ]);
    expect((await listSetAsides(sam)).map(({ name }) => name)).toContain('letters.xml');
    expect(await intakesOf(clientB)).toEqual([]);
  });

  test('that comes twice is stored once', async () => {
    const file = { 'twice.xml': noteXml({ number: 306 }) };
    const [first, second] = [message(bakery, file), message(bakery, file)];
    await mailbox.deliver(first, first, second);
    expect(await newIntakes(), 'the same message has one intake').toEqual([
      { 'twice.xml': 'Guardado' },
      { 'twice.xml': 'Já estava aqui' },
    ]);
  });

  test('to several clients gives each what it has a part in', async () => {
    await replaceMailAddress(ben, clientB);
    const other = (await loadMailAddress(ben, clientB, at())) ?? '';
    await mailbox.deliver(message(`${bakery}, ${other}`, { 'n.xml': noteXml({ number: 307 }) }));
    expect(await newIntakes()).toEqual([{ 'n.xml': 'Guardado' }]);
    expect(await intakesOf(clientB)).toEqual([
      { 'n.xml': 'Não é desta empresa; o escritório vai verificar' },
    ]);
  });
});

describe('a message that is for nobody', () => {
  test('stays unread: without a token, with an old or a wrong one, to another domain, or switched off', async () => {
    const file = (number: number): Files => ({ 'n.xml': noteXml({ number }) });
    const old = bakery;
    await replaceMailAddress(ada, clientA);
    const current = (await loadMailAddress(ada, clientA, at())) ?? '';
    await mailbox.deliver(
      message(ADDRESS, file(310)),
      message(old, file(311)),
      message('xml+aaaaaaaaaaaaaaaa@intake.example', file(312)),
      message(current.replace('intake.example', 'intake.example.org'), file(313)),
    );
    expect(await newIntakes()).toEqual([]);
    expect(await mailbox.unread()).toBe(4);
    await switchForClient(olga, clientA, false);
    await mailbox.deliver(message(current, file(314)));
    expect(await newIntakes()).toEqual([]);
    await switchForClient(olga, clientA, true);
    await mailbox.deliver(message(current, file(315)));
    expect(await newIntakes()).toEqual([{ 'n.xml': 'Guardado' }]);
    expect(await mailbox.unread()).toBe(5);
  });

  test('an address is for those who may send documents of the client', async () => {
    await expect(loadMailAddress(ben, clientA, at())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(replaceMailAddress(ben, clientA)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
    await expect(replaceMailAddress(await actorOf(rita.contactId), clientA)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(bakery).toMatch(/^xml\+[a-z2-7]{16}@intake\.example$/);
    expect(
      JSON.stringify(await db().selectFrom('fiscal_mail_addresses').selectAll().execute()),
    ).not.toContain(/\+(\w+)@/.exec(bakery)?.[1]);
  });
});

describe('the connection', () => {
  test('cut in the middle of a message, or before it is marked, loses nothing and stores nothing twice', async () => {
    const messages = [320, 321, 322].map((number) => message(bakery, { 'n.xml': noteXml({ number }) }));
    await mailbox.deliver(...messages);
    let fetched = 0;
    const { port } = await wire({
      onReceived: (piece, { cut }) => {
        if (piece.includes('BODY[]')) fetched += 1;
        if (fetched < 2) return piece;
        setImmediate(cut);
        return piece.subarray(0, piece.length / 2);
      },
    });
    const stored = await newIntakes(() => expect(read(mailbox.urlAt(port))).rejects.toThrow());
    expect(stored).toEqual([{ 'n.xml': 'Guardado' }]);
    standAt(now() + HOUR);
    let marked = 0; // the first one of the connection repeats that of the last message
    const { port: other } = await wire({
      onSent: (piece, { cut }) => {
        if (piece.includes('UID STORE')) marked += 1;
        if (marked < 2) return piece;
        cut();
        return Buffer.alloc(0);
      },
    });
    expect(await newIntakes(() => expect(read(mailbox.urlAt(other))).rejects.toThrow())).toHaveLength(1);
    standAt(now() + HOUR);
    expect(await newIntakes()).toEqual([{ 'n.xml': 'Guardado' }]);
    expect(await mailbox.unread()).toBe(0);
    expect(await newIntakes()).toEqual([]);
  });

  test('a mailbox that renumbers its messages is read again, and stores nothing twice', async () => {
    const messages = [330, 331].map((number) => message(bakery, { 'n.xml': noteXml({ number }) }));
    await mailbox.deliver(...messages);
    expect(await newIntakes()).toHaveLength(2);
    const folder = path.join(dovecot.mail, mailbox.user);
    for (const name of readdirSync(folder))
      if (/^dovecot[.-](?:uid|index)/.test(name)) rmSync(path.join(folder, name));
    await mailbox.deliver(message(bakery, { 'new.xml': noteXml({ number: 332 }) }));
    expect(await newIntakes()).toEqual([{ 'new.xml': 'Guardado' }]);
  });

  test('a wrong password is tried again at longer and longer intervals', async () => {
    await mailbox.deliver(message(bakery, { 'late.xml': noteXml({ number: 340 }) }));
    const wrong = mailbox.urlAt(dovecot.port, { password: 'wrong' });
    const refused = { authenticationFailed: true };
    await expect(read(wrong)).rejects.toMatchObject(refused);
    expect(await newIntakes(), 'the pause').toEqual([]);
    standAt(now() + MINUTE);
    await expect(read(wrong)).rejects.toMatchObject(refused);
    standAt(now() + MINUTE);
    expect(await newIntakes(), 'twice as long').toEqual([]);
    standAt(now() + MINUTE);
    expect(await newIntakes()).toEqual([{ 'late.xml': 'Guardado' }]);
    expect(await hasStarted('fiscal-mailbox-paused')).toBe(false);
  });

  test('many messages are read in parts, by one node at a time', async () => {
    const files = Array.from({ length: 60 }, (_, i) =>
      message(bakery, { 'n.xml': noteXml({ number: 400 + i }) }),
    );
    await mailbox.deliver(...files);
    const stored = await newIntakes(() => Promise.all([read(), read(), read()]));
    expect(stored).toHaveLength(60);
    expect(stored.every((files) => files['n.xml'] === 'Guardado')).toBe(true);
    const stopping = new AbortController();
    stopping.abort();
    await mailbox.deliver(message(bakery, { 'n.xml': noteXml({ number: 470 }) }));
    expect(await newIntakes(() => readMailbox(stopping.signal, at(mailbox.url)))).toEqual([]);
    expect(await newIntakes()).toHaveLength(1);
  });
});
