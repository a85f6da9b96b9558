import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isDocument,
  type FiscalDocument,
  type FiscalEntry,
  type FiscalEvent,
  type FiscalFile,
  type Section,
} from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { MAX_FISCAL_XML, readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

const demo = (name: string): string =>
  fs.readFileSync(path.join(import.meta.dirname, '../../../src/features/demo/demo/files', name), 'utf8');
const read = (text: string): FiscalFile => readFiscalXml(Buffer.from(text));

function entriesOf(text: string): readonly FiscalEntry[] {
  const file = read(text);
  return file.kind === 'fiscal' ? file.entries : [];
}

function documentOf(text: string): FiscalDocument {
  const document = entriesOf(text).find(isDocument);
  if (!document) throw new Error('the file has no document');
  return document;
}

function eventOf(text: string): FiscalEvent {
  const event = entriesOf(text).find((entry) => entry.kind === 'event');
  if (!event) throw new Error('the file has no event');
  return event;
}

const sectionOf = ({ sections }: FiscalDocument, title: Section['title']): Section | undefined =>
  sections.find((section) => section.title === title);
const rowsOf = (document: FiscalDocument, title: Section['title']): string[][] =>
  (sectionOf(document, title)?.tables ?? []).flatMap(({ rows }) =>
    rows.map((row) => row.map(({ value }) => value)),
  );
const proofsOf = ({ proofs }: FiscalEntry): string[] => proofs.map(({ result, text }) => `${result} ${text}`);

const KEY = '35261112ABC34501DE35550010000001231076543217';
const note = (content: string, key = KEY): string =>
  `<NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe Id="NFe${key}" versao="4.00">${content}</infNFe></NFe>`;
const protocol = (status: string, { key = KEY, digest = '' } = {}): string =>
  `<protNFe><infProt>${key === '' ? '' : `<chNFe>${key}</chNFe>`}<dhRecbto>2026-11-27T10:00:05-03:00</dhRecbto><nProt>135260000000001</nProt>${digest === '' ? '' : `<digVal>${digest}</digVal>`}<cStat>${status}</cStat><xMotivo>Motivo</xMotivo></infProt></protNFe>`;
const wrapped = (...parts: string[]): string =>
  `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe">${parts.join('')}</nfeProc>`;

test('a brief reading says the same about a document, without its items and what nobody has read', () => {
  const bytes = Buffer.from(demo('nfe-1001.xml').replace('</infNFe>', '<unknown>kept</unknown></infNFe>'));
  const [whole, brief] = [readFiscalXml(bytes), readFiscalXml(bytes, { isBrief: true })];
  const [document] = whole.kind === 'fiscal' ? whole.entries : [];
  const unread = document && isDocument(document) ? document.others.fields : [];
  expect(unread).toContainEqual({ path: 'unknown', value: 'kept' });
  const left = { items: [], itemsLeftOut: document && isDocument(document) ? document.items.length : 0 };
  expect(left.itemsLeftOut).toBeGreaterThan(0);
  const others = { fields: [], leftOut: 0 };
  expect(brief).toEqual({ ...whole, entries: [{ ...document, ...left, others }] });
});

test('fields that nobody has read are numbered among those of their name', () => {
  const unknown = (n: number): string => `<group><one>a${n}</one><two>b${n}</two></group>`;
  const { others } = documentOf(note(`<x><same>1</same><same>2</same></x>${unknown(1)}${unknown(2)}`));
  expect(others.fields.map(({ path: name, value }) => `${name}=${value}`)).toEqual([
    'x › same 1=1',
    'x › same 2=2',
    'group 1 › one=a1',
    'group 1 › two=b1',
    'group 2 › one=a2',
    'group 2 › two=b2',
  ]);
});

describe('demo documents', () => {
  test('an NF-e is read with the numbers as in the file', () => {
    const document = documentOf(demo('nfe-1001.xml'));
    expect(document).toMatchObject({
      kind: 'NF-e',
      number: '1001',
      series: '1',
      nature: 'Venda de mercadoria',
      key: '35261099421736000109550010000010011418026376',
      keyHolds: true,
      isTest: false,
      issuedAt: '2026-10-14T09:42:18-03:00',
      state: 'authorized',
      stateAt: document.protocol?.receivedAt,
      signature: { state: 'valid', algorithm: 'sha1' },
      totals: { parts: [{ name: 'sumProducts', amount: '3000.20' }], total: '3000.20', difference: '' },
    });
    expect(document.parties.map(({ role, name, taxId }) => [role, name, taxId])).toEqual([
      ['issuer', 'Embalagens Ipê Comércio Ltda', '99421736000109'],
      ['recipient', 'Padaria Sol Nascente Ltda', '99304518000186'],
    ]);
    expect(document.items[0]).toMatchObject({
      number: '1',
      code: 'CX-2518',
      description: 'Caixa de papelão para bolo 25x25x18 cm',
      quantity: '600.0000',
      unit: 'UN',
      price: '1.8500',
      discount: '',
      total: '1110.00',
    });
    expect(document.items[0]?.taxes).toContainEqual({
      name: 'sumIcms',
      code: '000',
      base: '1110.00',
      rate: '18.00',
      reduction: '',
      amount: '199.80',
    });
    expect(document.items[0]?.taxes).toContainEqual({
      name: 'sumCbs',
      code: '',
      base: '826.00',
      rate: '0.9000',
      reduction: '',
      amount: '7.43',
    });
  });

  test.each([
    ['nfce-3001.xml', 'NFC-e', '3001', 'authorized'],
    ['cte-2001.xml', 'CT-e', '2001', 'authorized'],
    ['cfe-4001.xml', 'CF-e', '4001', 'unproven'],
    ['nfe-1002-cnpj-alfanumerico.xml', 'NF-e', '1002', 'authorized'],
  ])('what is proven of each kind is proven: %s', (file, kind, number, state) => {
    const document = documentOf(demo(file));
    expect(document).toMatchObject({ kind, number, state, keyHolds: true, signature: { state: 'valid' } });
    expect(document.items.length).toBeGreaterThan(0);
    expect(document.issuedAt).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d-03:00$/);
    expect(proofsOf(document)).toEqual(
      expect.arrayContaining(['proven contentAgrees', 'proven signatureValid', 'open authorityNotAsked']),
    );
    if (kind !== 'CF-e') expect(proofsOf(document)).toContain('proven protocolOfContent');
  });

  test.each([
    ['an amount', '<vNF>3000.20</vNF>', '<vNF>3000.21</vNF>', 'wrong signatureChanged'],
    ['the issuer', '<CNPJ>99421736000109</CNPJ>', '<CNPJ>99304518000186</CNPJ>', 'wrong contentDiffers'],
    ['the protocol', '<digVal>', '<digVal>A', 'wrong protocolOfOtherContent'],
    ['the signature', '<SignatureValue>', '<SignatureValue>AAAA', 'wrong signatureForged'],
  ])('a document whose %s was changed is not called authorized', (_, from, to, proof) => {
    const document = documentOf(demo('nfe-1001.xml').replace(from, to));
    expect(document.state).not.toBe('authorized');
    expect(proofsOf(document)).toContain(proof);
  });

  test('line breaks that an editor adds are told from changes', () => {
    const document = documentOf(demo('nfe-1001.xml').replaceAll('><', '>\n  <'));
    expect(document).toMatchObject({ state: 'authorized', signature: { state: 'reformatted' } });
    expect(proofsOf(document)).toEqual(
      expect.arrayContaining(['proven signatureReformatted', 'proven protocolOfContent']),
    );
  });

  test('a signed document in which another one is wrapped is not valid', () => {
    const signed = demo('nfe-1001.xml').replace(/^<\?xml[^>]*>/, '');
    const body = /<infNFe[\s\S]*<\/infNFe>/.exec(signed)?.[0] ?? '';
    const changed = body.replace('<vNF>3000.20</vNF>', '<vNF>9.99</vNF>');
    const inside = signed.replace(body, changed).replace('<KeyInfo>', `<Object>${body}</Object><KeyInfo>`);
    const before = signed.replace(body, `${changed}${body}`);
    for (const attack of [inside, before])
      expect(['changed', 'unsupported']).toContain(documentOf(attack).signature.state);
  });
});

