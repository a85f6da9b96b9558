import '../../../src/app.server.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf, decideAccess } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import {
  loadCertificate,
  removeCertificate,
  reuseCertificate,
  storeCertificate,
} from '#features/brazil/digital-certificates/certificates.server.ts';
import {
  loadCredentials,
  stopUsing,
  loadValidity,
} from '#features/brazil/digital-certificates/credentials.server.ts';
import { noticeEndings } from '#features/brazil/digital-certificates/notices.server.ts';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { db } from '#platform/database/database.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { a1Of, a1OfPerson, CERTIFICATE_PASSWORD } from '../../support/digital-certificates.ts';
import { BAKERY, FARMER } from '../../support/fiscal.ts';

const { firmOne, clientA, clientB, clientTwo, tom, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const NOON = Date.UTC(2026, 10, 27, 15);
const BOATS = '48217306000120';
const bakerys = a1Of(BAKERY);
const PERSON = `otherName:2.16.76.1.3.1;OCT:15031970${FARMER}${'0'.repeat(26)}`;
const BOTH = `${PERSON},otherName:2.16.76.1.3.3;OCT:${BOATS}`;

let [ada, ben, sam, owner]: Actor[] = [];
beforeAll(async () => {
  await setFlag(olga, 'NfeManifest.Disabled', false);
  await decideAccess(firmOne, cast.ada.contactId, { kind: 'permission', name: 'ManifestReview' }, true);
  [ada, ben, sam, owner] = await Promise.all(
    [cast.ada, cast.ben, cast.sam, olga].map(({ contactId }) => actorOf(contactId)),
  );
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, BOATS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});
beforeEach(async () => {
  standAt(NOON);
  await db().deleteFrom('client_certificates').execute();
});

const as = (actor: Actor | undefined): Session => sessionAs(actor as Actor);
const store = (actor: Actor | undefined, clientId: string, a1 = bakerys): Promise<void> =>
  storeCertificate(as(actor), clientId, a1);
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: string; details?: { problem?: string } }) => error.details?.problem ?? error.code,
  );

