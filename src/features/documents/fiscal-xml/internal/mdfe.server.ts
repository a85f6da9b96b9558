import type { FiscalDocument, Section } from '../fiscal-xml.ts';
import { EMISSION, MANIFEST_ISSUER, MANIFEST_MODAL, WEIGHT_UNIT } from './choices.server.ts';
import { documentOf, isTestOf, keyContentOf, plainNumber, protocolFor } from './documents.server.ts';
import { factsOf, sectionOf, tableOf, type Field } from './fields.server.ts';
import { AUTHORIZED_READERS } from './nfe.server.ts';
import { notesOf } from './notes.server.ts';
import { partiesOf } from './parties.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, elementsIn, text, type XmlElement } from '../xml.server.ts';

/* MDF-e (model 58): what a vehicle carries, and where. */

export const readMdfe = (document: XmlElement, inf: XmlElement): FiscalDocument =>
  documentOf(
    inf,
    {
      kind: 'MDF-e',
      number: plainNumber(text(inf, 'ide.nMDF')),
      series: text(inf, 'ide.serie'),
      nature: '',
      issuedAt: text(inf, 'ide.dhEmi'),
      isTest: isTestOf(inf),
      facts: factsOf(inf, HEAD),
      parties: partiesOf(inf, [['issuer', 'emit', 'enderEmit']]),
      items: [],
      itemsLeftOut: 0,
      totals: totalsOf({ sumCargo: text(inf, 'tot.vCarga') }, ''),
      sections: sections(inf),
      qrCode: text(document, 'infMDFeSupl.qrCodMDFe'),
      notes: notesOf(child(inf, 'infAdic')),
    },
    { protocol: protocolFor(document, inf), content: keyContentOf(inf, 'nMDF', 'cMDF') },
  );

const HEAD: readonly Field[] = [
  ['manifestIssuer', 'ide.tpEmit', MANIFEST_ISSUER],
  ['modal', 'ide.modal', MANIFEST_MODAL],
  ['emission', 'ide.tpEmis', EMISSION],
  ['routeFrom', 'ide.infMunCarrega.xMunCarrega'],
  ['stateFrom', 'ide.UFIni'],
  ['statesBetween', 'ide.infPercurso.UFPer'],
  ['stateTo', 'ide.UFFim'],
  ['leavesAt', 'ide.dhIniViagem', 'moment'],
];
const TOTALS: readonly Field[] = [
  ['countCte', 'tot.qCTe', 'number'],
  ['countNfe', 'tot.qNFe', 'number'],
  ['countMdfe', 'tot.qMDFe', 'number'],
  ['grossWeight', 'tot.qCarga', 'number'],
  ['unit', 'tot.cUnid', WEIGHT_UNIT],
  ['mainProduct', 'prodPred.xProd'],
  ['seals', 'lacres.nLacre'],
];
const DRIVERS: readonly Field[] = [
  ['name', 'xNome'],
  ['taxId', 'CPF', 'taxId'],
];
const VEHICLES: readonly Field[] = [
  ['plate', 'placa'],
  ['renavam', 'RENAVAM'],
  ['tare', 'tara', 'number'],
  ['capacity', 'capKG', 'number'],
  ['state', 'UF'],
  ['owner', 'prop.xNome'],
];
const CARRIED: readonly Field[] = [
  ['accessKey', 'chNFe', 'key'],
  ['accessKey', 'chCTe', 'key'],
  ['accessKey', 'chMDFe', 'key'],
];
const INSURANCE: readonly Field[] = [
  ['insurer', 'infSeg.xSeg'],
  ['policy', 'nApol'],
  ['endorsement', 'nAver'],
];
const MODE: readonly Field[] = [
  ['antt', 'rodo.infANTT.RNTRC'],
  ['antt', 'rodo.RNTRC'],
  ['ciot', 'rodo.infANTT.infCIOT.CIOT'],
  ['airWaybill', 'aereo.nVoo'],
  ['ship', 'aquav.xEmbar'],
  ['train', 'ferrov.trem.xPref'],
];

function sections(inf: XmlElement): Section[] {
  const mode = child(inf, 'infModal');
  const road = child(mode, 'rodo');
  return [
    ...sectionOf('cargo', factsOf(inf, TOTALS)),
    ...sectionOf(
      'documentsCarried',
      [],
      children(inf, 'infDoc.infMunDescarga').map((place) => {
        const table = tableOf(
          elementsIn(place).filter((each) => /^inf(?:NFe|CTe|MDFeTransp)$/.test(each.name)),
          CARRIED,
        );
        return table && { ...table, heading: text(place, 'xMunDescarga') };
      }),
    ),
    ...sectionOf('transport', factsOf(mode, MODE), [
      tableOf([...children(road, 'veicTracao'), ...children(road, 'veicReboque')], VEHICLES, 'vehicles'),
      tableOf(children(road, 'veicTracao.condutor'), DRIVERS, 'drivers'),
      tableOf(children(inf, 'seg'), INSURANCE, 'insurance'),
    ]),
    ...sectionOf('more', [], [tableOf(children(inf, 'autXML'), AUTHORIZED_READERS, 'authorizedReaders')]),
  ];
}
