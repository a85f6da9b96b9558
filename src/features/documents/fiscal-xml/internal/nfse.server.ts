import type { FiscalDocument, Proof } from '../fiscal-xml.ts';
import { keyHolds } from '../keys.ts';
import { ISS_WITHHELD } from './choices.server.ts';
import { inOrder, keyOf, plainNumber, type Read } from './documents.server.ts';
import { factsOf, othersIn, sectionOf, tableOf, type Field } from './fields.server.ts';
import { partiesOf } from './parties.server.ts';
import { AUTHORITY_NOT_ASKED, signatureProofs } from './proofs.server.ts';
import { signatureOf } from './signature.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, firstText, text, type XmlElement } from '../xml.server.ts';

/* The national NFS-e, with the declaration of the provider (DPS) in it, and such a declaration alone. */

export function readNfse(_: XmlElement, inf: XmlElement): FiscalDocument {
  const key = keyOf(inf);
  const signature = signatureOf(inf);
  const status = text(inf, 'cStat');
  // 100 to 107 say how the system made it
  const isMade = /^10\d$/.test(status);
  const keyProof: Proof = keyHolds(key)
    ? serviceKeyProof(key, inf)
    : { result: 'wrong', text: key === '' ? 'keyMissing' : 'keyWrong' };
  return {
    ...readDeclaration(child(inf, 'DPS.infDPS'), inf),
    isSummary: false,
    key,
    keyHolds: keyHolds(key),
    state: isMade ? 'authorized' : 'unproven',
    stateAt: text(inf, 'dhProc'),
    signature,
    proofs: inOrder([
      keyProof,
      { result: 'open', text: isMade ? 'nfseMade' : 'nfseStateUnknown' },
      ...signatureProofs(signature, ''),
      AUTHORITY_NOT_ASKED,
    ]),
    events: [],
    others: othersIn(inf),
  };
}

/** The key repeats the issuer and the number after the city, the environment and the kind of the id. */
function serviceKeyProof(key: string, inf: XmlElement): Proof {
  const issuer = firstText(inf, 'emit.CNPJ', 'emit.CPF').padStart(14, '0');
  const number = text(inf, 'nNFSe').padStart(13, '0');
  const fields = [
    ...(key.slice(9, 23) === issuer ? [] : (['issuer'] as const)),
    ...(key.slice(23, 36) === number ? [] : (['number'] as const)),
  ];
  return fields.length === 0
    ? { result: 'proven', text: 'contentAgrees' }
    : { result: 'wrong', text: 'contentDiffers', fields };
}

/** A declaration that no NFS-e was made of yet. */
export function readDps(_: XmlElement, inf: XmlElement): FiscalDocument {
  const signature = signatureOf(inf);
  return {
    ...readDeclaration(inf, undefined),
    kind: 'DPS',
    isSummary: false,
    key: '',
    keyHolds: false,
    state: 'noProtocol',
    stateAt: '',
    signature,
    proofs: inOrder([
      { result: 'open', text: 'declarationOnly' },
      ...signatureProofs(signature, firstText(inf, 'prest.CNPJ', 'prest.CPF')),
    ]),
    events: [],
    others: othersIn(inf),
  };
}

function readDeclaration(dps: XmlElement | undefined, nfse: XmlElement | undefined): Read {
  const made = nfse ?? dps;
  const provider = nfse && child(nfse, 'emit') ? nfse : undefined;
  return {
    kind: 'NFS-e',
    number: plainNumber(nfse ? text(nfse, 'nNFSe') : text(dps, 'nDPS')),
    series: text(dps, 'serie'),
    nature: '',
    issuedAt: firstText(dps, 'dhEmi') || text(nfse, 'dhProc'),
    isTest: text(dps, 'tpAmb') === '2',
    facts: [...factsOf(dps, HEAD), ...factsOf(nfse, PLACES)],
    parties: [
      ...(provider ? partiesOf(provider, [['provider', 'emit', 'enderNac']]) : []),
      ...(dps
        ? partiesOf(dps, [
            ...(provider ? [] : [['provider', 'prest', 'end'] as const]),
            ['taker', 'toma', 'end'],
            ['intermediary', 'interm', 'end'],
          ])
        : []),
    ],
    items: [],
    itemsLeftOut: 0,
    totals: totals(dps, nfse),
    sections: made ? sections(dps, nfse) : [],
    qrCode: '',
    notes: ['serv.infoCompl.xInfComp', 'xOutInf']
      .map((path) => ({ title: '', text: firstText(dps, path) || text(nfse, path) }))
      .filter((note) => note.text !== ''),
  };
}