describe('a certificate', () => {
  test('is stored by the firm, says what it is, and its key signs for its client', async () => {
    await store(owner, clientA);
    const certificate = await loadCertificate(owner as Actor, clientA);
    expect(certificate).toMatchObject({
      holder: 'PADARIA SOL NASCENTE LTDA',
      cnpj: BAKERY,
      issuer: 'AC of the tests',
      refusedCode: '',
      storedBy: 'Olga Owner',
    });
    const credentials = await loadCredentials(clientA);
    const [own = '', root = ''] = credentials?.pem.split(/(?<=END CERTIFICATE-----\n)/) ?? [];
    expect(new X509Certificate(own).checkPrivateKey(createPrivateKey(credentials?.key ?? ''))).toBe(true);
    expect(new X509Certificate(root).subject).toBe('CN=AC of the tests');
  });

  test.each([
    ['with the ciphers of today', { isLegacy: false }],
    ['whose CNPJ is in its name only', { alternativeNames: '' }],
    ['whose CNPJ is not in its name', { isNumberInName: false }],
    ['whose number is UTF-8', { alternativeNames: `otherName:2.16.76.1.3.3;UTF8:${BAKERY}` }],
  ])('%s is read, too', async (_, options) => {
    await store(owner, clientA, a1Of(BAKERY, options));
    expect(await loadCertificate(owner as Actor, clientA)).toMatchObject({ cnpj: BAKERY });
  });

  test('of a branch, or with letters, counts by its root', async () => {
    await store(owner, clientA, a1Of('99304518000267'));
    expect(await loadCertificate(owner as Actor, clientA)).toMatchObject({ cnpj: '99304518000267' });
    expect(await loadCredentials(clientA)).toMatchObject({ holderNumber: '99304518000267' });
  });

  test('is never in the clear in the database, and its password is not kept', async () => {
    await store(owner, clientA);
    const row = await db().selectFrom('client_certificates').selectAll().executeTakeFirstOrThrow();
    const text = JSON.stringify(row);
    expect(text).not.toContain('PRIVATE KEY');
    expect(text).not.toContain(CERTIFICATE_PASSWORD);
    expect(JSON.stringify(await loadCertificate(owner as Actor, clientA))).not.toMatch(
      /PRIVATE|secret|BEGIN/,
    );
  });

  test('is replaced by the next one, and a wrong one leaves it as it is', async () => {
    await store(owner, clientA);
    const first = await loadCertificate(owner as Actor, clientA);
    expect(await codeOf(store(owner, clientA, { ...bakerys, password: 'wrong' }))).toBe('CODE_WRONG');
    expect(await loadCertificate(owner as Actor, clientA)).toEqual(first);
    await store(owner, clientA, a1Of(BAKERY));
    const second = await loadCertificate(owner as Actor, clientA);
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect(await db().selectFrom('client_certificates').selectAll().execute()).toHaveLength(1);
  });

  test.each([
    ['of another company', a1Of(BOATS), 'otherCompany'],
    [
      'that names nobody',
      a1Of('', { name: 'ANA SOUZA', isNumberInName: false, alternativeNames: '' }),
      'noNumber',
    ],
    ['of a person', a1OfPerson(FARMER), 'otherPerson'],
    ['that has ended', a1Of(BAKERY, { to: '20261127145959Z' }), 'EXPIRED'],
    ['that is not valid yet', a1Of(BAKERY, { from: '20261127150001Z' }), 'EXPIRED'],
    ['with a weak key', a1Of(BAKERY, { key: ['rsa:1024'] }), 'weakKey'],
    [
      'with a key of another kind',
      a1Of(BAKERY, { key: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] }),
      'weakKey',
    ],
    ['that is no such file', { file: Buffer.from('%PDF-1.7'), password: 'x' }, 'TYPE_NOT_ALLOWED'],
    ['that is empty', { file: new Uint8Array(), password: 'x' }, 'TYPE_NOT_ALLOWED'],
    ['that is too large', { file: new Uint8Array(200_001), password: 'x' }, 'TYPE_NOT_ALLOWED'],
    ['with a wrong password', { ...bakerys, password: 'wrong' }, 'CODE_WRONG'],
  ])('%s is refused', async (_, a1, code) => {
    expect(await codeOf(store(owner, clientA, a1))).toBe(code);
    expect(await loadCredentials(clientA)).toBeUndefined();
  });

  test('needs a CNPJ or CPF of the client', async () => {
    const id = await createClient(olga, { name: 'No Number' });
    expect(await codeOf(store(owner, id))).toBe('clientWithoutNumber');
    expect(await codeOf(store(owner, id, a1OfPerson(FARMER)))).toBe('clientWithoutNumber');
  });

  test('of one client is never used for another, also if both are of one firm', async () => {
    await store(owner, clientA);
    expect(await loadCredentials(clientB)).toBeUndefined();
    expect(await codeOf(store(owner, clientB))).toBe('otherCompany');
    await db().updateTable('client_certificates').set({ client_id: clientB }).execute();
    expect(await loadCredentials(clientB)).toBeUndefined();
  });

  test('is not used any more once it has ended, and once the client is archived or has another CNPJ', async () => {
    const id = await createClient(
      olga,
      { name: 'Another Bakery', taxIds: [{ kind: 'cnpj', number: BAKERY }] },
      { allowDuplicate: true },
    );
    await store(owner, id, a1Of(BAKERY, { to: '20261201000000Z' }));
    expect(await loadCredentials(id)).toBeDefined();
    standAt(Date.UTC(2026, 11, 1));
    expect(await loadCredentials(id)).toBeUndefined();
    expect((await loadValidity([id])).get(id)).toMatchObject({ ok: false });
    standAt(NOON);
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number: BOATS }], allowDuplicate: true });
    expect(await loadCredentials(id)).toBeUndefined();
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number: BAKERY }], allowDuplicate: true });
    expect(await loadCredentials(id)).toBeDefined();
    await archiveClients(olga, [id]);
    expect(await loadCredentials(id)).toBeUndefined();
    expect(await codeOf(store(owner, id))).toBe('GONE');
    await removeCertificate(as(owner), id);
  });
});

