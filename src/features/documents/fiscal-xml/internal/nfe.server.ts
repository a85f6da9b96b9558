import type { FiscalDocument, Item, Section } from '../fiscal-xml.ts';
import {
  EMISSION,
  FREIGHT,
  OPERATION,
  PAYMENT,
  PRESENCE,
  PURPOSE,
  WHEN_PAID,
  YES_NO,
} from './choices.server.ts';
import {
  documentOf,
  isTestOf,
  keyContentOf,
  MAX_ITEMS,
  plainNumber,
  protocolFor,
  type ReadingMode,
} from './documents.server.ts';
import { factsOf, sectionOf, tableOf, type Field } from './fields.server.ts';
import { addedUp, taxesOf } from './item-taxes.server.ts';
import { notesOf } from './notes.server.ts';
import { partiesOf } from './parties.server.ts';
import type { KeyContent } from './proofs.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, firstText, text, type XmlElement } from '../xml.server.ts';

/* NF-e and NFC-e (models 55 and 65), with the fields named in the manual of the layout. */

export function readNfe(
  document: XmlElement,
  inf: XmlElement,
  { isBrief = false }: ReadingMode,
): FiscalDocument {
  const items = children(inf, 'det');
  const shown = isBrief ? [] : items.slice(0, MAX_ITEMS);
  return documentOf(
    inf,
    {
      kind: text(inf, 'ide.mod') === '65' ? 'NFC-e' : 'NF-e',
      number: plainNumber(text(inf, 'ide.nNF')),
      series: text(inf, 'ide.serie'),
      nature: text(inf, 'ide.natOp'),
      issuedAt: firstText(inf, 'ide.dhEmi', 'ide.dEmi'),
      isTest: isTestOf(inf),
      facts: factsOf(inf, HEAD),
      parties: partiesOf(inf, [
        ['issuer', 'emit', 'enderEmit'],
        ['recipient', 'dest', 'enderDest'],
        ['pickup', 'retirada', ''],
        ['delivery', 'entrega', ''],
      ]),
      items: shown.map(itemOf),
      itemsLeftOut: items.length - shown.length,
      totals: totals(inf, items),
      sections: sections(inf),
      qrCode: text(child(document, 'infNFeSupl'), 'qrCode'),
      notes: notesOf(child(inf, 'infAdic')),
    },
    { protocol: protocolFor(document, inf), content: keyContent(inf), isBrief },
  );
}

const HEAD: readonly Field[] = [
  ['nature', 'ide.natOp'],
  ['operation', 'ide.tpNF', OPERATION],
  ['purpose', 'ide.finNFe', PURPOSE],
  ['emission', 'ide.tpEmis', EMISSION],
  ['contingencyReason', 'ide.xJust'],
  ['finalConsumer', 'ide.indFinal', YES_NO],
  ['presence', 'ide.indPres', PRESENCE],
  ['leavesAt', 'ide.dhSaiEnt', 'moment'],
  ['leavesAt', 'ide.dSaiEnt', 'date'],
  ['deliveryPlanned', 'ide.dPrevEntrega', 'date'],
];

/** A note that the state issues for somebody has the state's CNPJ in its key. */
function keyContent(inf: XmlElement): KeyContent {
  const content = keyContentOf(inf, 'nNF', 'cNF');
  const isOfState = child(inf, 'avulsa') !== undefined || /^89\d$/.test(content.series ?? '');
  return isOfState ? { ...content, issuer: '' } : content;
}

const ITEM: readonly Field[] = [
  ['ncm', 'prod.NCM'],
  ['cest', 'prod.CEST'],
  ['cfop', 'prod.CFOP'],
  ['benefit', 'prod.cBenef'],
  ['gtin', 'prod.cEAN'],
  ['order', 'prod.xPed'],
  ['orderItem', 'prod.nItemPed'],
  ['lot', 'prod.rastro.nLote'],
  ['lotQuantity', 'prod.rastro.qLote', 'number'],
  ['madeOn', 'prod.rastro.dFab', 'date'],
  ['expiresOn', 'prod.rastro.dVal', 'date'],
  ['chassis', 'prod.veicProd.chassi'],
  ['anvisa', 'prod.med.cProdANVISA'],
  ['anp', 'prod.comb.cProdANP'],
  ['importDeclaration', 'prod.DI.nDI'],
  ['sumFreight', 'prod.vFrete', 'money'],
  ['sumInsurance', 'prod.vSeg', 'money'],
  ['sumOther', 'prod.vOutro', 'money'],
  ['sumTaxes', 'imposto.vTotTrib', 'money'],
];

