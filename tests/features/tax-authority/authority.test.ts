import { constants } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Credentials } from '#features/brazil/digital-certificates/credentials.server.ts';
import { sefaz } from '#features/brazil/tax-authority/sefaz.server.ts';
import { eventId, signEvent, type EventCode } from '#features/brazil/tax-authority/signing.server.ts';
import { meaningOf } from '#features/brazil/tax-authority/statuses.ts';
import { NO_NSU } from '#features/brazil/tax-authority/tax-authority.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { issue, startOpensslServer } from '../../support/digital-certificates.ts';
import { BAKERY, keyOf, LETTERS, MILL, noteXml } from '../../support/fiscal.ts';
import { isValidForOracle, signerNamed } from '../../support/signed-xml.ts';
import { startTaxAuthority, summaryXml, type Fault } from '../../support/tax-authority.ts';

const NOON = Date.UTC(2026, 10, 27, 15);
let clock = NOON;
const authority = await startTaxAuthority({ clock: () => clock });
afterAll(() => authority.close());

const credentialsOf = (
  holderNumber: string,
  { key, certificate }: ReturnType<typeof issue>,
): Credentials => ({
  certificateId: 'certificate_1',
  clientId: 'client_1',
  holderNumber,
  key,
  pem: certificate,
  storedBy: 'contact_1',
});
const a1 = (cnpj: string, validity: { from?: string; to?: string } = {}): Credentials =>
  credentialsOf(
    cnpj,
    issue({
      commonName: `COMPANY:${cnpj}`,
      alternativeNames: `otherName:2.16.76.1.3.3;OCT:${cnpj}`,
      ...validity,
    }),
  );
const bakery = a1(BAKERY);
const mill = a1(MILL);
const { url, root: roots } = authority;
const portal = sefaz({ environment: 'test', url, roots, timeout: 30_000 });
const impatient = sefaz({ environment: 'test', url, roots, timeout: 3000 });

let number = 700;
let key = '';
beforeEach(() => {
  clock = NOON;
  authority.blocked.clear();
  authority.requests.length = 0;
  number += 1;
  key = keyOf({ number });
  authority.invoices.set(key, { recipient: BAKERY, authorizedAt: Date.parse('2026-11-05T13:00:00Z') });
});

const signed = (
  code: EventCode = '210200',
  { who = bakery, author = BAKERY, of = key, sequence = 1, justification = '' } = {},
) => signEvent({ environment: 'test', key: of, code, sequence, author, at: clock, justification }, who);

describe('a signed event', () => {
  test.each([
    ['210200', ''],
    ['210210', ''],
    ['210220', ''],
    ['210240', 'A carga voltou: R$ 5 > R$ 3 & "molhada", 100 % <de novo>'],
  ] as const)('%s is valid for another program, and is read here', (code, justification) => {
    const { id, xml } = signed(code, { justification });
    expect(id).toBe(`ID${code}${key}01`);
    expect(isValidForOracle(xml)).toBe(true);
    const file = readFiscalXml(Buffer.from(xml));
    const [event] = file.kind === 'fiscal' ? file.entries : [];
    expect(event).toMatchObject({
      kind: 'event',
      key,
      signature: { state: 'valid', signer: { taxId: BAKERY } },
    });
    expect(isValidForOracle(xml.replace('<nSeqEvento>1', '<nSeqEvento>2'))).toBe(false);
  });

  test('about a key with letters has its 52 characters, and only the one that needs a reason has it', () => {
    const letters = keyOf({ number, issuer: LETTERS });
    expect(eventId({ code: '210200', key: letters, sequence: 2 })).toBe(`ID210200${letters}02`);
    expect(signed('210220', { justification: 'stays with the firm' }).xml).not.toContain('xJust');
    expect(signed('210240', { justification: 'A carga voltou inteira' }).xml).toContain(
      '<xJust>A carga voltou inteira</xJust>',
    );
  });

  test('has the time of Brasília, whatever the zone of the server', () => {
    clock = Date.parse('2026-11-28T01:30:00Z');
    expect(signed().xml).toContain('<dhEvento>2026-11-27T22:30:00-03:00</dhEvento>');
  });
});

