import { SaxesParser, type SaxesTagNS } from 'saxes';

/*
 * XML of others as a tree. Nothing is fetched, no entity can be declared, and the size of the tree is limited. Text is
 * as in the file, which the digest of a signature needs.
 */

export interface XmlElement {
  /** Without prefix. */
  name: string;
  prefix: string;
  uri: string;
  attributes: readonly XmlAttribute[];
  /** The namespaces that it declares, by prefix. */
  declared: Readonly<Record<string, string>>;
  children: (XmlElement | XmlInstruction | string)[];
  parent: XmlElement | undefined;
  /** Whether a reader has read its text. */
  isRead: boolean;
}
export interface XmlAttribute {
  name: string;
  prefix: string;
  uri: string;
  value: string;
}
/** An instruction, or a comment, whose target is `--`. */
interface XmlInstruction {
  target: string;
  body: string;
  children?: undefined;
}

/** Why a file is not read. */
type XmlProblem = 'notXml' | 'doctype' | 'tooLarge' | 'tooDeep';

export const COMMENT = '--';

const MAX_DEPTH = 64;
const MAX_ELEMENTS = 200_000;
/** Maximum number of namespaces in scope; documents have three. */
const MAX_NAMESPACES = 100;

class Refused extends Error {
  readonly problem: XmlProblem;
  constructor(problem: XmlProblem) {
    super(problem);
    this.problem = problem;
  }
}

export const isElement = (child: XmlElement['children'][number]): child is XmlElement =>
  typeof child === 'object' && child.children !== undefined;

/** Parses XML; what is not well-formed, declares a document type or is too large or deep is refused. */
export function parseXml(text: string): XmlElement | XmlProblem {
  try {
    return treeOf(text);
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    throw error;
  }
}

function treeOf(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let root: XmlElement | undefined;
  let current: XmlElement | undefined;
  let [depth, count] = [0, 0];
  /** How many namespaces each open element has in scope. */
  const namespaces: number[] = [];
  const refuse = (problem: XmlProblem): never => {
    throw new Refused(problem);
  };
  const add = (child: XmlElement['children'][number]): void => {
    if (!current) return;
    // An array that begins empty gets room for seventeen with the first entry, and most elements have one text.
    if (current.children === NO_CHILDREN) current.children = [child];
    else current.children.push(child);
  };
  // A prefix that nobody declared is common in the field; such a file can be read, but not its signature.
  parser.on('error', ({ message }) => {
    if (!message.includes('unbound namespace prefix')) refuse('notXml');
  });
  parser.on('doctype', () => refuse('doctype'));
  parser.on('opentag', (tag) => {
    depth += 1;
    count += 1;
    if (depth > MAX_DEPTH) refuse('tooDeep');
    if (count > MAX_ELEMENTS) refuse('tooLarge');
    namespaces.push((namespaces.at(-1) ?? 0) + (isEmpty(tag.ns) ? 0 : Object.keys(tag.ns).length));
    if ((namespaces.at(-1) ?? 0) > MAX_NAMESPACES) refuse('tooDeep');
    const element = elementOf(tag, current);
    add(element);
    root ??= element;
    current = element;
  });
  parser.on('closetag', () => {
    depth -= 1;
    namespaces.pop();
    current = current?.parent;
  });
  parser.on('text', add);
  parser.on('cdata', add);
  // With more than six handlers the parser's properties no longer fit into its object, and it takes four times as long.
  if (text.includes('<?', 1)) parser.on('processinginstruction', add);
  if (text.includes('<!--')) parser.on('comment', (body) => add({ target: COMMENT, body }));
  parser.write(text).close();
  return root ?? refuse('notXml');
}

/** Shared by most elements, since the maps that the parser makes for each take more room than the element. */
const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const NO_NAMESPACES: Readonly<Record<string, string>> = {};
const NO_CHILDREN: XmlElement['children'] = [];

function elementOf(tag: SaxesTagNS, parent: XmlElement | undefined): XmlElement {
  const attributes = isEmpty(tag.attributes)
    ? NO_ATTRIBUTES
    : Object.values(tag.attributes)
        .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
        .map(({ local, prefix, uri, value }) => ({ name: local, prefix, uri, value }));
  return {
    name: tag.local,
    prefix: tag.prefix,
    uri: tag.uri,
    attributes,
    declared: isEmpty(tag.ns) ? NO_NAMESPACES : { ...tag.ns },
    children: NO_CHILDREN,
    parent,
    isRead: false,
  };
}