describe('the authority’s answer', () => {
  test.each([
    ['100', 'authorized'],
    ['150', 'authorized'],
    ['101', 'cancelled'],
    ['110', 'denied'],
    ['301', 'denied'],
    ['204', 'rejected'],
  ])('status %s is %s', (status, state) => {
    expect(documentOf(wrapped(note(''), protocol(status))).state).toBe(state);
  });

  test('no answer, and one of another document or content, prove nothing', () => {
    const other = KEY.replace('123', '124');
    expect([
      documentOf(wrapped(note(''))).state,
      documentOf(wrapped(note(''), protocol('100', { key: other }))).state,
      documentOf(wrapped(note(''), protocol('100', { digest: 'AAAA' }))).state,
    ]).toEqual(['noProtocol', 'wrongProtocol', 'wrongProtocol']);
  });

  test('each document of a batch has its own answer', () => {
    const other = '35260812ABC34501DE35550010000001231482917352';
    const batch = wrapped(note(''), note('', other), protocol('301', { key: other }), protocol('100'));
    expect(entriesOf(batch).map((entry) => entry.kind !== 'void' && [entry.key, entry.state])).toEqual([
      [KEY, 'authorized'],
      [other, 'denied'],
    ]);
  });
});

test('a difference between key and content is named, and leading zeros and a CPF make none', () => {
  const content = (ide: string, emit = '<CNPJ>12ABC34501DE35</CNPJ>'): string =>
    note(`<ide><cUF>35</cUF><mod>55</mod><serie>1</serie>${ide}</ide><emit>${emit}</emit>`);
  const fieldsOf = (text: string) =>
    documentOf(text).proofs.find((proof) => proof.text === 'contentDiffers')?.fields;
  const right =
    '<nNF>123</nNF><dhEmi>2026-11-27T10:00:00-03:00</dhEmi><tpEmis>1</tpEmis><cNF>07654321</cNF><cDV>7</cDV>';
  expect(fieldsOf(content(right))).toBeUndefined();
  expect(fieldsOf(content(right.replace('123', '124')))).toEqual(['number']);
  expect(fieldsOf(content(right.replace('2026-11', '2026-10')))).toEqual(['keyMonth']);
  expect(fieldsOf(content(right, '<CNPJ>99304518000186</CNPJ>'))).toEqual(['issuer']);
});