describe('a certificate of a person', () => {
  const made = (taxIds: { kind: 'cpf' | 'cnpj'; number: string }[]) =>
    createClient(olga, { name: 'Joana Lima', taxIds }, { allowDuplicate: true });

  test.each([
    ['as it is issued', a1OfPerson(FARMER)],
    ['whose number is not in its name', a1Of(FARMER, { isNumberInName: false, alternativeNames: PERSON })],
    ['whose number is in its name only', a1Of(FARMER, { alternativeNames: '' })],
  ])('%s is that of the client with the CPF, which is nowhere in the clear', async (_, a1) => {
    const id = await made([{ kind: 'cpf', number: FARMER }]);
    await store(owner, id, a1);
    expect(await loadCertificate(owner as Actor, id)).toMatchObject({ cnpj: '' });
    expect(await loadCredentials(id)).toMatchObject({ holderNumber: FARMER });
    const rows = await db().selectFrom('client_certificates').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(FARMER);
  });

  test('is not that of another person, or of the company for which the person answers', async () => {
    const other = await made([{ kind: 'cpf', number: '11144477735' }]);
    expect(await codeOf(store(owner, other, a1OfPerson(FARMER)))).toBe('otherPerson');
    const id = await made([{ kind: 'cpf', number: FARMER }]);
    // it names the person, too, but is of the company
    expect(await codeOf(store(owner, id, bakerys))).toBe('otherCompany');
    expect(await codeOf(store(owner, id, a1Of(BOATS, { alternativeNames: BOTH })))).toBe('otherCompany');
  });

  test('of a client with both numbers can be either, and is not used once the CPF was changed', async () => {
    const both = [
      { kind: 'cpf', number: FARMER },
      { kind: 'cnpj', number: BOATS },
    ] as const;
    const id = await made([...both]);
    await store(owner, id, a1Of(BOATS));
    expect(await loadCredentials(id)).toMatchObject({ holderNumber: BOATS });
    await store(owner, id, a1OfPerson(FARMER));
    expect(await loadCredentials(id)).toMatchObject({ holderNumber: FARMER });
    await updateClient(olga, id, { taxIds: [{ kind: 'cpf', number: '11144477735' }], allowDuplicate: true });
    expect(await loadCredentials(id)).toBeUndefined();
  });
});

