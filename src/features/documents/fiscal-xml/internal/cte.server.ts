import type { DocumentKind, FiscalDocument, Item, Role, Section } from '../fiscal-xml.ts';
import { EMISSION, MODAL, TRANSPORT_KIND, TRANSPORT_SERVICE, WEIGHT_UNIT, YES_NO } from './choices.server.ts';
import {
  documentOf,
  isTestOf,
  keyContentOf,
  MAX_ITEMS,
  plainNumber,
  protocolFor,
} from './documents.server.ts';
import { factsOf, sectionOf, tableOf, type Field } from './fields.server.ts';
import { taxesOf } from './item-taxes.server.ts';
import { AUTHORIZED_READERS } from './nfe.server.ts';
import { notesOf } from './notes.server.ts';
import { partiesOf } from './parties.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, elementsIn, firstText, text, type XmlElement } from '../xml.server.ts';

/* Transport: CT-e, its simplified form, CT-e OS and GTV-e (models 57, 67 and 64). */

const KINDS: Readonly<Record<string, DocumentKind>> = { CTeOS: 'CT-e OS', GTVe: 'GTV-e' };

export function readCte(document: XmlElement, inf: XmlElement): FiscalDocument {
  const parts = children(inf, 'vPrest.Comp');
  return documentOf(
    inf,
    {
      kind: KINDS[document.name] ?? 'CT-e',
      number: plainNumber(text(inf, 'ide.nCT')),
      series: text(inf, 'ide.serie'),
      nature: text(inf, 'ide.natOp'),
      issuedAt: text(inf, 'ide.dhEmi'),
      isTest: isTestOf(inf),
      facts: factsOf(inf, HEAD),
      parties: partiesOf(inf, PARTIES, takerOf(inf)),
      items: parts.slice(0, MAX_ITEMS).map(partOf),
      itemsLeftOut: Math.max(0, parts.length - MAX_ITEMS),
      totals: totals(inf),
      sections: sections(inf),
      qrCode: firstText(document, 'infCTeSupl.qrCodCTe'),
      notes: notesOf(child(inf, 'compl')),
    },
    { protocol: protocolFor(document, inf), content: keyContentOf(inf, 'nCT', 'cCT') },
  );
}

const HEAD: readonly Field[] = [
  ['nature', 'ide.natOp'],
  ['cfop', 'ide.CFOP'],
  ['transportKind', 'ide.tpCTe', TRANSPORT_KIND],
  ['transportService', 'ide.tpServ', TRANSPORT_SERVICE],
  ['modal', 'ide.modal', MODAL],
  ['emission', 'ide.tpEmis', EMISSION],
  ['contingencyReason', 'ide.xJust'],
  ['routeFrom', 'ide.xMunIni'],
  ['stateFrom', 'ide.UFIni'],
  ['routeTo', 'ide.xMunFim'],
  ['stateTo', 'ide.UFFim'],
  ['statesBetween', 'ide.infPercurso.UFPer'],
  ['global', 'ide.indGlobalizado', YES_NO],
];

const PARTIES: readonly (readonly [Role, person: string, address: string])[] = [
  ['issuer', 'emit', 'enderEmit'],
  ['sender', 'rem', 'enderReme'],
  ['dispatcher', 'exped', 'enderExped'],
  ['receiver', 'receb', 'enderReceb'],
  ['recipient', 'dest', 'enderDest'],
  ['taker', 'toma', 'enderToma'],
  ['taker', 'ide.toma4', 'enderToma'],
  ['taker', 'ide.toma04', 'enderToma'],
];
const TAKERS: Readonly<Record<string, Role>> = {
  0: 'sender',
  1: 'dispatcher',
  2: 'receiver',
  3: 'recipient',
};

/** The party that pays: one of the others, or one named for it. */
const takerOf = (inf: XmlElement): Role =>
  TAKERS[firstText(inf, 'ide.toma3.toma', 'ide.toma03.toma')] ?? 'taker';

const partOf = (part: XmlElement): Item => ({
  number: '',
  code: '',
  description: text(part, 'xNome'),
  quantity: '',
  unit: '',
  price: '',
  discount: '',
  total: text(part, 'vComp'),
  facts: [],
  taxes: [],
  note: '',
});

function totals(inf: XmlElement): FiscalDocument['totals'] {
  const taxes = taxesOf(child(inf, 'imp'));
  const tax = (name: string): string => taxes.find((each) => each.name === name)?.amount ?? '';
  const icms = elementsIn(child(inf, 'imp.ICMS'))[0];
  return totalsOf(
    {
      sumReceivable: firstText(inf, 'vPrest.vRec', 'total.vRec'),
      sumIcmsBase: firstText(icms, 'vBC', 'vBCOutraUF', 'vBCSTRet'),
      sumIcms: firstText(icms, 'vICMS', 'vICMSOutraUF', 'vICMSSTRet'),
      sumDestinationIcms: text(inf, 'imp.ICMSUFFim.vICMSUFFim'),
      sumDestinationFcp: text(inf, 'imp.ICMSUFFim.vFCPUFFim'),
      sumReformBase: text(inf, 'imp.IBSCBS.gIBSCBS.vBC'),
      sumIbs: firstText(inf, 'imp.IBSCBS.gIBSCBS.vIBS'),
      sumCbs: tax('sumCbs'),
      sumTotalWithReform: firstText(inf, 'imp.vTotDFe', 'total.vTotDFe'),
      sumTaxes: firstText(inf, 'imp.vTotTrib'),
    },
    firstText(inf, 'vPrest.vTPrest', 'total.vTPrest'),
  );
}

