import type { FiscalDocument } from '../fiscal-xml.ts';
import { PAYMENT } from './choices.server.ts';
import { documentOf, isTestOf, plainNumber } from './documents.server.ts';
import { sectionOf, factsOf, tableOf, type Field } from './fields.server.ts';
import { itemOf } from './nfe.server.ts';
import { notesOf } from './notes.server.ts';
import { partiesOf } from './parties.server.ts';
import type { KeyContent } from './proofs.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, text, type XmlElement } from '../xml.server.ts';

/* CF-e of SAT devices (model 59), which sign it themselves: no authority answers in its file. */

export function readCfe(_: XmlElement, inf: XmlElement): FiscalDocument {
  const document = documentOf(
    inf,
    {
      kind: 'CF-e',
      number: plainNumber(text(inf, 'ide.nCFe')),
      series: text(inf, 'ide.nserieSAT'),
      nature: '',
      issuedAt: momentOf(inf),
      isTest: isTestOf(inf),
      facts: [],
      parties: partiesOf(inf, [
        ['issuer', 'emit', 'enderEmit'],
        ['recipient', 'dest', 'enderDest'],
      ]),
      items: children(inf, 'det').map(itemOf),
      itemsLeftOut: 0,
      totals: totals(inf),
      sections: sectionOf('payments', factsOf(child(inf, 'pgto'), [['change', 'vTroco', 'money']]), [
        tableOf(children(inf, 'pgto.MP'), PAYMENTS),
      ]),
      qrCode: '',
      notes: notesOf(child(inf, 'infAdic')),
    },
    { protocol: undefined, content: cfeKeyContent(inf) },
  );
  const proofs = document.proofs.filter((proof) => proof.text !== 'noProtocol');
  return { ...document, state: 'unproven', proofs };
}

const PAYMENTS: readonly Field[] = [
  ['payment', 'cMP', PAYMENT],
  ['amount', 'vMP', 'money'],
];

export const cfeKeyContent = (inf: XmlElement): KeyContent => ({
  state: text(inf, 'ide.cUF'),
  month: text(inf, 'ide.dEmi').slice(2, 6),
  issuer: text(inf, 'emit.CNPJ'),
  model: text(inf, 'ide.mod'),
  series: text(inf, 'ide.nserieSAT'),
  number: text(inf, 'ide.nCFe'),
  code: text(inf, 'ide.cNF'),
  digit: text(inf, 'ide.cDV'),
});

/** The moment of a document of SAT, whose devices run on the time of São Paulo; '' without a date. */
export function momentOf(inf: XmlElement): string {
  const [date, time] = ['ide.dEmi', 'ide.hEmi'].map((path) => text(inf, path).replaceAll(/\D/g, ''));
  const day = /^(\d{4})(\d\d)(\d\d)$/
    .exec(date ?? '')
    ?.slice(1)
    .join('-');
  if (day === undefined) return '';
  return `${day}T${(time ?? '').padEnd(6, '0').replace(/^(\d\d)(\d\d)(\d\d).*$/, '$1:$2:$3')}-03:00`;
}

function totals(inf: XmlElement): FiscalDocument['totals'] {
  const sum = (name: string): string => text(inf, `total.ICMSTot.${name}`);
  return totalsOf(
    {
      sumProducts: sum('vProd'),
      sumOther: sum('vOutro'),
      sumDiscount: sum('vDesc'),
      sumSurcharge: text(inf, 'total.DescAcrEntr.vAcresSubtot'),
      sumDiscountOnTotal: text(inf, 'total.DescAcrEntr.vDescSubtot'),
      sumIcms: sum('vICMS'),
      sumPis: sum('vPIS'),
      sumCofins: sum('vCOFINS'),
      sumTaxes: text(inf, 'total.vCFeLei12741'),
    },
    text(inf, 'total.vCFe'),
  );
}