const HEAD: readonly Field[] = [
  ['month', 'dCompet', 'date'],
  ['declaration', 'nDPS'],
];
const PLACES: readonly Field[] = [
  ['placeOfIssue', 'xLocEmi'],
  ['placeOfService', 'xLocPrestacao'],
  ['placeOfTax', 'xLocIncid'],
];

function totals(dps: XmlElement | undefined, nfse: XmlElement | undefined): FiscalDocument['totals'] {
  const withheldIss = text(dps, 'valores.trib.tribMun.tpRetISSQN');
  const iss = firstText(nfse, 'valores.vISSQN') || text(dps, 'valores.trib.tribMun.vISSQN');
  const withheld = text(nfse, 'valores.vTotalRet');
  const service = text(dps, 'valores.vServPrest.vServ');
  const discount = text(dps, 'valores.vDescCondIncond.vDescIncond');
  const net =
    text(nfse, 'valores.vLiq') ||
    (discount === '' ? service : (Number(service) - Number(discount)).toFixed(2));
  return totalsOf(
    {
      sumServices: service,
      sumUnconditionalDiscount: discount,
      sumWithheld: withheld || (nfse && (withheldIss === '2' || withheldIss === '3') ? iss : ''),
      sumIssBase: text(nfse, 'valores.vBC'),
      sumIss: iss,
      sumReformBase: firstText(nfse, 'IBSCBS.valores.vBC'),
      sumIbs: firstText(nfse, 'IBSCBS.totCIBS.gIBS.vIBSTot', 'IBSCBS.totCIBS.gIBS.vIBS'),
      sumCbs: firstText(nfse, 'IBSCBS.totCIBS.gCBS.vCBS'),
      sumTotalWithReform: text(nfse, 'IBSCBS.totCIBS.vTotNF'),
      sumTaxes: firstText(dps, 'valores.trib.totTrib.vTotTrib.vTotTribFed'),
    },
    net,
  );
}

const SERVICE: readonly Field[] = [
  ['description', 'serv.cServ.xDescServ'],
  ['serviceCode', 'serv.cServ.cTribNac'],
  ['cityServiceCode', 'serv.cServ.cTribMun'],
  ['nbs', 'serv.cServ.cNBS'],
];
const SERVICE_NAMES: readonly Field[] = [
  ['serviceName', 'xTribNac'],
  ['cityServiceName', 'xTribMun'],
  ['nbsName', 'xNBS'],
];
const TAX: readonly Field[] = [
  ['rate', 'valores.pAliqAplic', 'percent'],
  ['deductions', 'valores.vCalcDR', 'money'],
];
const WITHHELD: readonly Field[] = [
  ['issWithheld', 'tribMun.tpRetISSQN', ISS_WITHHELD],
  ['socialSecurity', 'tribFed.vRetCP', 'money'],
  ['irrf', 'tribFed.vRetIRRF', 'money'],
  ['csll', 'tribFed.vRetCSLL', 'money'],
  ['sumPis', 'tribFed.piscofins.vPis', 'money'],
  ['sumCofins', 'tribFed.piscofins.vCofins', 'money'],
];
const REFERENCES: readonly Field[] = [
  ['accessKey', 'chNFSe', 'key'],
  ['accessKey', 'chSubstda', 'key'],
  ['reason', 'xMotivo'],
];

const sections = (dps: XmlElement | undefined, nfse: XmlElement | undefined): FiscalDocument['sections'] => [
  ...sectionOf('service', [...factsOf(dps, SERVICE), ...factsOf(nfse, SERVICE_NAMES)]),
  ...sectionOf('taxes', factsOf(nfse, TAX)),
  ...sectionOf('withheld', factsOf(child(dps, 'valores.trib'), WITHHELD)),
  ...sectionOf('references', [], [tableOf(children(dps, 'subst'), REFERENCES)]),
];