const CARGO: readonly Field[] = [
  ['cargoValue', 'vCarga', 'money'],
  ['mainProduct', 'proPred'],
  ['cargoOther', 'xOutCat'],
  ['insuredValue', 'vCargaAverb', 'money'],
];
const QUANTITIES: readonly Field[] = [
  ['measure', 'tpMed'],
  ['quantity', 'qCarga', 'number'],
  ['unit', 'cUnid', WEIGHT_UNIT],
];
const CARRIED: readonly Field[] = [
  ['accessKey', 'chave', 'key'],
  ['accessKey', 'chNFe', 'key'],
  ['accessKey', 'chCTe', 'key'],
  ['accessKey', 'chCte', 'key'],
  ['series', 'serie'],
  ['number', 'nDoc'],
  ['description', 'descOutros'],
  ['issued', 'dEmi', 'date'],
  ['amount', 'vNF', 'money'],
  ['amount', 'vDocFisc', 'money'],
  ['deliveryPlanned', 'dPrev', 'date'],
];
const DELIVERIES: readonly Field[] = [
  ['routeFrom', 'xMunIni'],
  ['routeTo', 'xMunFim'],
  ['amount', 'vPrest', 'money'],
  ['sumReceivable', 'vRec', 'money'],
  ['accessKey', 'infNFe.chNFe', 'key'],
  ['accessKey', 'infDocAnt.chCTe', 'key'],
];
const INSTALLMENTS: readonly Field[] = [
  ['number', 'nDup'],
  ['due', 'dVenc', 'date'],
  ['amount', 'vDup', 'money'],
];
const INVOICE: readonly Field[] = [
  ['number', 'nFat'],
  ['originalAmount', 'vOrig', 'money'],
  ['sumDiscount', 'vDesc', 'money'],
  ['netAmount', 'vLiq', 'money'],
];
const INSURANCE: readonly Field[] = [
  ['insurer', 'xSeg'],
  ['policy', 'nApol'],
  ['endorsement', 'nAver'],
];
const TAX: readonly Field[] = [
  ['taxCode', 'CST'],
  ['sumIcmsBase', 'vBC', 'money'],
  ['reduction', 'pRedBC', 'percent'],
  ['rate', 'pICMS', 'percent'],
  ['sumIcms', 'vICMS', 'money'],
];
const MODE: readonly Field[] = [
  ['antt', 'rodo.RNTRC'],
  ['antt', 'rodoOS.NroRegEstadual'],
  ['collectionOrder', 'rodo.occ.nOcc'],
  ['plate', 'rodoOS.veic.placa'],
  ['airWaybill', 'aereo.nOCA'],
  ['ship', 'aquav.xNavio'],
];
const COMPLEMENT: readonly Field[] = [
  ['cargoNature', 'xCaracAd'],
  ['serviceNature', 'xCaracSer'],
  ['clerk', 'xEmi'],
  ['routeFrom', 'fluxo.xOrig'],
  ['routeOver', 'fluxo.pass.xPass'],
  ['routeTo', 'fluxo.xDest'],
];
const SERVICE: readonly Field[] = [
  ['description', 'xDescServ'],
  ['quantity', 'infQ.qCarga', 'number'],
];

function sections(inf: XmlElement): Section[] {
  const norm = child(inf, 'infCTeNorm') ?? inf;
  const carried = [
    ...elementsIn(child(norm, 'infDoc')),
    ...children(norm, 'docAnt.emiDocAnt.idDocAnt').flatMap(elementsIn),
    ...['infCteComp', 'infCTeComp', 'infCteAnu', 'infCteSub', 'infCTeNorm.infCteSub', 'infCTeMultimodal']
      .flatMap((name) => children(inf, name))
      .filter((each) => each.parent !== norm || each.name !== 'infCteSub'),
  ];
  const bill = child(norm, 'cobr');
  return [
    ...sectionOf('taxes', factsOf(elementsIn(child(inf, 'imp.ICMS'))[0], TAX)),
    ...sectionOf('cargo', factsOf(child(norm, 'infCarga'), CARGO), [
      tableOf(children(norm, 'infCarga.infQ'), QUANTITIES, 'quantities'),
    ]),
    ...sectionOf('service', factsOf(child(norm, 'infServico'), SERVICE)),
    ...sectionOf(
      'documentsCarried',
      [],
      [tableOf(carried, CARRIED), tableOf(children(inf, 'det'), DELIVERIES, 'deliveries')],
    ),
    ...sectionOf('transport', factsOf(child(norm, 'infModal'), MODE), [
      tableOf(children(norm, 'seg'), INSURANCE, 'insurance'),
    ]),
    ...sectionOf('invoice', factsOf(child(bill, 'fat'), INVOICE), [
      tableOf(children(bill, 'dup'), INSTALLMENTS, 'installments'),
    ]),
    ...sectionOf('more', factsOf(child(inf, 'compl'), COMPLEMENT), [
      tableOf(children(inf, 'autXML'), AUTHORIZED_READERS, 'authorizedReaders'),
    ]),
  ];
}