export const itemOf = (item: XmlElement): Item => ({
  number: text(item, '@nItem'),
  code: text(item, 'prod.cProd'),
  description: text(item, 'prod.xProd'),
  quantity: text(item, 'prod.qCom'),
  unit: text(item, 'prod.uCom'),
  price: text(item, 'prod.vUnCom'),
  discount: Number(text(item, 'prod.vDesc')) > 0 ? text(item, 'prod.vDesc') : '',
  total: text(item, 'prod.vProd'),
  facts: factsOf(item, ITEM).filter(({ value }) => value !== 'SEM GTIN' && Number(value) !== 0),
  taxes: taxesOf(child(item, 'imposto')),
  note: text(item, 'infAdProd'),
});

function totals(inf: XmlElement, items: readonly XmlElement[]): FiscalDocument['totals'] {
  const sum = (name: string): string => text(inf, `total.ICMSTot.${name}`);
  const reform = (path: string): string => text(inf, `total.IBSCBSTot.${path}`);
  return totalsOf(
    {
      sumProducts: sum('vProd'),
      sumServices: text(inf, 'total.ISSQNtot.vServ'),
      sumSt: sum('vST'),
      sumFcpSt: sum('vFCPST'),
      sumMonophase: sum('vICMSMonoReten'),
      sumIpi: sum('vIPI'),
      sumIpiReturned: sum('vIPIDevol'),
      sumImport: sum('vII'),
      sumPisSt: addedUp(items, 'PISST', 'vPIS'),
      sumCofinsSt: addedUp(items, 'COFINSST', 'vCOFINS'),
      sumFreight: sum('vFrete'),
      sumInsurance: sum('vSeg'),
      sumOther: sum('vOutro'),
      sumDiscount: sum('vDesc'),
      sumRelief: sum('vICMSDeson'),
      sumIcmsBase: sum('vBC'),
      sumIcms: sum('vICMS'),
      sumStBase: sum('vBCST'),
      sumFcp: sum('vFCP'),
      sumDestinationIcms: sum('vICMSUFDest'),
      sumDestinationFcp: sum('vFCPUFDest'),
      sumPis: sum('vPIS'),
      sumCofins: sum('vCOFINS'),
      sumIssBase: text(inf, 'total.ISSQNtot.vBC'),
      sumIss: text(inf, 'total.ISSQNtot.vISS'),
      sumReformBase: reform('vBCIBSCBS'),
      sumIbs: reform('gIBS.vIBS'),
      sumCbs: reform('gCBS.vCBS'),
      sumIs: text(inf, 'total.ISTot.vIS'),
      sumTotalWithReform: text(inf, 'total.vNFTot'),
      sumTaxes: sum('vTotTrib'),
    },
    sum('vNF'),
  );
}

