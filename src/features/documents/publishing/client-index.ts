import type { Doubt, Evidence, EvidenceKind, EvidenceSource } from './evidence.ts';
import {
  isCommonWord,
  isCounterWord,
  isDateNumber,
  isFormNumber,
  legalForm,
  normalized,
  unmistakableParts,
  wordsIn,
  withoutExtension,
  type Word,
} from './words.ts';

/*
 * Finding the clients of a firm in names of files and in texts, by whole words. All clients of the firm are in the index,
 * those that the person does not see and those that are archived, too: what names one of these names nobody else.
 */

export interface IndexedClient {
  id: string;
  /** The client's number; empty if it has none. */
  code: string;
  name: string;
  tradeName: string;
}

interface Named {
  clientId: string;
  kind: 'name' | 'tradeName';
  words: readonly string[];
  legalForms: ReadonlySet<string>;
  doubt: Doubt | undefined;
}

export interface ClientIndex {
  /** By their words with a space between. */
  numbers: ReadonlyMap<string, readonly string[]>;
  /** By their first two words, or by the only one. */
  names: ReadonlyMap<string, readonly Named[]>;
}

/** Indexes the numbers and names of clients. */
export function indexClients(clients: Iterable<IndexedClient>): ClientIndex {
  const numbers = new Map<string, string[]>();
  const names = new Map<string, Named[]>();
  for (const { id, code, name, tradeName } of clients) {
    for (const key of numberKeys(code)) append(numbers, key, id);
    for (const [kind, text] of [
      ['name', name],
      ['tradeName', tradeName],
    ] as const)
      for (const named of namesOf(id, kind, text)) append(names, beginningOf(named.words), named);
  }
  return { numbers, names };
}

function append<Value>(index: Map<string, Value[]>, key: string, value: Value): void {
  const values = index.get(key);
  if (values) values.push(value);
  else index.set(key, [value]);
}

const beginningOf = (words: readonly string[]): string => words.slice(0, 2).join(' ');

/** The forms in which files have a number: `JB-1042`, `jb_1042`, `JB1042`; `0045` is `45`. */
export function numberKeys(code: string): Set<string> {
  const words = wordsIn(normalized(code)).map(({ text }) => text);
  const together = words.join('');
  const apart = together.match(/\p{L}+|\p{N}+/gu) ?? [];
  return new Set([plainNumber(words.join(' ')), plainNumber(together), apart.join(' ')].filter(Boolean));
}

const plainNumber = (text: string): string => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text);

/** A name by its words without the legal form, and written as one word. */
function namesOf(clientId: string, kind: Named['kind'], text: string): Named[] {
  const all = wordsIn(normalized(text)).map((word) => word.text);
  const legalForms = new Set(all.flatMap((word) => legalForm(word) ?? []));
  const own = all.filter((word) => legalForm(word) === undefined);
  const words = own.length > 0 ? own : all;
  if (words.length === 0) return [];
  const named = { clientId, kind, words, legalForms, doubt: nameDoubt(words) };
  const together = words.join('').replaceAll('&', 'e');
  return words.length > 1 && together.length >= MIN_TOGETHER
    ? [named, { ...named, words: [together] }]
    : [named];
}

/** A name written as one word counts from so many letters. */
const MIN_TOGETHER = 10;

/** What is found, at words of a text. */
interface Hit extends Span {
  kind: EvidenceKind;
  clientIds: readonly string[];
  doubt: Doubt | undefined;
  isOneWord: boolean;
}

interface Span {
  start: number;
  end: number;
}

/** A tax id in a text, with the clients that have it. */
export interface TaxIdHit extends Span {
  clientIds: readonly string[];
  doubt: Doubt | undefined;
  isOfCompany: boolean;
}

/** The evidence in the name of a file. */
export function evidenceInFileName(
  index: ClientIndex,
  fileName: string,
  taxIds: readonly TaxIdHit[],
): Evidence[] {
  const text = normalized(withoutExtension(fileName));
  const words = wordsIn(text);
  const explained = unmistakableParts(text);
  const isExplained = ({ start, end }: Span): boolean =>
    explained.some((part) => part.start <= start && end <= part.end);
  const hits = [...namesIn(index, words), ...numbersIn(index, text, words)];
  return asEvidence(
    'fileName',
    taxIds,
    hits.filter((hit) => !hit.isOneWord || hit.doubt === undefined || !isExplained(hit)),
  );
}

/** The evidence in the text of a PDF: names and tax ids. Numbers of clients are not looked for among all others. */
export const evidenceInText = (index: ClientIndex, text: string, taxIds: readonly TaxIdHit[]): Evidence[] =>
  asEvidence('pdf', taxIds, namesIn(index, wordsIn(normalized(text))));

/** Each finding once, without those that are part of a longer one: "Amber Bakery North" does not mean "Amber Bakery". */
function asEvidence(source: EvidenceSource, taxIds: readonly TaxIdHit[], hits: readonly Hit[]): Evidence[] {
  const longer = [...taxIds, ...hits.filter(({ isOneWord }) => !isOneWord)];
  const isContained = (inner: Span): boolean => longer.some((outer) => isPartOf(inner, outer));
  const evidence = [
    ...taxIds.map((hit) => ({ kind: 'taxId' as const, ...hit })),
    ...hits.map((hit) => ({ isOfCompany: false, ...hit })),
  ]
    .filter((hit) => !isContained(hit))
    .map(({ kind, clientIds, doubt, isOfCompany }): Evidence => ({
      kind,
      source,
      clientIds: [...new Set(clientIds)].toSorted(),
      ...(doubt && { doubt }),
      ...(isOfCompany && { isOfCompany }),
    }));
  return [...new Map(evidence.map((piece) => [JSON.stringify(piece), piece])).values()];
}

