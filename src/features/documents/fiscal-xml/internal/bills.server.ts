import type { DocumentKind, FiscalDocument, Item } from '../fiscal-xml.ts';
import { PAYMENT } from './choices.server.ts';
import {
  documentOf,
  isTestOf,
  keyContentOf,
  MAX_ITEMS,
  plainNumber,
  protocolFor,
} from './documents.server.ts';
import { factsOf, sectionOf, tableOf, type Field } from './fields.server.ts';
import { notesOf } from './notes.server.ts';
import { partiesOf } from './parties.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, firstText, text, type XmlElement } from '../xml.server.ts';

/* Bills of telecommunications, energy and tickets (models 62, 66 and 63): parties, amounts, protocol; the rest as fields. */

interface Bill {
  kind: DocumentKind;
  number: string;
  code: string;
  total: readonly string[];
  qrCode: string;
}
const BILLS: Readonly<Record<string, Bill>> = {
  NFCom: {
    kind: 'NFCom',
    number: 'nNF',
    code: 'cNF',
    total: ['total.vNF'],
    qrCode: 'infNFComSupl.qrCodNFCom',
  },
  NF3e: { kind: 'NF3-e', number: 'nNF', code: 'cNF', total: ['total.vNF'], qrCode: 'infNF3eSupl.qrCodNF3e' },
  BPe: {
    kind: 'BP-e',
    number: 'nBP',
    code: 'cBP',
    total: ['infValorBPe.vPgto', 'infValorBPe.vBP'],
    qrCode: 'infBPeSupl.qrCodBPe',
  },
};

export function readBill(document: XmlElement, inf: XmlElement): FiscalDocument {
  const bill = BILLS[document.name];
  if (!bill) throw new Error(`no bill is called ${document.name}`);
  const items = children(inf, 'det').filter((each) => child(each, 'prod'));
  return documentOf(
    inf,
    {
      kind: bill.kind,
      number: plainNumber(text(inf, `ide.${bill.number}`)),
      series: text(inf, 'ide.serie'),
      nature: '',
      issuedAt: text(inf, 'ide.dhEmi'),
      isTest: isTestOf(inf),
      facts: factsOf(inf, HEAD),
      parties: partiesOf(inf, [
        ['issuer', 'emit', 'enderEmit'],
        ['recipient', 'dest', 'enderDest'],
        ['buyer', 'comp', 'enderComp'],
        ['passenger', 'infPassagem.infPassageiro', ''],
      ]),
      items: items.slice(0, MAX_ITEMS).map(itemOf),
      itemsLeftOut: Math.max(0, items.length - MAX_ITEMS),
      totals: totalsOf(
        {
          sumIcmsBase: text(inf, 'total.ICMSTot.vBC'),
          sumIcms: text(inf, 'total.ICMSTot.vICMS'),
          sumFcp: text(inf, 'total.ICMSTot.vFCP'),
          sumPis: text(inf, 'total.vPIS'),
          sumCofins: text(inf, 'total.vCOFINS'),
          sumIbs: text(inf, 'total.IBSCBSTot.gIBS.vIBS'),
          sumCbs: text(inf, 'total.IBSCBSTot.gCBS.vCBS'),
        },
        firstText(inf, ...bill.total),
      ),
      sections: [
        ...sectionOf('invoice', factsOf(inf, DUE)),
        ...sectionOf('journey', factsOf(inf, JOURNEY)),
        ...sectionOf('payments', [], [tableOf(children(inf, 'pag'), PAYMENTS)]),
      ],
      qrCode: text(document, bill.qrCode),
      notes: notesOf(child(inf, 'infAdic')),
    },
    { protocol: protocolFor(document, inf), content: keyContentOf(inf, bill.number, bill.code) },
  );
}

const HEAD: readonly Field[] = [
  ['routeFrom', 'infPassagem.xLocOrig'],
  ['routeTo', 'infPassagem.xLocDest'],
];
const DUE: readonly Field[] = [
  ['month', 'gFat.CompetFat'],
  ['due', 'gFat.dVencFat', 'date'],
  ['due', 'gFatNF3e.dVencFat', 'date'],
  ['barcode', 'gFat.codBarras'],
  ['barcode', 'gFatNF3e.codBarras'],
];
const JOURNEY: readonly Field[] = [
  ['leavesAt', 'infViagem.dhViagem', 'moment'],
  ['description', 'infViagem.xPercurso'],
  ['seat', 'infViagem.poltrona'],
  ['platform', 'infViagem.plataforma'],
];
const PAYMENTS: readonly Field[] = [
  ['payment', 'tPag', PAYMENT],
  ['amount', 'vPag', 'money'],
];

const itemOf = (item: XmlElement): Item => ({
  number: text(item, '@nItem'),
  code: text(item, 'prod.cProd'),
  description: text(item, 'prod.xProd'),
  quantity: text(item, 'prod.qFaturada'),
  unit: '',
  price: text(item, 'prod.vItem'),
  discount: Number(text(item, 'prod.vDesc')) > 0 ? text(item, 'prod.vDesc') : '',
  total: text(item, 'prod.vProd'),
  facts: [],
  taxes: [],
  note: text(item, 'infAdProd'),
});