describe('who may', () => {
  test('a contact with the permission stores that of their own company; others may not, and see nothing', async () => {
    await store(ada, clientA);
    expect(await loadCertificate(ada as Actor, clientA)).toMatchObject({ storedBy: 'Ada Amber' });
    expect(await codeOf(store(ada, clientB))).toBe('NOT_FOUND');
    expect(await codeOf(store(ben, clientB))).toBe('FORBIDDEN');
    expect(await codeOf(loadCertificate(ben as Actor, clientB))).toBe('FORBIDDEN');
    expect(await codeOf(store(sam, clientA))).toBe('FORBIDDEN'); // a member of the staff does not manage clients
    expect(await codeOf(store(owner, clientTwo))).toBe('NOT_FOUND');
    expect(await codeOf(loadCertificate(owner as Actor, clientTwo))).toBe('NOT_FOUND');
    expect(await codeOf(loadCertificate(tom, clientA))).not.toBe('done');
    expect(await codeOf(removeCertificate(as(ada), clientB))).toBe('NOT_FOUND');
  });

  test('nobody who signed in a while ago, and nobody who views as somebody else', async () => {
    const late = sessionAs(owner as Actor, { authenticatedAt: now() - 6 * 60_000 });
    expect(await codeOf(storeCertificate(late, clientA, bakerys))).toBe('STEP_UP');
    expect(await codeOf(removeCertificate(late, clientA))).toBe('STEP_UP');
    expect(await codeOf(reuseCertificate(late, clientA))).toBe('STEP_UP');
    const viewing = impersonating(ada as Actor, owner as Actor);
    expect(await codeOf(storeCertificate(viewing, clientA, bakerys))).toBe('FORBIDDEN');
    expect(await codeOf(removeCertificate(as(owner), clientA))).toBe('NOT_FOUND');
  });

  test('each change is in the audit log, without anything of the key', async () => {
    await store(owner, clientA);
    await removeCertificate(as(owner), clientA);
    const entries = await db()
      .selectFrom('audit')
      .select(['action', 'details', 'actor'])
      .where('target', '=', clientA)
      .where('action', 'like', 'digital-certificate.%')
      .orderBy('seq', 'desc')
      .limit(2)
      .execute();
    expect(entries.map(({ action }) => action)).toEqual([
      'digital-certificate.remove',
      'digital-certificate.store',
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/KEY|sesame/);
  });
});

describe('a certificate that ends', () => {
  const waiting = async (): Promise<string[]> =>
    (await listInbox(owner as Actor, inboxQuery.parse({}))).items
      .filter(({ kind }) => kind === 'certificate')
      .map(({ name }) => name);
  const notice = (): Promise<void> => noticeEndings(new AbortController().signal);

  test('is announced 30, 7 and 1 days before, and the day after: to the firm and to contacts who may replace it', async () => {
    const mails = await startMailServer();
    await store(owner, clientA, a1Of(BAKERY, { to: '20270110030000Z' })); // midnight in Brasília
    const told: string[] = [];
    for (let day = Date.UTC(2026, 10, 28, 15); day < Date.UTC(2027, 0, 15); day += 24 * HOUR) {
      standAt(day);
      await notice();
      await notice();
      for (const { recipients, mail } of await mails.deliver())
        told.push(`${new Date(day).toISOString().slice(0, 10)} ${recipients.join()} ${mail.subject}`);
    }
    expect(told).toEqual([
      '2026-12-11 ada@one.example The digital certificate of Amber Bakery ends in 30 days',
      '2027-01-03 ada@one.example The digital certificate of Amber Bakery ends in 7 days',
      '2027-01-09 ada@one.example The digital certificate of Amber Bakery ends in 1 day',
      '2027-01-11 ada@one.example The digital certificate of Amber Bakery has ended',
    ]);
    expect(await waiting()).toEqual(['PADARIA SOL NASCENTE LTDA']);
    await store(owner, clientA);
    expect(await waiting()).toEqual([]);
    await mails.close();
  });

  test('or that the authority refuses is not used until somebody decides, and waits in the inbox', async () => {
    await store(owner, clientA);
    const { certificateId = '' } = (await loadCredentials(clientA)) ?? {};
    await stopUsing(certificateId, '284');
    await stopUsing(certificateId, '284');
    expect(await loadCredentials(clientA)).toBeUndefined();
    expect(await loadCertificate(owner as Actor, clientA)).toMatchObject({ refusedCode: '284' });
    expect(await waiting()).toEqual(['PADARIA SOL NASCENTE LTDA']);
    await reuseCertificate(as(owner), clientA);
    expect(await loadCredentials(clientA)).toBeDefined();
    expect(await waiting()).toEqual([]);
  });

  test('of a merged client goes to the other one; of two the one that is valid for longer stays', async () => {
    const make = async (name: string, to: string): Promise<string> => {
      const taxIds = [{ kind: 'cnpj' as const, number: BAKERY }];
      const id = await createClient(olga, { name, taxIds }, { allowDuplicate: true });
      await store(owner, id, a1Of(BAKERY, { to }));
      return id;
    };
    const into = await make('First', '20270110030000Z');
    const from = await make('Second', '20270210030000Z');
    await mergeClients(sessionAs(owner as Actor), from, into);
    const rows = await db().selectFrom('client_certificates').selectAll().execute();
    expect(rows.map((row) => [row.client_id, Number(row.valid_to)])).toEqual([
      [into, Date.UTC(2027, 1, 10, 3)],
    ]);
    expect(await loadCredentials(into)).toBeDefined();
  });
});
