import '../../../src/app.server.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fiscalXml } from '#features/brazil/fiscal-documents/reading.server.ts';
import { monthFor } from '#features/brazil/fiscal-documents/months.server.ts';
import { recipientIn, recipientNamed } from '#features/brazil/fiscal-intake/recipients.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { db } from '#platform/database/database.server.ts';
import { makeCast, person } from '../../support/cast.ts';
import {
  BAKERY,
  cancellationXml,
  FARMER,
  keyOf,
  MILL,
  noteXml,
  openStorageOf,
  store,
  voidXml,
} from '../../support/fiscal.ts';

/* Clients who are persons, such as farmers and independent professionals: documents name them by their CPF. */

const { firmOne, clientA, clientB, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await openStorageOf(olga);
const DOCTOR = '11144477735';
const none = { access_key: '', document_key: '', issuer_name: '' };
let [ada, sam]: Actor[] = [];

beforeAll(async () => {
  await updateClient(olga, clientA, { taxIds: [{ kind: 'cpf', number: FARMER }], allowDuplicate: true });
  await updateClient(olga, clientB, { taxIds: [{ kind: 'cpf', number: DOCTOR }], allowDuplicate: true });
  [ada, sam] = [await actorOf(cast.ada.contactId), await actorOf(cast.sam.contactId)];
});

const documentOf = (clientId: string, key: string) =>
  db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('access_key', '=', key)
    .executeTakeFirst();

/** A service of one person for another, as the national NFS-e and that of a city write it. */
const nationalService = (provider: string, taker: string): string =>
  `<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse" versao="1.00"><infNFSe Id="NFS350950221${provider.padStart(14, '0')}0000000000012261112345678900"><xLocEmi>Campinas</xLocEmi><nNFSe>12</nNFSe><cStat>100</cStat><dhProc>2026-11-05T10:00:00-03:00</dhProc><emit><CPF>${provider}</CPF><xNome>Dra. Bia Lima</xNome></emit><valores><vLiq>300.00</vLiq></valores><DPS versao="1.00"><infDPS Id="DPS1"><tpAmb>1</tpAmb><dhEmi>2026-11-05T10:00:00-03:00</dhEmi><serie>1</serie><nDPS>12</nDPS><dCompet>2026-11-05</dCompet><prest><CPF>${provider}</CPF></prest><toma><CPF>${taker}</CPF><xNome>João Rural</xNome></toma><serv><cServ><cTribNac>040101</cTribNac><xDescServ>Consulta</xDescServ></cServ></serv><valores><vServPrest><vServ>300.00</vServ></vServPrest></valores></infDPS></DPS></infNFSe></NFSe>`;
const cityService = (provider: string, taker: string): string =>
  `<CompNfse xmlns="http://www.abrasf.org.br/nfse.xsd"><Nfse versao="2.03"><InfNfse Id="1"><Numero>77</Numero><CodigoVerificacao>ABCD1234</CodigoVerificacao><DataEmissao>2026-11-05T10:00:00</DataEmissao><ValoresNfse><ValorLiquidoNfse>300.00</ValorLiquidoNfse></ValoresNfse><PrestadorServico><IdentificacaoPrestador><CpfCnpj><Cpf>${provider}</Cpf></CpfCnpj></IdentificacaoPrestador><RazaoSocial>Dra. Bia Lima</RazaoSocial></PrestadorServico><DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico><Servico><Valores><ValorServicos>300.00</ValorServicos></Valores><Discriminacao>Consulta</Discriminacao></Servico><Prestador><CpfCnpj><Cpf>${provider}</Cpf></CpfCnpj></Prestador><Tomador><IdentificacaoTomador><CpfCnpj><Cpf>${taker}</Cpf></CpfCnpj></IdentificacaoTomador><RazaoSocial>João Rural</RazaoSocial></Tomador></InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse></CompNfse>`;
const saoPauloService = (provider: string, taker: string): string =>
  `<NFe><ChaveNFe><InscricaoPrestador>1</InscricaoPrestador><NumeroNFe>5</NumeroNFe><CodigoVerificacao>ABCD-1234</CodigoVerificacao></ChaveNFe><DataEmissaoNFe>2026-11-05T10:00:00</DataEmissaoNFe><CPFCNPJPrestador><CPF>${provider}</CPF></CPFCNPJPrestador><RazaoSocialPrestador>Dra. Bia Lima</RazaoSocialPrestador><StatusNFe>N</StatusNFe><ValorServicos>300</ValorServicos><CPFCNPJTomador><CPF>${taker}</CPF></CPFCNPJTomador><RazaoSocialTomador>João Rural</RazaoSocialTomador><Discriminacao>Consulta</Discriminacao></NFe>`;
const freight = (sender: string, taker: string): string =>
  `<cteProc xmlns="http://www.portalfiscal.inf.br/cte" versao="4.00"><CTe><infCte versao="4.00" Id="CTe${keyOf({ number: 41 })}"><ide><mod>57</mod><serie>1</serie><nCT>41</nCT><dhEmi>2026-11-05T10:00:00-03:00</dhEmi><tpAmb>1</tpAmb><toma4><toma>4</toma><CPF>${taker}</CPF><xNome>João Rural</xNome></toma4></ide><emit><CNPJ>${MILL}</CNPJ><xNome>Carrier</xNome></emit><rem><CPF>${sender}</CPF><xNome>Dra. Bia Lima</xNome></rem><dest><CNPJ>${MILL}</CNPJ><xNome>Mill</xNome></dest><vPrest><vTPrest>50.00</vTPrest></vPrest></infCte></CTe></cteProc>`;

describe('documents of a person', () => {
  test('reach the client with the CPF, as recipient and as issuer, and nothing has the CPF in the clear', async () => {
    const bought = { number: 1, recipient: FARMER };
    const sold = { number: 2, series: 920, issuer: FARMER, recipient: BAKERY };
    // staff send them for another client: the CPF decides
    const outcomes = await store(sam as Actor, clientB, noteXml(bought), noteXml(sold));
    expect(outcomes).toMatchObject([{ clientId: clientA }, { clientId: clientA }]);
    expect(await documentOf(clientA, keyOf(bought))).toMatchObject({
      direction: 'in',
      role: 'recipient',
      own_id: '',
    });
    const own = await documentOf(clientA, keyOf(sold));
    expect(own).toMatchObject({ direction: 'out', role: 'issuer', own_id: '', issuer_id: '', problems: 0 });
    const { access_key: _, document_key: __, issuer_name: ___, ...row } = own ?? none;
    expect(JSON.stringify(row)).not.toContain(FARMER);
    expect((await fiscalXml(ada as Actor, own?.document_id ?? '')).bytes.toString()).toContain(FARMER);
  });

  test('come in together with the events about them, whose keys have the CPF with zeros', async () => {
    const note = { number: 3, series: 920, issuer: FARMER, recipient: MILL };
    const outcomes = await store(sam as Actor, clientB, noteXml(note), cancellationXml(note));
    expect(outcomes).toMatchObject([
      { outcome: 'elsewhere', clientId: clientA },
      { outcome: 'elsewhere', clientId: clientA },
    ]);
    expect(await documentOf(clientA, keyOf(note))).toMatchObject({ state: 'cancelled' });
  });

  test.each([
    ['the national NFS-e', 12, nationalService],
    ['the NFS-e of a city', 77, cityService],
    ['the NFS-e of São Paulo', 5, saoPauloService],
    ['a freight, as sender and as another taker', 41, freight],
  ])('reach both sides of %s', async (_, number, xml) => {
    const [outcome] = await store(sam as Actor, clientB, xml(DOCTOR, FARMER));
    expect(outcome).toMatchObject({ outcome: 'stored' });
    const rows = await db()
      .selectFrom('fiscal_documents')
      .select(['client_id', 'role'])
      .where('number', '=', number)
      .where('kind', '<>', 'NF-e')
      .execute();
    expect(rows.map((row) => row.client_id).toSorted()).toEqual([clientA, clientB].toSorted());
    expect(rows.map(({ role }) => role)).not.toContain('other');
  });

  test('have gaps in their series, and numbers that the person has voided are none', async () => {
    const sold = (number: number) => noteXml({ number, series: 921, issuer: FARMER, recipient: MILL });
    await store(ada as Actor, clientA, sold(10), sold(12));
    const of = { clientId: clientA, storage: 'nfe', month: '2026-11' } as const;
    const missing = async () =>
      (await monthFor(ada as Actor, of)).gaps.filter(({ series }) => series === '921');
    expect(await missing()).toMatchObject([{ issuer: '', first: 11, last: 11 }]);
    await store(ada as Actor, clientA, voidXml(FARMER, { model: 55, series: 921, first: 11, last: 11 }));
    expect(await missing()).toEqual([]);
    const voids = await db().selectFrom('fiscal_voids').select('issuer_id').execute();
    expect(voids).toEqual([{ issuer_id: '' }]);
  });

  test('are taken from a folder with the name of the CPF, and from a file that names nobody else', async () => {
    expect(await recipientNamed('529.982.247-25')).toMatchObject({ clientId: clientA });
    expect(await recipientIn(Buffer.from(noteXml({ number: 9, recipient: DOCTOR })))).toMatchObject({
      clientId: clientB,
    });
  });
});
