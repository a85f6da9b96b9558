import type { IndexedClient } from '#features/documents/publishing/client-index.ts';
import type { ClientState } from '#features/documents/publishing/matching.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { isTaxId } from '#platform/inputs/tax-ids.ts';

/*
 * Made-up firms and names of files, as payroll and accounting programs write them. The same seed makes the same ones.
 */

export interface MadeClient extends IndexedClient, ClientState {
  cnpj: string;
}

export interface MadeFile {
  name: string;
  /** For whom it is. */
  client: MadeClient;
  /** Whether its name says so without doubt to somebody who knows all clients of the firm. */
  isClear: boolean;
}

type Random = () => number;

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

const split = (words: string): string[] => words.split(' ');

const TRADES = split(
  'Padaria Mercado Oficina Clínica Farmácia Transportadora Construções Agropecuária Bakery Dental Roofing Plumbing Landscaping Brewery Boulangerie Menuiserie Garage Panadería Ferretería Papelería',
);
const PLACES = split(
  'Souza Juniper Ashland Amberly Willow Yankee Zeta São-João Montréal Córdoba Araçatuba Hawthorn Copper Lakeside Petrópolis Ñuñoa Übersee Gonçalves Fernández Lefèvre Okafor Nakamura Silva Oliveira',
);
const ENDS = split(
  'North South Filial Matriz Norte Sul Express Premium Group Holdings Brasil Canada Central',
);
const LEGAL = [
  '',
  '',
  ' Ltda',
  ' ME',
  ' EIRELI',
  ' LLC',
  ' Inc',
  ' Inc.',
  ' S.A.',
  ' Ltd',
  ' SAS',
  ' Ltda ME',
];
const ONE_WORD = ['May', 'Smith', 'Payroll', 'Ann', 'Abril', 'Folha', 'Silva', 'Joann'];
const SHORT_NUMBERS = [
  ...Array.from({ length: 12 }, (_, index) => String(index + 1)),
  '03',
  '010',
  '31',
  '99',
];
const NASTY_NUMBERS = ['2024', '2025', '2026', '2027', '1099', '941', '1040', '1126', '0526', '202611'];

/** A firm whose numbers and names invite mistakes. */
export function makeFirm(random: Random, size = 120): MadeClient[] {
  const clients: MadeClient[] = [];
  const names = new Set<string>();
  const add = (name: string, code: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const fate = random();
    clients.push({
      id: `client-${clients.length}`,
      name,
      tradeName: '',
      code,
      cnpj: random() < 0.7 ? makeCnpj(random) : '',
      isOwn: fate > 0.12,
      isArchived: fate > 0.12 && fate < 0.2,
      mergedInto: null,
    });
  };
  for (const name of ONE_WORD) add(name, String(6000 + clients.length));
  for (const code of [...SHORT_NUMBERS, ...NASTY_NUMBERS]) add(makeName(random), code);
  while (clients.length < size) {
    const name = makeName(random);
    add(name, makeNumber(random, clients.length));
    if (random() < 0.25) add(`${name} ${pick(random, ENDS)}`, makeNumber(random, clients.length));
    if (random() < 0.1) add(name.replace(/ (?:Ltda|ME|LLC|Inc)$/u, ' EIRELI'), '');
  }
  for (const client of clients)
    if (client.isArchived && random() < 0.5) client.mergedInto = pick(random, clients.slice(0, 20)).id;
  const roots = new Set(clients.slice(0, 20).map(({ id }) => id));
  for (const client of clients) if (roots.has(client.id)) client.mergedInto = null;
  return clients;
}

const makeName = (random: Random): string => {
  const and = random() < 0.2 ? ` ${pick(random, ['&', 'e', 'and', 'et'])} ${pick(random, PLACES)}` : '';
  const words = [pick(random, PLACES).replace('-', ' '), pick(random, TRADES), pick(random, ENDS)];
  return `${words.slice(0, random() < 0.5 ? 2 : 3).join(' ')}${and}${pick(random, LEGAL)}`;
};

function makeNumber(random: Random, index: number): string {
  const kind = random();
  if (kind < 0.2) return '';
  if (kind < 0.6) return String(7000 + index);
  if (kind < 0.8) return `${pick(random, ['JB', 'EMP', 'C'])}-${4000 + index}`;
  return `00${8000 + index}`;
}

