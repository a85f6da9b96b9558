import { COMMENT, isElement, isEmpty, type XmlAttribute, type XmlElement } from '../xml.server.ts';

/*
 * Canonical XML of an element, in the forms that signatures of fiscal documents use: Canonical XML 1.0
 * (https://www.w3.org/TR/2001/REC-xml-c14n-20010315), and Exclusive Canonical XML of the national NFS-e
 * (https://www.w3.org/TR/2002/REC-xml-exc-c14n-20020718), without prefixes to include.
 */

const XML_URI = 'http://www.w3.org/XML/1998/namespace';
type Scope = Readonly<Record<string, string>>;

/** A method of canonicalization. */
export interface Method {
  /** Whether only namespaces are declared that an element itself uses. */
  isExclusive: boolean;
  hasComments: boolean;
}
export const INCLUSIVE: Method = { isExclusive: false, hasComments: false };

export interface Canonical {
  method?: Method;
  /** An element that is left out. */
  omitted?: XmlElement | undefined;
  /** The element that the file is taken to begin with: what is declared above it does not count. */
  outermost?: XmlElement | undefined;
  /** Whether blanks between elements are left out, which programs and editors add to make a file readable. */
  isCompact?: boolean;
}

/** Writes an element in canonical form. */
export function canonical(
  apex: XmlElement,
  { method = INCLUSIVE, omitted, outermost, isCompact = false }: Canonical = {},
): string {
  const { scope, inherited } = contextOf(apex, outermost);
  const extra = method.isExclusive ? [] : inherited;
  const writing = { method, omitted, isCompact, text: '' };
  write(apex, { scope, rendered: {}, extra }, writing);
  return writing.text;
}

/** The namespaces in scope around an element, and the attributes of `xml:` that it inherits. */
export function contextOf(
  apex: XmlElement,
  outermost: XmlElement | undefined,
): { scope: Scope; inherited: XmlAttribute[] } {
  const scope: Record<string, string> = {};
  const inherited = new Map<string, XmlAttribute>();
  for (const each of ancestorsOf(apex, outermost)) {
    Object.assign(scope, each.declared);
    for (const attribute of each.attributes)
      if (attribute.uri === XML_URI) inherited.set(attribute.name, attribute);
  }
  for (const { uri, name } of apex.attributes) if (uri === XML_URI) inherited.delete(name);
  return { scope, inherited: [...inherited.values()] };
}

/** The elements above one, outermost first. */
function ancestorsOf(element: XmlElement, outermost: XmlElement | undefined): XmlElement[] {
  const found: XmlElement[] = [];
  for (let at = element; at !== outermost && at.parent; at = at.parent) found.unshift(at.parent);
  return found;
}

/** Tells whether an element has blanks between elements anywhere. */
export function hasBlanks(element: XmlElement): boolean {
  const has = element.children.some(isElement);
  return element.children.some((each) =>
    typeof each === 'string' ? has && BLANK.test(each) : isElement(each) && hasBlanks(each),
  );
}

/** What is around an element. */
interface Around {
  scope: Scope;
  /** The namespaces that the elements around it have written. */
  rendered: Scope;
  extra: readonly XmlAttribute[];
}

interface Writing {
  method: Method;
  omitted: XmlElement | undefined;
  isCompact: boolean;
  /** What is written so far. */
  text: string;
}

function write(element: XmlElement, { scope, rendered, extra }: Around, writing: Writing): void {
  const { method, omitted, isCompact } = writing;
  const inScope = isEmpty(element.declared) ? scope : { ...scope, ...element.declared };
  // Most elements of inclusive forms declare nothing more than those around them.
  const added =
    inScope === rendered
      ? NONE
      : prefixesOf(element, inScope, method).filter(
          (prefix) => inScope[prefix] !== undefined && inScope[prefix] !== (rendered[prefix] ?? ''),
        );
  const name = element.prefix === '' ? element.name : `${element.prefix}:${element.name}`;
  writing.text += `<${name}`;
  for (const prefix of added.length < 2 ? added : added.toSorted(byCodePoint))
    writing.text += `${prefix === '' ? ' xmlns' : ` xmlns:${prefix}`}="${escaped(inScope[prefix] ?? '', IN_ATTRIBUTE)}"`;
  writing.text += attributesText(extra.length === 0 ? element.attributes : [...element.attributes, ...extra]);
  writing.text += '>';
  const skipsBlanks = isCompact && element.children.some(isElement);
  let within: Around | undefined; // most elements have no other in them
  for (const child of element.children) {
    if (typeof child === 'string')
      writing.text += skipsBlanks && BLANK.test(child) ? '' : escaped(child, IN_TEXT);
    else if (!isElement(child)) writing.text += instructionText(child, method);
    else if (child !== omitted) {
      within ??= aroundIn({ scope: inScope, rendered, added }, method);
      write(child, within, writing);
    }
  }
  writing.text += `</${name}>`;
}

/** What is around the elements in one that has written these prefixes. */
function aroundIn(
  { scope, rendered, added }: { scope: Scope; rendered: Scope; added: readonly string[] },
  { isExclusive }: Method,
): Around {
  if (!isExclusive) return { scope, rendered: scope, extra: NO_ATTRIBUTES };
  const own = Object.fromEntries(added.map((prefix) => [prefix, scope[prefix] ?? '']));
  return { scope, rendered: { ...rendered, ...own }, extra: NO_ATTRIBUTES };
}

/** The prefixes that an element may have to declare: of all namespaces in scope, or of those that it uses. */
function prefixesOf(element: XmlElement, inScope: Scope, { isExclusive }: Method): string[] {
  const all = isExclusive
    ? [element.prefix, ...element.attributes.map(({ prefix }) => prefix).filter(Boolean)]
    : Object.keys(inScope);
  return [...new Set(all)].filter((prefix) => prefix !== 'xml' && prefix !== 'xmlns');
}

function attributesText(attributes: readonly XmlAttribute[]): string {
  const sorted =
    attributes.length < 2
      ? attributes
      : attributes.toSorted((a, b) => byCodePoint(a.uri, b.uri) || byCodePoint(a.name, b.name));
  let found = '';
  for (const { prefix, name, value } of sorted)
    found += ` ${prefix === '' ? name : `${prefix}:${name}`}="${escaped(value, IN_ATTRIBUTE)}"`;
  return found;
}

function instructionText(
  { target, body }: { target: string; body: string },
  { hasComments }: Method,
): string {
  if (target === COMMENT) return hasComments ? `<!--${body}-->` : '';
  return body === '' ? `<?${target}?>` : `<?${target} ${body}?>`;
}

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const NONE: readonly string[] = [];
const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const BLANK = /^[\t\n\r ]*$/;
const IN_TEXT = /[&<>\r]/g;
const IN_ATTRIBUTE = /[&<"\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};
const escaped = (text: string, characters: RegExp): string =>
  text.search(characters) < 0
    ? text
    : text.replace(characters, (character) => ESCAPES[character] ?? character);