const isPartOf = (inner: Span, outer: Span): boolean =>
  outer.start <= inner.start && inner.end <= outer.end && outer.end - outer.start > inner.end - inner.start;

function namesIn(index: ClientIndex, all: readonly Word[]): Hit[] {
  const words = all.flatMap((word, position) => (legalForm(word.text) ? [] : [{ ...word, position }]));
  const hits = words.flatMap((first, at) => {
    const second = words[at + 1];
    const named = [
      ...(index.names.get(first.text) ?? []),
      ...(second ? (index.names.get(`${first.text} ${second.text}`) ?? []) : []),
    ].filter((name) => name.words.every((word, offset) => words[at + offset]?.text === word));
    return [...Map.groupBy(named, (name) => name.words.length)].map(([length, same]) => {
      const last = words[at + length - 1] ?? first;
      return hitOf(
        same,
        { start: first.start, end: last.end },
        formsAfter(all, first.position, last.position),
      );
    });
  });
  return [...hits, ...namesOfForms(index, all)];
}

/** Names that are nothing but a legal form, such as `SA`. */
const namesOfForms = (index: ClientIndex, all: readonly Word[]): Hit[] =>
  all.flatMap(({ text, start, end }) => {
    const named = legalForm(text) === undefined ? [] : (index.names.get(text) ?? []);
    return named.length === 0 ? [] : [hitOf(named, { start, end }, new Set())];
  });

/** The legal forms within and right after a name. */
function formsAfter(all: readonly Word[], first: number, last: number): Set<string> {
  const forms = new Set<string>();
  for (let at = first; at < all.length; at += 1) {
    const form = legalForm(all[at]?.text ?? '');
    if (form !== undefined) forms.add(form);
    else if (at > last) break;
  }
  return forms;
}

/** The clients of one name, of which the legal form may tell which one is meant. */
function hitOf(named: readonly Named[], span: Span, forms: ReadonlySet<string>): Hit {
  const exact = forms.size === 0 ? [] : named.filter(({ legalForms }) => isEqual(legalForms, forms));
  const possible = exact.length > 0 ? exact : named.filter(({ legalForms }) => agree(legalForms, forms));
  const meant = possible.length > 0 ? possible : named;
  const [first] = meant;
  return {
    ...span,
    kind: first?.kind ?? 'name',
    clientIds: meant.map(({ clientId }) => clientId),
    doubt: first?.doubt ?? (possible.length === 0 ? 'LEGAL_FORM' : undefined),
    isOneWord: first?.words.length === 1,
  };
}

const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && one.isSubsetOf(other);

const agree = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.isSubsetOf(other) || other.isSubsetOf(one);

/** A name is certain with two words that few files have. */
function nameDoubt(words: readonly string[]): Doubt | undefined {
  const rare = words.filter((word) => !isCommonWord(word)).length;
  if (rare >= 2) return undefined;
  return rare === 1 && words.length === 1 ? 'ONE_WORD' : 'COMMON_WORDS';
}

/** The longest number of a client has so many words, such as `A-12/2026`. */
const MAX_NUMBER_WORDS = 4;

const numbersIn = (index: ClientIndex, text: string, words: readonly Word[]): Hit[] =>
  words.flatMap((first, at) =>
    words.slice(at, at + MAX_NUMBER_WORDS).flatMap((last, length) => {
      const phrase = words.slice(at, at + length + 1).map((word) => word.text);
      const clientIds = index.numbers.get(plainNumber(phrase.join(' '))) ?? [];
      if (clientIds.length === 0) return [];
      const span = { start: first.start, end: last.end };
      const doubt = numberDoubt(text, words, { at, number: phrase.join(''), ...span });
      return [{ kind: 'number' as const, clientIds, doubt, isOneWord: length === 0, ...span }];
    }),
  );

const MIN_NUMBER = 4;
const AMOUNT_BEFORE = /(?:[$€£]|\b(?:usd|eur|brl|ars|cad|aud|gbp))\s?[\d.,]*$/u;
const AMOUNT_AFTER = /^(?:,\d\d(?!\d)|\s?(?:[€%]|usd|eur|brl)(?![\p{L}\p{N}]))/u;

function numberDoubt(
  text: string,
  words: readonly Word[],
  { at, number, start, end }: Span & { at: number; number: string },
): Doubt | undefined {
  const before = words[at - 1]?.text ?? '';
  const isAmount = AMOUNT_BEFORE.test(text.slice(0, start)) || AMOUNT_AFTER.test(text.slice(end));
  if (isFormNumber(number)) return 'FORM';
  if (isDateNumber(number)) return 'DATE';
  if (isAmount || isCounterWord(before)) return 'COUNTER';
  return plainNumber(number).length < MIN_NUMBER ? 'SHORT' : undefined;
}
