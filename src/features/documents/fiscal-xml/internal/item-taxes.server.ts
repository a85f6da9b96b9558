import type { FiscalText, ItemTax } from '../fiscal-xml.ts';
import { child, elementsIn, firstText, text, type XmlElement } from '../xml.server.ts';

/** Where a tax is: label, paths of code, base, rate and amount. */
type TaxField = readonly [
  FiscalText,
  code: readonly string[],
  base: string[],
  rate: string[],
  amount: string[],
];

/** Taxes in the only group of ICMS, whichever rule of taxation it is for. */
const ICMS: readonly TaxField[] = [
  ['sumIcms', ['CST', 'CSOSN'], ['vBC'], ['pICMS'], ['vICMS']],
  ['taxCredit', [], [], ['pCredSN'], ['vCredICMSSN']],
  ['sumSt', [], ['vBCST'], ['pICMSST'], ['vICMSST']],
  ['taxStRetained', [], ['vBCSTRet'], ['pST'], ['vICMSSTRet']],
  ['sumFcp', [], ['vBCFCP'], ['pFCP'], ['vFCP']],
  ['sumFcpSt', [], ['vBCFCPST'], ['pFCPST'], ['vFCPST']],
  ['taxMonophase', [], ['qBCMono'], ['adRemICMS'], ['vICMSMono']],
  ['sumMonophase', [], ['qBCMonoReten'], ['adRemICMSReten'], ['vICMSMonoReten']],
  ['sumRelief', [], [], [], ['vICMSDeson']],
];
const OTHERS: readonly TaxField[] = [
  [
    'sumDestinationIcms',
    [],
    ['ICMSUFDest.vBCUFDest'],
    ['ICMSUFDest.pICMSUFDest'],
    ['ICMSUFDest.vICMSUFDest'],
  ],
  [
    'sumDestinationFcp',
    [],
    ['ICMSUFDest.vBCFCPUFDest'],
    ['ICMSUFDest.pFCPUFDest'],
    ['ICMSUFDest.vFCPUFDest'],
  ],
  ['sumImport', [], ['II.vBC'], [], ['II.vII']],
  ['sumIss', ['ISSQN.cListServ'], ['ISSQN.vBC'], ['ISSQN.vAliq'], ['ISSQN.vISSQN']],
  ['sumPisSt', [], ['PISST.vBC'], ['PISST.pPIS'], ['PISST.vPIS']],
  ['sumCofinsSt', [], ['COFINSST.vBC'], ['COFINSST.pCOFINS'], ['COFINSST.vCOFINS']],
  ['sumIs', ['IS.CSTIS'], ['IS.vBCIS'], ['IS.pIS', 'IS.pISEspec'], ['IS.vIS']],
];
const IN_GROUPS: readonly (readonly [group: string, TaxField])[] = [
  ['IPI', ['sumIpi', ['CST'], ['vBC'], ['pIPI', 'vUnid'], ['vIPI']]],
  ['PIS', ['sumPis', ['CST'], ['vBC'], ['pPIS', 'vAliqProd'], ['vPIS']]],
  ['COFINS', ['sumCofins', ['CST'], ['vBC'], ['pCOFINS', 'vAliqProd'], ['vCOFINS']]],
];
/** IBS and CBS of the tax reform: the effective rate where one is reduced. */
const REFORM: readonly TaxField[] = [
  [
    'taxIbsState',
    ['CST'],
    ['gIBSCBS.vBC'],
    ['gIBSCBS.gIBSUF.gRed.pAliqEfet', 'gIBSCBS.gIBSUF.pIBSUF'],
    ['gIBSCBS.gIBSUF.vIBSUF'],
  ],
  [
    'taxIbsCity',
    [],
    ['gIBSCBS.vBC'],
    ['gIBSCBS.gIBSMun.gRed.pAliqEfet', 'gIBSCBS.gIBSMun.pIBSMun'],
    ['gIBSCBS.gIBSMun.vIBSMun'],
  ],
  [
    'sumCbs',
    [],
    ['gIBSCBS.vBC'],
    ['gIBSCBS.gCBS.gRed.pAliqEfet', 'gIBSCBS.gCBS.pCBS'],
    ['gIBSCBS.gCBS.vCBS'],
  ],
  ['sumIbs', [], [], [], ['gIBSCBSMono.vTotIBSMonoItem']],
  ['sumCbs', [], [], [], ['gIBSCBSMono.vTotCBSMonoItem']],
];

/** By how many percent a base or a rate is reduced. */
const REDUCTIONS: Partial<Record<FiscalText, readonly string[]>> = {
  sumIcms: ['pRedBC'],
  sumSt: ['pRedBCST'],
  taxIbsState: ['gIBSCBS.gIBSUF.gRed.pRedAliq'],
  taxIbsCity: ['gIBSCBS.gIBSMun.gRed.pRedAliq'],
  sumCbs: ['gIBSCBS.gCBS.gRed.pRedAliq'],
};

/** The taxes that a group names: of an item, or of a transport as a whole. */
export function taxesOf(group: XmlElement | undefined): ItemTax[] {
  const icms = elementsIn(child(group, 'ICMS'))[0];
  const origin = firstText(icms, 'orig', 'Orig');
  return [
    ...ICMS.flatMap((field) => taxOf(icms, field, origin)),
    ...OTHERS.flatMap((field) => taxOf(group, field)),
    ...IN_GROUPS.flatMap(([name, field]) =>
      elementsIn(child(group, name))
        .filter((each) => elementsIn(each).length > 0)
        .flatMap((each) => taxOf(each, field)),
    ),
    ...REFORM.flatMap((field) => taxOf(child(group, 'IBSCBS'), field)),
  ];
}

function taxOf(
  group: XmlElement | undefined,
  [name, codes, bases, rates, amounts]: TaxField,
  origin = '',
): ItemTax[] {
  const code = firstText(group, ...codes);
  const [base, rate, amount, reduction] = [
    firstText(group, ...bases),
    firstText(group, ...rates),
    firstText(group, ...amounts),
    firstText(group, ...(REDUCTIONS[name] ?? [])),
  ];
  if (code === '' && !(Number(amount) > 0)) return [];
  return [{ name, code: code === '' ? '' : origin + code, base, rate, reduction, amount }];
}

/** The sum of an amount of all items that count it in the total. */
export function addedUp(items: readonly XmlElement[], group: string, name: string): string {
  const amounts = items
    .map((item) => child(item, `imposto.${group}`))
    .filter((tax) => text(tax, `indSoma${group}`) === '1')
    .map((tax) => Number(text(tax, name)) || 0);
  return amounts.length === 0 ? '' : amounts.reduce((sum, amount) => sum + amount, 0).toFixed(2);
}
