import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { FiscalSheet, Party } from './viewer.ts';

/*
 * Fiscal documents of Brazil: NF-e and NFC-e (nfeProc, NFe), CT-e (cteProc, CTe) and CF-e (CFe), with the
 * fields named in their manuals. Numbers stay text: a CNPJ may contain letters and leading zeros.
 */

/** Maximum number of shown items. */
const MAX_ITEMS = 1000;

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a fiscal document; undefined for other XML, and for XML with a DOCTYPE, which none of these has. */
export function readFiscal(xml: string): FiscalSheet | undefined {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  const root = parsed(xml);
  const invoice = node(root, 'nfeProc.NFe.infNFe') ?? node(root, 'NFe.infNFe');
  if (invoice) return nfe(invoice, node(root, 'nfeProc.protNFe.infProt'));
  const transport = node(root, 'cteProc.CTe.infCte') ?? node(root, 'CTe.infCte');
  if (transport) return cte(transport, node(root, 'cteProc.protCTe.infProt'));
  const coupon = node(root, 'CFe.infCFe');
  return coupon && cfe(coupon);
}

function parsed(xml: string): unknown {
  try {
    const { root } = parseXml(xml);
    return root && { [localName(root.name)]: treeOf(root) };
  } catch {
    return undefined; // not valid XML: it is shown as text
  }
}

/** Elements that may be repeated are lists. */
const REPEATED = ['det', 'Comp'];
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * An element as an object: `@name` for its attributes, `#text` for its text; the text alone if there is
 * nothing else. Of unexpected repetitions the last one counts.
 */
function treeOf({ attributes, children, text: own }: XmlElement): Node | string {
  const inner = children.filter((child) => child instanceof XmlElement);
  const tree: Record<string, unknown> = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [`@${localName(name)}`, value]),
  );
  if (inner.length === 0 && Object.keys(tree).length === 0) return own;
  for (const child of inner) {
    const name = localName(child.name);
    const value = treeOf(child);
    tree[name] = REPEATED.includes(name) ? [...((tree[name] as unknown[] | undefined) ?? []), value] : value;
  }
  return inner.length === 0 ? { ...tree, '#text': own } : tree;
}

function nfe(inf: Node, protocol: Node | undefined): FiscalSheet {
  const sum = (name: string): string => text(inf, `total.ICMSTot.${name}`);
  return {
    ...headOf(
      inf,
      text(inf, 'ide.mod') === '65' ? 'NFC-e' : 'NF-e',
      text(inf, 'ide.nNF'),
      text(inf, 'ide.serie'),
    ),
    ...protocolOf(protocol),
    parties: partiesOf(inf, [
      ['issuer', 'emit', 'enderEmit'],
      ['recipient', 'dest', 'enderDest'],
    ]),
    items: itemsOf(inf),
    totals: totalsOf({
      products: sum('vProd'),
      freight: sum('vFrete'),
      discount: sum('vDesc'),
      icms: sum('vICMS'),
      total: sum('vNF'),
    }),
    notes: text(inf, 'infAdic.infCpl'),
  };
}

function cte(inf: Node, protocol: Node | undefined): FiscalSheet {
  const parts = list(node(inf, 'vPrest'), 'Comp').slice(0, MAX_ITEMS);
  return {
    ...headOf(inf, 'CT-e', text(inf, 'ide.nCT'), text(inf, 'ide.serie')),
    ...protocolOf(protocol),
    parties: partiesOf(inf, [
      ['issuer', 'emit', 'enderEmit'],
      ['sender', 'rem', 'enderReme'],
      ['recipient', 'dest', 'enderDest'],
    ]),
    items: parts.map((part) => ({
      code: '',
      description: text(part, 'xNome'),
      quantity: '',
      unit: '',
      price: '',
      total: text(part, 'vComp'),
    })),
    totals: totalsOf({
      products: '',
      freight: '',
      discount: '',
      icms: text(inf, 'imp.ICMS.ICMS00.vICMS'),
      total: text(inf, 'vPrest.vTPrest'),
    }),
    notes: text(inf, 'compl.xObs'),
  };
}