const PAYMENTS: readonly Field[] = [
  ['payment', 'tPag', PAYMENT],
  ['description', 'xPag'],
  ['whenPaid', 'indPag', WHEN_PAID],
  ['amount', 'vPag', 'money'],
  ['paidOn', 'dPag', 'date'],
  ['cardCompany', 'card.CNPJ', 'taxId'],
  ['cardAuthorization', 'card.cAut'],
];
const INSTALLMENTS: readonly Field[] = [
  ['number', 'nDup'],
  ['due', 'dVenc', 'date'],
  ['amount', 'vDup', 'money'],
];
const INVOICE: readonly Field[] = [
  ['number', 'fat.nFat'],
  ['originalAmount', 'fat.vOrig', 'money'],
  ['sumDiscount', 'fat.vDesc', 'money'],
  ['netAmount', 'fat.vLiq', 'money'],
];
const TRANSPORT: readonly Field[] = [
  ['freight', 'modFrete', FREIGHT],
  ['carrier', 'transporta.xNome'],
  ['taxId', 'transporta.CNPJ', 'taxId'],
  ['taxId', 'transporta.CPF', 'taxId'],
  ['stateId', 'transporta.IE'],
  ['address', 'transporta.xEnder'],
  ['city', 'transporta.xMun'],
  ['state', 'transporta.UF'],
  ['wagon', 'vagao'],
  ['ferry', 'balsa'],
];
const VEHICLE: readonly Field[] = [
  ['plate', 'placa'],
  ['state', 'UF'],
  ['antt', 'RNTC'],
];
const VOLUMES: readonly Field[] = [
  ['quantity', 'qVol', 'number'],
  ['packaging', 'esp'],
  ['brand', 'marca'],
  ['number', 'nVol'],
  ['netWeight', 'pesoL', 'number'],
  ['grossWeight', 'pesoB', 'number'],
  ['seals', 'lacres.nLacre'],
];
const WITHHELD: readonly Field[] = [
  ['sumPis', 'vRetPIS', 'money'],
  ['sumCofins', 'vRetCOFINS', 'money'],
  ['csll', 'vRetCSLL', 'money'],
  ['irrf', 'vIRRF', 'money'],
  ['socialSecurity', 'vRetPrev', 'money'],
];
const REFERENCES: readonly Field[] = [
  ['accessKey', 'refNFe', 'key'],
  ['accessKey', 'refNFeSig', 'key'],
  ['accessKey', 'refCTe', 'key'],
  ['taxId', 'refNF.CNPJ', 'taxId'],
  ['taxId', 'refNFP.CNPJ', 'taxId'],
  ['taxId', 'refNFP.CPF', 'taxId'],
  ['series', 'refNF.serie'],
  ['number', 'refNF.nNF'],
  ['number', 'refNFP.nNF'],
  ['device', 'refECF.nECF'],
  ['number', 'refECF.nCOO'],
];
const MORE: readonly Field[] = [
  ['commitment', 'compra.xNEmp'],
  ['order', 'compra.xPed'],
  ['contract', 'compra.xCont'],
  ['exportState', 'exporta.UFSaidaPais'],
  ['exportPlace', 'exporta.xLocExporta'],
  ['intermediary', 'infIntermed.CNPJ', 'taxId'],
  ['intermediaryAccount', 'infIntermed.idCadIntTran'],
];

function sections(inf: XmlElement): Section[] {
  const [payment, transport] = [child(inf, 'pag'), child(inf, 'transp')];
  // before layout 4.00 each means of payment was a group of its own
  const payments = [
    ...children(inf, 'pag.detPag'),
    ...children(inf, 'pag').filter((each) => child(each, 'tPag')),
  ];
  return [
    ...sectionOf('invoice', factsOf(child(inf, 'cobr'), INVOICE), [
      tableOf(children(inf, 'cobr.dup'), INSTALLMENTS, 'installments'),
    ]),
    ...sectionOf('payments', factsOf(payment, [['change', 'vTroco', 'money']]), [
      tableOf(payments, PAYMENTS),
    ]),
    ...sectionOf('transport', factsOf(transport, TRANSPORT), [
      tableOf([...children(transport, 'veicTransp'), ...children(transport, 'reboque')], VEHICLE, 'vehicles'),
      tableOf(children(transport, 'vol'), VOLUMES, 'volumes'),
    ]),
    ...sectionOf('withheld', factsOf(child(inf, 'total.retTrib'), WITHHELD)),
    ...sectionOf('references', [], [tableOf(children(inf, 'ide.NFref'), REFERENCES)]),
    ...sectionOf('more', factsOf(inf, MORE), [
      tableOf(children(inf, 'autXML'), AUTHORIZED_READERS, 'authorizedReaders'),
    ]),
  ];
}

/** Who may download the file from the authority. */
export const AUTHORIZED_READERS: readonly Field[] = [
  ['taxId', 'CNPJ', 'taxId'],
  ['taxId', 'CPF', 'taxId'],
];