describe('repeated elements', () => {
  test('installments, payments, packages, seals, references and notes are all read', () => {
    const document = documentOf(
      note(
        [
          `<ide><mod>55</mod><NFref><refNFe>${KEY}</refNFe></NFref><NFref><refCTe>${KEY}</refCTe></NFref></ide>`,
          '<transp><modFrete>0</modFrete><reboque><placa>AAA1B11</placa></reboque><reboque><placa>BBB2C22</placa></reboque>',
          '<vol><qVol>1</qVol><lacres><nLacre>L1</nLacre></lacres><lacres><nLacre>L2</nLacre></lacres></vol><vol><qVol>2</qVol></vol></transp>',
          '<cobr><fat><nFat>9</nFat></fat><dup><nDup>001</nDup><vDup>5.00</vDup></dup><dup><nDup>002</nDup><vDup>6.00</vDup></dup></cobr>',
          '<pag><detPag><tPag>17</tPag><vPag>5.00</vPag></detPag><detPag><tPag>77</tPag><vPag>6.00</vPag></detPag><vTroco>1.00</vTroco></pag>',
          '<infAdic><infCpl>Nota</infCpl><obsCont xCampo="A"><xTexto>1</xTexto></obsCont><obsCont xCampo="B"><xTexto>2</xTexto></obsCont></infAdic>',
        ].join(''),
      ),
    );
    expect(rowsOf(document, 'invoice')).toEqual([
      ['001', '5.00'],
      ['002', '6.00'],
    ]);
    expect(rowsOf(document, 'payments')).toEqual([
      ['payPix', '5.00'],
      ['77', '6.00'],
    ]);
    expect(rowsOf(document, 'transport')).toEqual([['AAA1B11'], ['BBB2C22'], ['1', 'L1, L2'], ['2', '']]);
    expect(rowsOf(document, 'references')).toEqual([
      [KEY, ''],
      ['', KEY],
    ]);
    expect(document.notes).toEqual([
      { title: '', text: 'Nota' },
      { title: 'A', text: '1' },
      { title: 'B', text: '2' },
    ]);
  });

  test('a transport has all its documents, parts of the price and quantities, and its taker', () => {
    const cte = `<CTe xmlns="http://www.portalfiscal.inf.br/cte"><infCte Id="CTe1"><ide><mod>57</mod><toma3><toma>1</toma></toma3></ide><emit><xNome>E</xNome></emit><rem><xNome>R</xNome></rem><exped><xNome>X</xNome></exped><vPrest><vTPrest>3.00</vTPrest><Comp><xNome>A</xNome><vComp>1.00</vComp></Comp><Comp><xNome>B</xNome><vComp>2.00</vComp></Comp></vPrest><infCTeNorm><infCarga><infQ><cUnid>01</cUnid><qCarga>5</qCarga></infQ><infQ><cUnid>03</cUnid><qCarga>6</qCarga></infQ></infCarga><infDoc><infNFe><chave>${KEY}</chave></infNFe><infNFe><chave>${KEY}</chave></infNFe></infDoc></infCTeNorm></infCte></CTe>`;
    const document = documentOf(cte);
    expect(document.items.map(({ description, total }) => [description, total])).toEqual([
      ['A', '1.00'],
      ['B', '2.00'],
    ]);
    expect(document.parties.filter(({ isTaker }) => isTaker).map(({ role }) => role)).toEqual(['dispatcher']);
    expect(rowsOf(document, 'cargo')).toEqual([
      ['5', 'unitKg'],
      ['6', 'unitPieces'],
    ]);
    expect(rowsOf(document, 'documentsCarried')).toEqual([[KEY], [KEY]]);
  });

  test('a manifest has the documents of every city, every vehicle and every driver', () => {
    const place = (name: string, ...keys: string[]): string =>
      `<infMunDescarga><xMunDescarga>${name}</xMunDescarga>${keys.map((key) => `<infNFe><chNFe>${key}</chNFe></infNFe>`).join('')}</infMunDescarga>`;
    const document = documentOf(
      `<MDFe><infMDFe Id="MDFe1"><ide><modal>1</modal></ide><infModal><rodo><veicTracao><placa>A</placa><condutor><xNome>P</xNome></condutor><condutor><xNome>Q</xNome></condutor></veicTracao><veicReboque><placa>B</placa></veicReboque><veicReboque><placa>C</placa></veicReboque></rodo></infModal><infDoc>${place('Campinas', KEY, KEY)}${place('Santos', KEY)}</infDoc></infMDFe></MDFe>`,
    );
    expect(
      sectionOf(document, 'documentsCarried')?.tables.map(({ heading, rows }) => [heading, rows.length]),
    ).toEqual([
      ['Campinas', 2],
      ['Santos', 1],
    ]);
    expect(rowsOf(document, 'transport')).toEqual([['A'], ['B'], ['C'], ['P'], ['Q']]);
  });

  test('what no place of the sheet shows is listed by its own name, and nothing is missing', () => {
    const leaf = fc.stringMatching(/^[a-z]{1,8}$/).map((name) => `z${name}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(leaf, fc.stringMatching(/^[A-Za-z0-9]{1,10}$/)), { maxLength: 8 }),
        (fields) => {
          const xml = fields.map(
            ([name, value]) => `<det><prod><xProd>P</xProd></prod><${name}>${value}</${name}></det>`,
          );
          const { others } = documentOf(note(xml.join('')));
          expect(others.fields).toEqual(
            fields.map(([name, value], at) => ({
              path: `${fields.length === 1 ? 'det' : `det ${at + 1}`} › ${name}`,
              value,
            })),
          );
        },
      ),
    );
  });
});

describe('services', () => {
  test('a national NFS-e names provider, customer, service and what is withheld', () => {
    const document = documentOf(
      `<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse"><infNFSe Id="NFS1"><nNFSe>12</nNFSe><xLocPrestacao>Campinas</xLocPrestacao><cStat>100</cStat><dhProc>2026-11-27T10:00:00-03:00</dhProc><emit><CNPJ>12ABC34501DE35</CNPJ><xNome>P</xNome></emit><valores><vISSQN>5.00</vISSQN><vTotalRet>5.00</vTotalRet><vLiq>95.00</vLiq></valores><DPS><infDPS><tpAmb>1</tpAmb><dCompet>2026-11-01</dCompet><toma><CNPJ>99304518000186</CNPJ><xNome>T</xNome></toma><serv><cServ><xDescServ>Limpeza</xDescServ></cServ></serv><valores><vServPrest><vServ>100.00</vServ></vServPrest></valores></infDPS></DPS></infNFSe></NFSe>`,
    );
    expect(document).toMatchObject({
      kind: 'NFS-e',
      number: '12',
      state: 'authorized',
      totals: {
        parts: [
          { name: 'sumServices', amount: '100.00' },
          { name: 'sumWithheld', amount: '5.00' },
        ],
        total: '95.00',
        difference: '',
      },
    });
    expect(document.parties.map(({ role, name }) => [role, name])).toEqual([
      ['provider', 'P'],
      ['taker', 'T'],
    ]);
    expect(sectionOf(document, 'service')?.facts[0]?.value).toBe('Limpeza');
  });

  test.each([
    [
      'ABRASF 1',
      '<CompNfse><Nfse><InfNfse><Numero>7</Numero><CodigoVerificacao>AB1</CodigoVerificacao><DataEmissao>2026-11-27T10:00:00</DataEmissao><Servico><Valores><ValorServicos>10.00</ValorServicos></Valores><Discriminacao>S</Discriminacao></Servico><PrestadorServico><IdentificacaoPrestador><Cnpj>99421736000109</Cnpj></IdentificacaoPrestador><RazaoSocial>P</RazaoSocial></PrestadorServico><TomadorServico><RazaoSocial>T</RazaoSocial></TomadorServico></InfNfse></Nfse></CompNfse>',
      'unproven',
    ],
    [
      'ABRASF 2, cancelled',
      '<CompNfse><Nfse><InfNfse><Numero>7</Numero><DataEmissao>2026-11-27</DataEmissao><ValoresNfse><ValorLiquidoNfse>10.00</ValorLiquidoNfse></ValoresNfse><PrestadorServico><RazaoSocial>P</RazaoSocial></PrestadorServico><DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico><Servico><Valores><ValorServicos>10.00</ValorServicos></Valores></Servico><Tomador><RazaoSocial>T</RazaoSocial></Tomador></InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse><NfseCancelamento/></CompNfse>',
      'cancelled',
    ],
    [
      'São Paulo',
      '<NFe><ChaveNFe><NumeroNFe>7</NumeroNFe></ChaveNFe><DataEmissaoNFe>2026-11-27T10:00:00</DataEmissaoNFe><StatusNFe>N</StatusNFe><RazaoSocialPrestador>P</RazaoSocialPrestador><ValorServicos>10.00</ValorServicos><RazaoSocialTomador>T</RazaoSocialTomador></NFe>',
      'unproven',
    ],
  ])('an NFS-e of a city is read, and nothing is claimed about it: %s', (_, xml, state) => {
    const document = documentOf(xml);
    expect(document).toMatchObject({
      kind: 'NFS-e',
      number: '7',
      state,
      totals: { total: '10.00', difference: '' },
    });
    expect(document.parties.map(({ name }) => name)).toEqual(['P', 'T']);
    expect(document.proofs.filter(({ result }) => result === 'proven')).toEqual([]);
  });
});