function cfe(inf: Node): FiscalSheet {
  const [date, time] = [text(inf, 'ide.dEmi'), text(inf, 'ide.hEmi')].map((digits) =>
    digits.replaceAll(/\D/g, ''),
  );
  const day = /^(\d{4})(\d\d)(\d\d)$/
    .exec(date ?? '')
    ?.slice(1)
    .join('-');
  const sum = (name: string): string => text(inf, `total.ICMSTot.${name}`);
  return {
    ...headOf(inf, 'CF-e', text(inf, 'ide.nCFe'), text(inf, 'ide.nserieSAT')),
    issuedAt:
      day === undefined
        ? ''
        : `${day}T${(time ?? '').padEnd(6, '0').replace(/^(\d\d)(\d\d)(\d\d).*$/, '$1:$2:$3')}-03:00`,
    parties: partiesOf(inf, [
      ['issuer', 'emit', 'enderEmit'],
      ['recipient', 'dest', 'enderDest'],
    ]),
    items: itemsOf(inf),
    totals: totalsOf({
      products: sum('vProd'),
      freight: '',
      discount: sum('vDesc'),
      icms: sum('vICMS'),
      total: text(inf, 'total.vCFe'),
    }),
    notes: text(inf, 'infAdic.infCpl'),
  };
}

function headOf(inf: Node, kind: FiscalSheet['kind'], number: string, series: string) {
  const key = text(inf, '@Id').replace(/^[A-Za-z]{3}(?=.{44}$)/, '');
  return {
    kind,
    key,
    keyHolds: keyHolds(key),
    number: number.replace(/^0+(?=\d)/, ''),
    series,
    nature: text(inf, 'ide.natOp'),
    issuedAt: text(inf, 'ide.dhEmi'),
    isTest: text(inf, 'ide.tpAmb') === '2',
  };
}

function protocolOf(protocol: Node | undefined): Pick<FiscalSheet, 'protocol'> {
  if (!protocol) return {};
  return {
    protocol: {
      number: text(protocol, 'nProt'),
      receivedAt: text(protocol, 'dhRecbto'),
      status: text(protocol, 'cStat'),
      reason: text(protocol, 'xMotivo'),
    },
  };
}

function partiesOf(
  inf: Node,
  roles: (readonly [FiscalSheet['parties'][number]['role'], person: string, address: string])[],
): FiscalSheet['parties'] {
  return roles.flatMap(([role, person, address]) => {
    const found = node(inf, person);
    const party = found && partyOf(found, node(found, address));
    return party && (party.name !== '' || party.taxId !== '') ? [{ role, party }] : [];
  });
}

function partyOf(person: Node, address: Node | undefined): Party {
  const street = [
    text(address, 'xLgr'),
    text(address, 'nro'),
    text(address, 'xCpl'),
    text(address, 'xBairro'),
  ]
    .filter(Boolean)
    .join(', ');
  const town = [text(address, 'xMun'), text(address, 'UF')].filter(Boolean).join('/');
  return {
    name: text(person, 'xNome'),
    taxId: text(person, 'CNPJ') || text(person, 'CPF') || text(person, 'idEstrangeiro'),
    stateId: text(person, 'IE'),
    address: [street, town, text(address, 'CEP').replace(/^(\d{5})(\d{3})$/, '$1-$2')]
      .filter(Boolean)
      .join(' · '),
  };
}

const itemsOf = (inf: Node): FiscalSheet['items'] =>
  list(inf, 'det')
    .slice(0, MAX_ITEMS)
    .map((item) => ({
      code: text(item, 'prod.cProd'),
      description: text(item, 'prod.xProd'),
      quantity: text(item, 'prod.qCom'),
      unit: text(item, 'prod.uCom'),
      price: text(item, 'prod.vUnCom'),
      total: text(item, 'prod.vProd'),
    }));

const totalsOf = (sums: Record<FiscalSheet['totals'][number]['name'], string>): FiscalSheet['totals'] =>
  (Object.entries(sums) as [FiscalSheet['totals'][number]['name'], string][])
    .filter(([name, amount]) => name === 'total' || Number(amount) > 0)
    .map(([name, amount]) => ({ name, amount }));

/**
 * Tells whether the check digit of an access key, its 44th character, is correct: modulo 11 with weights 2 to
 * 9 from the right; a letter counts as its code less 48.
 */
export function keyHolds(key: string): boolean {
  if (!/^\d{6}[A-Z0-9]{12}\d{26}$/.test(key)) return false;
  const sum = [...key.slice(0, 43)]
    .toReversed()
    .reduce((all, character, i) => all + (character.charCodeAt(0) - 48) * ((i % 8) + 2), 0);
  const rest = sum % 11;
  return Number(key[43]) === (rest < 2 ? 0 : 11 - rest);
}

function under(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (isNode(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function node(value: unknown, path: string): Node | undefined {
  const found = under(value, path);
  return isNode(found) ? found : undefined;
}

function text(value: unknown, path: string): string {
  const found = under(value, path);
  const own = isNode(found) ? found['#text'] : found;
  return typeof own === 'string' ? own.trim() : '';
}

function list(value: unknown, name: string): Node[] {
  const found = under(value, name);
  return Array.isArray(found) ? found.filter(isNode) : [];
}