/** Whether a map, which inherits nothing, has no entry: most of those of elements have none. */
export function isEmpty(map: object): boolean {
  for (const _ in map) return false;
  return true;
}

const paths = new Map<string, readonly string[]>();

/** The names of a path; paths are written in readers, so that there are some hundred of them. */
function stepsOf(path: string): readonly string[] {
  const known = paths.get(path);
  if (known) return known;
  const steps = path.split('.');
  paths.set(path, steps);
  return steps;
}

/** The first element at a path of names below an element. */
export const child = (element: XmlElement | undefined, path: string): XmlElement | undefined =>
  element && firstAt(element, stepsOf(path), 0);

function firstAt(element: XmlElement, steps: readonly string[], at: number): XmlElement | undefined {
  if (at === steps.length) return element;
  const name = steps[at];
  for (const each of element.children) {
    if (typeof each === 'string' || each.children === undefined || each.name !== name) continue;
    const found = firstAt(each, steps, at + 1);
    if (found) return found;
  }
  return undefined;
}

/** All elements at a path of names below an element, of every branch. */
export function children(element: XmlElement | undefined, path: string): XmlElement[] {
  let found = element ? [element] : [];
  for (const name of stepsOf(path)) {
    const next: XmlElement[] = [];
    for (const { children: inner } of found)
      for (const each of inner) if (isElement(each) && each.name === name) next.push(each);
    found = next;
  }
  return found;
}

/** The texts of all elements at a path, with commas between them; those without text are left out. */
export const textsAt = (element: XmlElement | undefined, path: string): string =>
  element ? textsBelow(element, stepsOf(path), 0) : '';

/** Without lists of what is found: a note of a thousand items is asked for thirty thousand texts, of which most are not there. */
function textsBelow(element: XmlElement, steps: readonly string[], at: number): string {
  if (at === steps.length) return ownText(element);
  const name = steps[at];
  let found = '';
  for (const each of element.children) {
    if (typeof each === 'string' || each.children === undefined || each.name !== name) continue;
    const more = textsBelow(each, steps, at + 1);
    if (more !== '') found = found === '' ? more : `${found}, ${more}`;
  }
  return found;
}

/** The child elements of an element. */
export const elementsIn = (element: XmlElement | undefined): XmlElement[] =>
  element?.children.filter(isElement) ?? [];

/** The text at a path, without surrounding white space; '' without one. A last step of `@name` is an attribute. */
export function text(element: XmlElement | undefined, path: string): string {
  const at = path.indexOf('@');
  const owner = at === 0 ? element : child(element, at < 0 ? path : path.slice(0, at - 1));
  if (!owner) return '';
  return at < 0 ? ownText(owner) : attribute(owner, path.slice(at + 1));
}

export const attribute = (element: XmlElement, name: string): string =>
  element.attributes.find((each) => each.name === name)?.value.trim() ?? '';

/** The text of an element without that of the elements in it. */
export function ownText(element: XmlElement): string {
  element.isRead = true;
  return rawText(element);
}

/** The text of the first child element whose name is of a kind, such as the key of any model. */
export function textByName(element: XmlElement, name: RegExp): string {
  const found = elementsIn(element).find((each) => name.test(each.name));
  return found ? ownText(found) : '';
}

export function rawText({ children: inner }: XmlElement): string {
  let found = '';
  for (const each of inner) if (typeof each === 'string') found += each;
  return found.trim();
}

/** The first of these texts that is not empty. */
export const firstText = (element: XmlElement | undefined, ...paths: readonly string[]): string => {
  for (const path of paths) {
    const found = text(element, path);
    if (found !== '') return found;
  }
  return '';
};

/** Calls a function with an element and all below it, in the order of the file. */
export function forEachElement(element: XmlElement, call: (each: XmlElement) => void): void {
  call(element);
  for (const each of element.children) if (isElement(each)) forEachElement(each, call);
}