describe('events', () => {
  const event = (type: string, status: string, detail = '', key = KEY): string =>
    `<procEventoNFe><evento><infEvento><CNPJ>12ABC34501DE35</CNPJ><chNFe>${key}</chNFe><dhEvento>2026-11-28T09:00:00-03:00</dhEvento><tpEvento>${type}</tpEvento><nSeqEvento>1</nSeqEvento><detEvento>${detail}</detEvento></infEvento></evento><retEvento><infEvento><cStat>${status}</cStat><chNFe>${key}</chNFe><dhRegEvento>2026-11-28T09:00:01-03:00</dhRegEvento><nProt>1</nProt></infEvento></retEvento></procEventoNFe>`;

  test.each([
    ['110111', '135', 'eventCancellation', true, 'registered'],
    ['110112', '155', 'eventCancellationReplaced', true, 'registered'],
    ['110111', '573', 'eventCancellation', true, 'rejected'],
    ['110110', '135', 'eventCorrection', false, 'registered'],
    ['210200', '136', 'eventConfirmed', false, 'registered'],
    ['110199', '135', undefined, false, 'registered'],
  ])('event %s with status %s is %s', (type, status, name, cancels, state) => {
    const found = eventOf(event(type, status, '<descEvento>Nome</descEvento><xJust>Porque</xJust>'));
    expect(found).toMatchObject({
      name,
      cancels,
      state,
      description: 'Nome',
      reason: 'Porque',
      keyHolds: true,
    });
  });

  test('a document is cancelled by its registered cancellation, in whatever order the file has them', () => {
    const parts = [
      note(''),
      protocol('100'),
      event('110111', '135'),
      event('110110', '135', '<xCorrecao>x</xCorrecao>'),
      event('110111', '135', '', '35260812ABC34501DE35550010000001231482917352'),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
        const entries = entriesOf(wrapped(...shuffled));
        expect(entries).toHaveLength(2);
        expect(entries.find(isDocument)).toMatchObject({
          state: 'cancelled',
          stateAt: '2026-11-28T09:00:01-03:00',
          events: [{ kind: 'event' }, { kind: 'event' }],
        });
      }),
    );
    expect(documentOf(wrapped(note(''), protocol('100'), event('110111', '573'))).state).toBe('authorized');
  });

  test('the end of an MDF-e is no cancellation, although its number is', () => {
    const key = '35261112ABC34501DE35580010000001231076543210';
    const [digit] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].filter(
      (each) => eventOf(event('110112', '135', '', key.slice(0, 43) + each)).keyHolds,
    );
    expect(eventOf(event('110112', '135', '', key.slice(0, 43) + (digit ?? '')))).toMatchObject({
      name: 'eventClosing',
      cancels: false,
    });
  });

  test('an old cancellation and numbers that are not used are read with their answers', () => {
    const old = `<procCancNFe><cancNFe><infCanc><chNFe>${KEY}</chNFe><nProt>1</nProt><xJust>Erro</xJust></infCanc></cancNFe><retCancNFe><infCanc><cStat>101</cStat><dhRecbto>2010-01-01T10:00:00</dhRecbto></infCanc></retCancNFe></procCancNFe>`;
    expect(eventOf(old)).toMatchObject({ cancels: true, state: 'registered', reason: 'Erro' });
    const voided =
      '<ProcInutNFe><inutNFe><infInut><ano>26</ano><CNPJ>12ABC34501DE35</CNPJ><mod>55</mod><serie>1</serie><nNFIni>4</nNFIni><nNFFin>6</nNFFin><xJust>Salto</xJust></infInut></inutNFe><retInutNFe><infInut><cStat>102</cStat></infInut></retInutNFe></ProcInutNFe>';
    expect(entriesOf(voided)).toMatchObject([
      { kind: 'void', issuer: '12ABC34501DE35', series: '1', first: '4', last: '6', state: 'registered' },
    ]);
  });
});