function makeCnpj(random: Random): string {
  const base = Array.from({ length: 8 }, () => Math.floor(random() * 10)).join('');
  for (let check = 0; check < 100; check += 1) {
    const number = `${base}0001${String(check).padStart(2, '0')}`;
    if (isTaxId('cnpj', number)) return number;
  }
  return makeCnpj(random);
}

const EMPLOYEES = [
  'John Carter',
  'Maria Pereira',
  'José da Costa',
  'Ana Beatriz',
  'CARTER JOHN',
  'Jean Tremblay',
  'May Smith',
  'Carlos Silva',
];

const MONTHS = [
  '11-2026,2026-11,11.2026,11_2026,2026_11,112026,202611,Nov 2026,Nov-2026,NOV2026,novembro 2026,1-2026',
  'novembro de 2026,Novembre 2026,noviembre-2026,30-11-2026,2026-11-30,20261130,Q4 2026,4T2026',
  '1o trimestre 2026,comp 11.2026,May 2025,05-2025',
].flatMap((months) => months.split(','));

const GLUE = [' ', '_', '-', '.', '+', ' - ', '__'];

interface Parts {
  client: MadeClient;
  name: string;
  month: string;
  employee: string;
  masked: string;
  glue: string;
  random: Random;
}

interface Habit {
  program: string;
  of: (parts: Parts) => string[];
  needs: 'name' | 'number' | 'cnpj';
  /** Whether what it writes besides can mean another client. */
  isAmbiguous?: true;
}

/** The parts of names as these programs and the people who use them order them. */
const HABITS: readonly Habit[] = [
  { program: 'Domínio', needs: 'number', of: ({ client, month }) => [client.code, 'Folha Mensal', month] },
  {
    program: 'Domínio',
    needs: 'name',
    of: ({ client, name, month }) => [client.code, name, 'Recibo', month],
  },
  { program: 'Alterdata', needs: 'cnpj', of: ({ client, month }) => ['Holerite', client.cnpj, month] },
  { program: 'Alterdata', needs: 'cnpj', of: ({ masked, month }) => [masked, 'DARF', month] },
  { program: 'Fortes', needs: 'cnpj', of: ({ masked }) => ['FGTS', masked.replaceAll(/[./-]/g, '_')] },
  { program: 'Fortes', needs: 'name', of: ({ name, month }) => ['Contracheque', month, name] },
  { program: 'Questor', needs: 'name', of: ({ name, client, month }) => [name, client.code, month] },
  {
    program: 'Questor',
    needs: 'cnpj',
    isAmbiguous: true,
    of: ({ client }) => ['Guia', client.cnpj.replace(/^0+/, '').slice(1)],
  },
  { program: 'ADP', needs: 'name', of: ({ name, employee, month }) => [name, employee, 'Payslip', month] },
  { program: 'ADP', needs: 'number', of: ({ client, month }) => ['PR', client.code, month] },
  { program: 'Gusto', needs: 'name', of: ({ name, month }) => [name, 'payroll journal', month] },
  { program: 'Gusto', needs: 'name', of: ({ name }) => [name, 'W-2', '11-2025'] },
  { program: 'QuickBooks', needs: 'name', of: ({ name, month }) => [name, 'Profit and Loss', month] },
  {
    program: 'QuickBooks',
    needs: 'name',
    isAmbiguous: true,
    of: ({ name }) => [name, '2026', 'Balance Sheet'],
  },
  { program: 'QuickBooks', needs: 'name', of: ({ name }) => [name, '1099-NEC'] },
  { program: 'Sage', needs: 'number', of: ({ client }) => [client.code, 'payslips'] },
  {
    program: 'Sage',
    needs: 'name',
    isAmbiguous: true,
    of: ({ name, random }) => [name, `(${1 + Math.floor(random() * 9)})`],
  },
  { program: 'Xero', needs: 'name', of: ({ name, month }) => [name, 'Activity Statement', month] },
  { program: 'Xero', needs: 'name', isAmbiguous: true, of: ({ name }) => ['Invoice 01', name] },
  { program: 'Silae', needs: 'number', of: ({ client, month }) => ['BS', client.code, month] },
  { program: 'Silae', needs: 'name', of: ({ name, employee, month }) => ['Bulletin', name, month, employee] },
  {
    program: 'SAP',
    needs: 'number',
    of: ({ client, month }) => [client.code.replace(/^(?=\d)/, '00000'), month],
  },
  { program: 'SAP', needs: 'name', of: ({ name, month }) => [month, name] },
  { program: 'people', needs: 'name', of: ({ name }) => [name, 'parcela 3 de 12'] },
  { program: 'people', needs: 'name', of: ({ name }) => [name, 'page 2 of 5', 'v2'] },
  { program: 'people', needs: 'name', isAmbiguous: true, of: ({ name }) => [name, '1099'] },
  { program: 'people', needs: 'number', isAmbiguous: true, of: ({ client }) => ['Invoice', client.code] },
  { program: 'people', needs: 'number', isAmbiguous: true, of: ({ client }) => [client.code] },
  {
    program: 'people',
    needs: 'name',
    isAmbiguous: true,
    of: ({ name, random }) => [String(1 + Math.floor(random() * 31)), name],
  },
];

