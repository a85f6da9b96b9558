import type { DataTable, Fact, FiscalText, OtherFields, Section, Value, ValueType } from '../fiscal-xml.ts';
import { elementsIn, isElement, ownText, rawText, text, textsAt, type XmlElement } from '../xml.server.ts';

/* Fields of documents as facts and tables, by lists of what to read. */

/** The texts of codes. */
export type Choices = Readonly<Record<string, FiscalText>>;
/** A label, the path of its value, and how it is shown; without a type as text. */
export type Field = readonly [label: FiscalText, path: string, type?: Exclude<ValueType, 'choice'> | Choices];

/** Maximum number of shown rows of a table. */
const MAX_ROWS = 1000;
const MAX_OTHERS = 500;

/** The fields of an element that are not empty. */
export const factsOf = (element: XmlElement | undefined, fields: readonly Field[]): Fact[] =>
  fields.flatMap(([label, path, type]) => {
    const value = valueOf(element, path, type);
    return value.value === '' ? [] : [{ label, ...value }];
  });

export function valueOf(element: XmlElement | undefined, path: string, type: Field[2] = 'text'): Value {
  const value = allTexts(element, path);
  if (typeof type === 'string') return { type, value };
  const choice = Object.hasOwn(type, value) ? type[value] : undefined;
  return choice === undefined ? { type: 'text', value } : { type: 'choice', value: choice };
}

/** The texts of all elements at a path; of the element itself by an empty path. */
function allTexts(element: XmlElement | undefined, path: string): string {
  if (path.includes('@')) return text(element, path);
  if (path === '') return element ? ownText(element) : '';
  return textsAt(element, path);
}

/** A table of repeated elements; undefined without any. */
export function tableOf(
  elements: readonly XmlElement[],
  fields: readonly Field[],
  title?: FiscalText,
): DataTable | undefined {
  if (elements.length === 0) return undefined;
  const rows = elements
    .slice(0, MAX_ROWS)
    .map((element) => fields.map(([, path, type]) => valueOf(element, path, type)));
  const used = fields.map((_, at) => rows.some((row) => row[at]?.value !== ''));
  if (!used.some(Boolean)) return undefined;
  return {
    ...(title && { title }),
    columns: fields.filter((_, at) => used[at]).map(([label]) => label),
    rows: rows.map((row) => row.filter((_, at) => used[at])),
    leftOut: elements.length - rows.length,
  };
}

/** A section, unless it is empty. */
export function sectionOf(
  title: FiscalText,
  facts: readonly Fact[],
  tables: readonly (DataTable | undefined)[] = [],
): Section[] {
  const given = tables.filter((table) => table !== undefined);
  return facts.length === 0 && given.length === 0 ? [] : [{ title, facts, tables: given }];
}

/** What no reader has read of an element, so that nothing of a document is missing. */
export function othersIn(root: XmlElement): OtherFields {
  const fields: { path: string; value: string }[] = [];
  let count = 0;
  const pathOf = pathsBelow(root);
  const add = (element: XmlElement, value: string, attribute = ''): void => {
    count += 1;
    if (count <= MAX_OTHERS) fields.push({ path: pathOf(element) + attribute, value });
  };
  const walk = (element: XmlElement): void => {
    if (element.name === 'Signature') return;
    let isLeaf = true;
    for (const each of element.children) {
      if (!isElement(each)) continue;
      isLeaf = false;
      walk(each);
    }
    if (!isLeaf) return;
    for (const { name, value } of element.attributes) if (value !== '') add(element, value, `@${name}`);
    const value = element.isRead ? '' : rawText(element);
    if (value !== '') add(element, value);
  };
  for (const each of elementsIn(root)) walk(each);
  return { fields, leftOut: Math.max(0, count - MAX_OTHERS) };
}

/** What names the elements from below `root` to an element; those of the same name are numbered. */
function pathsBelow(root: XmlElement): (element: XmlElement) => string {
  const names = new Map<XmlElement, string>();
  const nameChildren = (parent: XmlElement): void => {
    const siblings = elementsIn(parent);
    const same = Map.groupBy(siblings, ({ name }) => name);
    for (const [name, all] of same)
      for (const [at, each] of all.entries()) names.set(each, all.length < 2 ? name : `${name} ${at + 1}`);
  };
  const pathOf = (element: XmlElement): string => {
    const { parent } = element;
    if (!parent) return element.name;
    if (!names.has(element)) nameChildren(parent); // once for all of them: there may be a thousand
    const own = names.get(element) ?? element.name;
    return parent === root ? own : `${pathOf(parent)} › ${own}`;
  };
  return pathOf;
}