describe('files of others', () => {
  test.each([
    ['an empty file', '', 'notXml'],
    ['an element without an end', '<nfeProc><NFe>', 'notXml'],
    ['the beginning of a document', demo('nfe-1001.xml').slice(0, 900), 'notXml'],
    ['text', 'not XML at all', 'notXml'],
    ['a web page', '<html><br></html>', 'notXml'],
    ['an entity', '<NFe>&boom;</NFe>', 'notXml'],
    [
      'an entity declaration',
      demo('nfe-1001.xml').replace('?>', '?><!DOCTYPE nfeProc [<!ENTITY a "b">]>'),
      'doctype',
    ],
    ['an external entity', '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>', 'doctype'],
    [
      'a billion laughs',
      `<!DOCTYPE l [${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]><l>&l9;</l>`,
      'doctype',
    ],
    ['65 levels', '<a>'.repeat(65) + '</a>'.repeat(65), 'tooDeep'],
    [
      'namespaces without end',
      `<a ${Array.from({ length: 101 }, (_, i) => `xmlns:n${i}="u"`).join(' ')}/>`,
      'tooDeep',
    ],
    ['elements without end', `<a>${'<b/>'.repeat(200_001)}</a>`, 'tooLarge'],
    ['a byte more than 4 MiB', ' '.repeat(MAX_FISCAL_XML + 1), 'tooLarge'],
  ])('%s is refused', (_, text, because) => {
    expect(read(text)).toEqual({ kind: 'refused', because });
  });

  test.each([
    ['other XML', '<a><b>1</b></a>'],
    ['64 levels', '<a>'.repeat(64) + '</a>'.repeat(64)],
    ['a wrapper without a document', '<nfeProc/>'],
    ['a name of an object', '<__proto__><constructor/></__proto__>'],
  ])('%s is other XML, about which nothing is claimed', (_, text) => {
    expect(read(text)).toEqual({ kind: 'other' });
  });

  test('hostile files cost no more than a second of processor time', async () => {
    const files = [
      `<P>${note(`<a ${Array.from({ length: 90 }, (_, i) => `xmlns:n${i}="u"`).join(' ')}>${'<b/>'.repeat(20_000)}</a>`)}${protocol('100', { digest: 'A' })}</P>`,
      `<a ${Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      '<a>'.repeat(1_000_000),
      `<a>${'&#65;'.repeat(500_000)}</a>`,
      `<!DOCTYPE ${'['.repeat(1_000_000)}`,
      `<?xml ${' '.repeat(2_000_000)}`,
      '\uFEFF'.repeat(1_000_000),
    ];
    for (const file of files) expect(await cpuTimeOf(() => read(file))).toBeLessThan(1500);
  });

  test('any text is answered, whatever it is', () => {
    const parts = fc.constantFrom(
      '<NFe>',
      '</NFe>',
      '<infNFe Id="NFe1">',
      '</infNFe>',
      '<det>',
      '</det>',
      '&amp;',
      '<',
      '>',
      '"',
      'x',
      '<Signature/>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
    );
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 30 }).map((list) => list.join('')),
        (text) => {
          expect(['fiscal', 'other', 'refused']).toContain(read(text).kind);
        },
      ),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['fiscal', 'other', 'refused']).toContain(readFiscalXml(bytes).kind);
      }),
    );
  });
});

describe('encodings', () => {
  const xml = (declaration: string): string =>
    `${declaration}${note('<ide><natOp>Devolução à fábrica</natOp></ide>')}`;
  const declared = (encoding: string): string => xml(`<?xml version="1.0" encoding="${encoding}"?>`);
  test.each([
    ['UTF-8', Buffer.from(declared('UTF-8')), false],
    ['UTF-8 without a declaration', Buffer.from(xml('')), false],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${declared('utf-8')}`), false],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1'), 'latin1'), false],
    [
      'Windows-1252 in single quotes',
      Buffer.from(xml("<?xml version='1.0' encoding='windows-1252'?>"), 'latin1'),
      false,
    ],
    ['UTF-16', Buffer.from(`\uFEFF${declared('UTF-16')}`, 'utf16le'), false],
    ['an encoding that nobody knows', Buffer.from(declared('x-mainframe')), true],
    ['Latin-1 that is called UTF-8', Buffer.from(declared('UTF-8'), 'latin1'), true],
    ['Latin-1 without a declaration', Buffer.from(xml(''), 'latin1'), true],
    ['UTF-8 that is called ISO-8859-1', Buffer.from(declared('ISO-8859-1')), true],
    ['blank lines before the declaration', Buffer.from(`\r\n\r\n  ${declared('UTF-8')}`), false],
    ['zero bytes after the end', Buffer.from(`${declared('UTF-8')}\0\0`), false],
    ['the mark of old systems after the end', Buffer.from(`${declared('UTF-8')}\n\u001A`), false],
  ])('a document is read in %s', (_, bytes, isWronglyEncoded) => {
    const file = readFiscalXml(bytes);
    expect(file).toMatchObject({
      kind: 'fiscal',
      isWronglyEncoded,
      entries: [{ nature: 'Devolução à fábrica' }],
    });
  });
});