/** The name of a file for a client of a firm, by a random habit. */
export function makeFile(random: Random, clients: readonly MadeClient[]): MadeFile {
  for (;;) {
    const [client, habit] = [pick(random, clients), pick(random, HABITS)];
    if (habit.needs === 'cnpj' && client.cnpj === '') continue;
    if (habit.needs === 'number' && client.code === '') continue;
    const employee = pick(random, EMPLOYEES);
    const month = pick(random, MONTHS);
    const glue = pick(random, GLUE);
    const { text: name, isWhole } = written(random, client.name);
    const masked = withMask('cnpj', client.cnpj).replace('/', pick(random, ['_', '-', ' ']));
    const parts = habit.of({ client, name, month, employee, masked, glue, random }).filter(Boolean);
    const joined = parts
      .map((part) => (glue === ' ' ? part : part.replaceAll(' ', glue.trim() || ' ')))
      .join(glue);
    const isClear =
      habit.isAmbiguous === undefined &&
      client.isOwn &&
      !client.isArchived &&
      isWhole &&
      isPlain(clients, client, habit.needs) &&
      !mentionsOther(
        clients,
        client,
        parts.map((part) => (part === month && /\D/.test(month) ? '' : part)),
      );
    return { name: `${spoiled(random, joined)}.pdf`, client, isClear };
  }
}

/** Whether what the habit relies on is this client's alone, and nothing that is also a date, a form or a word. */
function isPlain(clients: readonly MadeClient[], client: MadeClient, needs: Habit['needs']): boolean {
  if (needs === 'cnpj') return true;
  if (needs === 'number') return /^(?:00)?[78]\d{3}$|^[A-Z]+-\d{4}$/.test(client.code);
  const core = coreOf(client.name);
  return core.includes(' ') && clients.filter(({ name }) => coreOf(name) === core).length === 1;
}

/** Whether a word is the whole name or number of another client. */
function mentionsOther(
  clients: readonly MadeClient[],
  client: MadeClient,
  parts: readonly string[],
): boolean {
  const words = new Set(
    plain(parts.join(' '))
      .split(' ')
      .map((word) => word.replace(/^0+(?=\d)/, '')),
  );
  const own = new Set(plain(client.name).split(' '));
  return clients.some(
    ({ id, name, code }) =>
      id !== client.id &&
      [plain(name), plain(code).replace(/^0+/, '')].some((word) => words.has(word) && !own.has(word)),
  );
}

const coreOf = (name: string): string =>
  plain(name)
    .replaceAll(/ (?:ltda|me|eireli|llc|inc|s a|ltd|sas)\b/g, '')
    .trim();

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** A client's name as people write it: without its legal form, with another 'and'. */
function written(random: Random, name: string): { text: string; isWhole: boolean } {
  const kind = random();
  const other = name.replace(/ (?:&|e|and|et) /, ` ${pick(random, ['&', 'e', 'and'])} `);
  if (kind < 0.3)
    return {
      text: other.replace(/ (?:Ltda ME|Ltda|ME|EIRELI|LLC|Inc\.?|S\.A\.|Ltd|SAS)$/, ''),
      isWhole: true,
    };
  if (kind < 0.36) return { text: name.split(' ').slice(0, 1).join(' '), isWhole: false };
  return { text: other, isWhole: true };
}

/** Capitals, missing accents, decomposed letters. */
function spoiled(random: Random, name: string): string {
  const kind = random();
  if (kind < 0.25) return name.toUpperCase();
  if (kind < 0.4) return name.normalize('NFD');
  if (kind < 0.6) return name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return name;
}