describe('the authority', () => {
  test('registers an event, and says so with a protocol', async () => {
    const event = signed();
    const reply = await portal.send(bakery, event);
    expect(reply).toMatchObject({ state: 'answered', code: '135', registeredAt: clock });
    expect(authority.events.get(event.id)?.author).toBe(BAKERY);
    const situation = await portal.situation(bakery, key);
    expect(situation).toMatchObject({
      state: 'answered',
      code: '100',
      events: [
        { id: event.id, author: BAKERY, code: '135', protocol: reply.state === 'answered' && reply.protocol },
      ],
    });
    expect(await portal.send(bakery, event)).toMatchObject({ state: 'answered', code: '573', protocol: '' });
  });

  test('refuses by its rules', async () => {
    const code = async (event: ReturnType<typeof signed>, who = bakery): Promise<string> => {
      const reply = await portal.send(who, event);
      return reply.state === 'answered' ? reply.code : reply.state;
    };
    expect(await code(signed('210240', { justification: 'too short' }))).toBe('595');
    expect(await code(signed('210200', { sequence: 3 }))).toBe('594');
    expect(await code(signed('210200', { of: keyOf({ number: 1 }) }))).toBe('494');
    expect(await code(signed('210200', { who: mill, author: MILL }), mill)).toBe('575');
    expect(await code(signed('210200', { who: mill }))).toBe('213');
    expect(await code(signed(), mill)).toBe('593');
    const altered = signed();
    expect(await code({ ...altered, xml: altered.xml.replace('verEvento>1.00', 'verEvento>1.01') })).toBe(
      '215',
    );
    expect(await code({ ...altered, xml: altered.xml.replace('12:00:00', '12:00:01') })).toBe('297');
    clock = Date.parse('2027-06-30T12:00:00-03:00');
    expect(await code(signed())).toBe('596');
  });

  test('is asked with the certificate of the client, and with no other', async () => {
    await portal.send(bakery, signed());
    await portal.situation(mill, key);
    expect(authority.requests.map(({ cnpj }) => cnpj)).toEqual([BAKERY, MILL]);
  });

  test('gives documents page by page, and after the last one for an hour none', async () => {
    const cnpj = '10000000000191';
    const who = a1(cnpj);
    for (let i = 1; i <= 51; i += 1)
      authority.publish(cnpj, 'resNFe_v1.01.xsd', summaryXml({ key: keyOf({ number: i }), issuer: MILL }));
    const first = await portal.distribute(who, { taxId: cnpj, after: NO_NSU });
    expect(first).toMatchObject({
      state: 'answered',
      code: '138',
      last: '000000000000050',
      highest: '000000000000051',
    });
    const second = await portal.distribute(who, { taxId: cnpj, after: '000000000000050' });
    expect(second).toMatchObject({ last: '000000000000051', documents: [{ schema: 'resNFe_v1.01.xsd' }] });
    expect(await portal.distribute(who, { taxId: cnpj, after: '000000000000051' })).toMatchObject({
      code: '656',
    });
    clock += 3_600_001;
    expect(await portal.distribute(who, { taxId: cnpj, after: '000000000000051' })).toMatchObject({
      code: '137',
    });
    clock += 3_600_001;
    expect(await portal.distribute(who, { taxId: cnpj, after: '000000000000999' })).toMatchObject({
      code: '589',
    });
    expect(await portal.distribute(bakery, { taxId: cnpj, after: NO_NSU })).toMatchObject({ code: '593' });
  });

  test('has a document as it was, and a bomb as one that cannot be unpacked', async () => {
    const xml = noteXml({ number: 7, note: 'São João' });
    authority.publish(BAKERY, 'procNFe_v4.00.xsd', xml);
    const page = await portal.distribute(bakery, { taxId: BAKERY, after: NO_NSU });
    expect(page.state === 'answered' && page.documents[0]?.xml?.toString()).toBe(xml);
    authority.blocked.clear();
    authority.fail('NFeDistribuicaoDFe', 'bomb');
    const bomb = await portal.distribute(bakery, { taxId: BAKERY, after: '000000000000001' });
    expect(bomb.state === 'answered' && bomb.documents).toEqual([
      { nsu: '000000000000001', schema: 'procNFe_v4.00.xsd', xml: undefined },
    ]);
  });
});

