import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { orderStorage } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { commitFiles, prepareFiles, type Outcome } from '#features/brazil/fiscal-documents/storing.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { streamedZip } from '#platform/storage/zip.server.ts';

/* Made-up fiscal XML for the tests, without signatures: what it says is told from what is proven elsewhere. */

export const BAKERY = '99304518000186';
export const MILL = '31550824000169';
export const LETTERS = '7K3M9P2X000100';
/** The CPF of a person, such as a farmer. */
export const FARMER = '52998224725';

interface Note {
  number: number;
  series?: number;
  issuer?: string;
  recipient?: string;
  issuedAt?: string;
  total?: string;
  model?: '55' | '65';
  isTest?: boolean;
  hasProtocol?: boolean;
  status?: string;
  /** Something that is part of the content, to make another copy of the same document. */
  note?: string;
}

/** The element of a CNPJ, or of a CPF, as files name whoever is in them. */
export const taxIdXml = (taxId: string): string => {
  const name = taxId.length === 11 ? 'CPF' : 'CNPJ';
  return `<${name}>${taxId}</${name}>`;
};

/** The access key of a note. */
export function keyOf({
  number,
  series = 1,
  issuer = MILL,
  issuedAt = '2026-11-05T10:00:00-03:00',
  model = '55',
}: Note): string {
  const month = issuedAt.slice(2, 7).replace('-', '');
  const base = `35${month}${issuer.padStart(14, '0')}${model}${String(series).padStart(3, '0')}${String(number).padStart(9, '0')}112345678`;
  const sum = [...base]
    .toReversed()
    .reduce((all, character, i) => all + (character.charCodeAt(0) - 48) * ((i % 8) + 2), 0);
  const rest = sum % 11;
  return base + (rest < 2 ? 0 : 11 - rest);
}

/** A note with the authority's answer. */
export function noteXml(note: Note): string {
  const { number, series = 1, issuer = MILL, recipient = BAKERY, total = '100.00', model = '55' } = note;
  const { issuedAt = '2026-11-05T10:00:00-03:00', isTest = false, hasProtocol = true, status = '100' } = note;
  const key = keyOf(note);
  const dest =
    recipient === '' ? '' : `<dest>${taxIdXml(recipient)}<xNome>Recipient ${recipient}</xNome></dest>`;
  const content = `<ide><cUF>35</cUF><cNF>12345678</cNF><natOp>Venda</natOp><mod>${model}</mod><serie>${series}</serie><nNF>${number}</nNF><dhEmi>${issuedAt}</dhEmi><tpNF>1</tpNF><tpEmis>1</tpEmis><cDV>${key.at(-1)}</cDV><tpAmb>${isTest ? 2 : 1}</tpAmb></ide><emit>${taxIdXml(issuer)}<xNome>Issuer ${issuer}</xNome></emit>${dest}<total><ICMSTot><vProd>${total}</vProd><vNF>${total}</vNF></ICMSTot></total><infAdic><infCpl>${note.note ?? '-'}</infCpl></infAdic>`;
  const protocol = `<protNFe versao="4.00"><infProt><tpAmb>1</tpAmb><chNFe>${key}</chNFe><dhRecbto>${issuedAt}</dhRecbto><nProt>135260000000001</nProt><cStat>${status}</cStat><xMotivo>Autorizado o uso</xMotivo></infProt></protNFe>`;
  return `<nfeProc versao="4.00" xmlns="http://www.portalfiscal.inf.br/nfe"><NFe><infNFe versao="4.00" Id="NFe${key}">${content}</infNFe></NFe>${hasProtocol ? protocol : ''}</nfeProc>`;
}

/** A cancellation with the authority's answer. */
export function cancellationXml(note: Note, { status = '135', sequence = 1 } = {}): string {
  const key = keyOf(note);
  const { issuer = MILL } = note;
  return `<procEventoNFe versao="1.00" xmlns="http://www.portalfiscal.inf.br/nfe"><evento versao="1.00"><infEvento Id="ID110111${key}01"><cOrgao>35</cOrgao><tpAmb>1</tpAmb>${taxIdXml(issuer)}<chNFe>${key}</chNFe><dhEvento>2026-11-06T09:00:00-03:00</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>${sequence}</nSeqEvento><detEvento><descEvento>Cancelamento</descEvento><nProt>135260000000001</nProt><xJust>Erro no pedido do cliente</xJust></detEvento></infEvento></evento><retEvento versao="1.00"><infEvento><cStat>${status}</cStat><xMotivo>Evento registrado</xMotivo><chNFe>${key}</chNFe><tpEvento>110111</tpEvento><nSeqEvento>${sequence}</nSeqEvento><dhRegEvento>2026-11-06T09:00:05-03:00</dhRegEvento><nProt>135260000000002</nProt></infEvento></retEvento></procEventoNFe>`;
}

/** Numbers of a series that are voided, with the authority's answer. */
export const voidXml = (
  issuer: string,
  { model, series, first, last }: Record<'model' | 'series' | 'first' | 'last', number>,
): string =>
  `<ProcInutNFe versao="4.00" xmlns="http://www.portalfiscal.inf.br/nfe"><inutNFe><infInut Id="ID3526${issuer}${model}001"><tpAmb>1</tpAmb><xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano>${taxIdXml(issuer)}<mod>${model}</mod><serie>${series}</serie><nNFIni>${first}</nNFIni><nNFFin>${last}</nNFFin><xJust>Numeração pulada no caixa</xJust></infInut></inutNFe><retInutNFe><infInut><tpAmb>1</tpAmb><cStat>102</cStat><xMotivo>Inutilização homologada</xMotivo><nProt>135260000000003</nProt><dhRecbto>2026-11-07T09:00:00-03:00</dhRecbto></infInut></retInutNFe></ProcInutNFe>`;

/** Lets everybody of a firm use the archives. */
export async function openStorageOf(owner: Actor): Promise<void> {
  await decideAccess(owner.companyId, undefined, { kind: 'flag', name: 'BoxE' }, true);
  await orderStorage(owner, true);
}

/** Stores files for a client as somebody, in one transaction. */
export async function store(actor: Actor, clientId: string, ...texts: readonly string[]): Promise<Outcome[]> {
  const files = texts.map((text, i) => ({ name: `${i + 1}.xml`, bytes: Buffer.from(text) }));
  const prepared = await prepareFiles(actor, { clientId, intakeId: 'intake_test' }, files);
  return inTransaction(() => commitFiles(prepared));
}

/** An archive of files. */
export const zipOf = async (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> =>
  buffer(
    Readable.from(
      streamedZip(
        Object.entries(files).map(([name, text]) => ({
          name,
          content: () => Readable.from([Buffer.from(text)]),
        })),
        now(),
      ),
    ),
  );
