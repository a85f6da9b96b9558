import { createHash, createSign } from 'node:crypto';
import { BAKERY, keyOf, MILL } from './fiscal.ts';
import type { Signer } from './signed-xml.ts';

interface SignedNote {
  number: number;
  /** How many items it has: eight make 9 kB, 990, the most there may be, 730. */
  items: number;
  signer: Signer;
  recipient?: string;
}

const NFE = 'http://www.portalfiscal.inf.br/nfe';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

/**
 * A note with its signature and the authority's answer about it. It is written in canonical form, so that thousands are
 * signed in seconds; {@link ./signed-xml.ts} signs any XML.
 */
export function signedNote({ number, items, signer, recipient = BAKERY }: SignedNote): string {
  const key = keyOf({ number });
  const total = (items * 50).toFixed(2);
  const content = `<ide><cUF>35</cUF><cNF>12345678</cNF><natOp>Venda</natOp><mod>55</mod><serie>1</serie><nNF>${number}</nNF><dhEmi>2026-11-05T10:00:00-03:00</dhEmi><tpNF>1</tpNF><tpEmis>1</tpEmis><cDV>${key.at(-1)}</cDV><tpAmb>1</tpAmb></ide><emit><CNPJ>${MILL}</CNPJ><xNome>Moinho Boa Safra Ltda</xNome></emit><dest><CNPJ>${recipient}</CNPJ><xNome>Padaria Sol Nascente Ltda</xNome></dest>${Array.from({ length: items }, (_, at) => itemXml(at + 1)).join('')}<total><ICMSTot><vProd>${total}</vProd><vNF>${total}</vNF></ICMSTot></total>`;
  const data = (namespace: string): string =>
    `<infNFe${namespace} Id="NFe${key}" versao="4.00">${content}</infNFe>`;
  const digest = createHash('sha1')
    .update(data(` xmlns="${NFE}"`))
    .digest('base64');
  const empty = (name: string, algorithm: string): string => `<${name} Algorithm="${algorithm}"></${name}>`;
  const info = `${empty('CanonicalizationMethod', C14N)}${empty('SignatureMethod', `${DSIG}rsa-sha1`)}<Reference URI="#NFe${key}"><Transforms>${empty('Transform', `${DSIG}enveloped-signature`)}${empty('Transform', C14N)}</Transforms>${empty('DigestMethod', `${DSIG}sha1`)}<DigestValue>${digest}</DigestValue></Reference>`;
  const value = createSign('RSA-SHA1')
    .update(`<SignedInfo xmlns="${DSIG}">${info}</SignedInfo>`)
    .sign(signer.key, 'base64');
  const certificate = signer.certificate.replaceAll(/-----[^-]+-----|\s/g, '');
  const signature = `<Signature xmlns="${DSIG}"><SignedInfo>${info}</SignedInfo><SignatureValue>${value}</SignatureValue><KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></Signature>`;
  const protocol = `<protNFe versao="4.00"><infProt><tpAmb>1</tpAmb><chNFe>${key}</chNFe><dhRecbto>2026-11-05T10:00:00-03:00</dhRecbto><nProt>135260000000001</nProt><digVal>${digest}</digVal><cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>`;
  return `<nfeProc versao="4.00" xmlns="${NFE}"><NFe xmlns="${NFE}">${data('')}${signature}</NFe>${protocol}</nfeProc>`;
}

const itemXml = (at: number): string =>
  `<det nItem="${at}"><prod><cProd>P${at}</cProd><cEAN>SEM GTIN</cEAN><xProd>Farinha de trigo especial ${at}</xProd><NCM>11010010</NCM><CFOP>5102</CFOP><uCom>KG</uCom><qCom>10.0000</qCom><vUnCom>5.0000000000</vUnCom><vProd>50.00</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>KG</uTrib><qTrib>10.0000</qTrib><vUnTrib>5.0000000000</vUnTrib><indTot>1</indTot></prod><imposto><vTotTrib>10.00</vTotTrib><ICMS><ICMS00><orig>0</orig><CST>00</CST><modBC>3</modBC><vBC>50.00</vBC><pICMS>18.00</pICMS><vICMS>9.00</vICMS></ICMS00></ICMS><PIS><PISAliq><CST>01</CST><vBC>50.00</vBC><pPIS>1.65</pPIS><vPIS>0.83</vPIS></PISAliq></PIS><COFINS><COFINSAliq><CST>01</CST><vBC>50.00</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>3.80</vCOFINS></COFINSAliq></COFINS></imposto></det>`;