describe('a request that fails', () => {
  test.each<[Fault, string, string | undefined, boolean]>([
    ['drop before reading', 'unclear', 'brokenOff', false],
    ['accept then drop', 'unclear', 'brokenOff', true],
    ['answer late', 'unclear', 'timeout', true],
    ['half an answer', 'unclear', 'brokenOff', true],
    ['status 503', 'unclear', 'failed', false],
    ['status 403', 'notSent', 'certificate', false],
    ['wrong namespace', 'unclear', 'unreadable', true],
    ['not XML', 'unclear', 'unreadable', true],
    ['with a document type', 'unclear', 'unreadable', true],
    ['too large', 'unclear', 'unreadable', true],
    ['of another event', 'unclear', 'unreadable', true],
  ])('because of %s is %s', async (fault, state, because, isRegistered) => {
    authority.fail('NFeRecepcaoEvento4', fault);
    const event = signed();
    const sender = because === 'timeout' ? impatient : portal;
    expect(await sender.send(bakery, event)).toEqual({ state, because });
    expect(authority.events.has(event.id)).toBe(isRegistered);
  });

  test('because of Latin-1 instead of UTF-8 is unclear', async () => {
    authority.fail('NFeRecepcaoEvento4', 'answer in Latin-1');
    // the answer to what is refused has an accent
    expect(await portal.send(bakery, signed('210200', { of: keyOf({ number: 1 }) }))).toEqual({
      state: 'unclear',
      because: 'unreadable',
    });
  });

  test.each([
    ['108', 'down'],
    ['656', 'misuse'],
    ['280', 'certificate'],
    ['215', 'layout'],
  ] as const)('with code %s means %s', async (code, meaning) => {
    authority.fail('NFeRecepcaoEvento4', `code ${code}`);
    const reply = await portal.send(bakery, signed());
    expect(reply).toMatchObject({ state: 'answered', code, protocol: '' });
    expect(reply.state === 'answered' && meaningOf(reply.code)).toBe(meaning);
  });

  const unusable = [
    ['that has ended', () => a1(BAKERY, { to: '20210101000000Z' })],
    [
      'of an authority that is not trusted',
      () => {
        const { key: pem, certificate } = signerNamed(`COMPANY:${BAKERY}`);
        return credentialsOf(BAKERY, { key: pem, certificate });
      },
    ],
  ] as const;

  test.each(unusable)('because of a certificate %s gets nowhere', async (_, who) => {
    // Node's server says nothing before it closes the connection
    expect(await portal.send(who(), signed())).toEqual({ state: 'unclear', because: 'brokenOff' });
    expect(authority.requests).toEqual([]);
  });

  test.each(unusable)('because a server refuses a certificate %s was not sent', async (_, who) => {
    const server = await startOpensslServer();
    const to = sefaz({ environment: 'test', url: server.url, roots, timeout: 30_000 });
    expect(await to.send(who(), signed())).toEqual({ state: 'notSent', because: 'certificate' });
    server.stop();
  });

  test('because nobody listens, or another server answers, was not sent', async () => {
    const closed = sefaz({ environment: 'test', url: 'https://127.0.0.1:1', roots, timeout: 30_000 });
    expect(await closed.send(bakery, signed())).toEqual({ state: 'notSent', because: 'unreachable' });
    const untrusting = sefaz({ environment: 'test', url, roots: undefined, timeout: 30_000 });
    expect(await untrusting.send(bakery, signed())).toEqual({ state: 'notSent', because: 'unreachable' });
    expect(authority.requests).toEqual([]);
  });

  test('because a server that is silent before the handshake was not sent', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const to = sefaz({ environment: 'test', url: `https://127.0.0.1:${port}`, roots, timeout: 300 });
    expect(await to.send(bakery, signed())).toEqual({ state: 'notSent', because: 'unreachable' });
    silent.close();
  });

  test('because a server knows only TLS 1.0 was not sent', async () => {
    const old = await startTaxAuthority({
      tls: {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1',
        ciphers: 'ALL:@SECLEVEL=0',
        secureOptions: constants.SSL_OP_ALL,
      },
    });
    const to = sefaz({ environment: 'test', url: old.url, roots, timeout: 30_000 });
    expect((await to.send(bakery, signed())).state).toBe('notSent');
    expect(old.requests).toEqual([]);
    await old.close();
  });
});
