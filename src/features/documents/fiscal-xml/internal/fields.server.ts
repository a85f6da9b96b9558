import type { DataTable, Fact, FiscalText, OtherFields, Section, Value, ValueType } from '../fiscal-xml.ts';
import { children, elementsIn, isRead, ownText, rawText, text, type XmlElement } from '../xml.server.ts';

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
  const found = path === '' && element ? [element] : children(element, path);
  return found
    .map(ownText)
    .filter((each) => each !== '')
    .join(', ');
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
  const walk = (element: XmlElement, path: string): void => {
    if (element.name === 'Signature') return;
    const inner = elementsIn(element);
    for (const { name, value } of element.attributes)
      if (inner.length === 0 && value !== '') fields.push({ path: `${path}@${name}`, value });
    const value = inner.length === 0 && !isRead(element) ? rawText(element) : '';
    if (value !== '') fields.push({ path, value });
    for (const [name, each] of named(inner)) walk(each, `${path} › ${name}`);
  };
  for (const [name, each] of named(elementsIn(root))) walk(each, name);
  return { fields: fields.slice(0, MAX_OTHERS), leftOut: Math.max(0, fields.length - MAX_OTHERS) };
}

/** Elements with their names; those of the same name are numbered. */
function named(elements: readonly XmlElement[]): [string, XmlElement][] {
  const totals = new Map<string, number>();
  for (const { name } of elements) totals.set(name, (totals.get(name) ?? 0) + 1);
  const counts = new Map<string, number>();
  return elements.map((element) => {
    const count = (counts.get(element.name) ?? 0) + 1;
    counts.set(element.name, count);
    return [totals.get(element.name) === 1 ? element.name : `${element.name} ${count}`, element];
  });
}
