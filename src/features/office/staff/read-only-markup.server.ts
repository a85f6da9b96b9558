import { isAllowedWhileViewing, VIEWING_NOTE } from './rules.ts';

/*
 * While staff view as a contact, the controls that write are marked in the page by the server, so that it
 * also holds without scripts (threat-model.md T14). The same rule is in ui/read-only.ts, which marks controls
 * that scripts add later.
 */

type Attributes = ReadonlyMap<string, string>;

/**
 * Marks every control of a page that writes: `aria-disabled`, described by the text of the impersonation bar.
 * A page without that bar, or a fragment, stays unchanged.
 */
export function markWrites(html: string): string {
  if (!html.includes(`id="${VIEWING_NOTE}"`)) return html;
  const forms = formsById(html);
  let form: Attributes | undefined;
  let depth = 0; // of elements within the element marked `data-writes`
  return html.replaceAll(TAGS, (tag: string, slash?: string, name?: string, inside?: string) => {
    if (name === undefined || inside === undefined) return tag;
    if (slash === '/') {
      if (name === 'form') form = undefined;
      if (depth > 0) depth--;
      return tag;
    }
    const attributes = attributesOf(inside);
    if (name === 'form') form = attributes;
    const isInWrites = depth > 0 || attributes.has('data-writes');
    if (isInWrites && !VOID.test(name) && !inside.endsWith('/')) depth++;
    const id = attributes.get('form');
    const owner = id === undefined ? form : forms.get(id);
    return isWriter(name, attributes, { isInWrites, owner }) ? marked(tag, attributes) : tag;
  });
}

/** Comments and raw text elements, or one tag: its slash, name and attributes. */
const TAGS =
  /<!--[\s\S]*?-->|<(?:script|style|textarea|title)\b[\s\S]*?<\/(?:script|style|textarea|title)>|<(\/?)([a-z][\w-]*)([^<>"]*(?:"[^"]*"[^<>"]*)*)>/g;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

function formsById(html: string): Map<string, Attributes> {
  const forms = new Map<string, Attributes>();
  for (const [, slash, name, inside = ''] of html.matchAll(TAGS)) {
    if (slash === '/' || name !== 'form') continue;
    const attributes = attributesOf(inside);
    forms.set(attributes.get('id') ?? '', attributes);
  }
  return forms;
}

const attributesOf = (inside: string): Attributes =>
  new Map(
    [...inside.matchAll(/([^\s"=/]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, value]),
  );

function isWriter(
  name: string,
  attributes: Attributes,
  { isInWrites, owner }: { isInWrites: boolean; owner: Attributes | undefined },
): boolean {
  if (name === 'input') return isInWrites && attributes.get('type') === 'file';
  if (name !== 'button') return false;
  if (isInWrites) return true;
  if ((attributes.get('type') ?? 'submit') !== 'submit') return false;
  const method = attributes.get('formmethod') ?? owner?.get('method') ?? 'get';
  const [path = ''] = (owner?.get('action') ?? '').split(/[?#]/, 1);
  return method.toLowerCase() === 'post' && !(owner && isAllowedWhileViewing(path));
}

function marked(tag: string, attributes: Attributes): string {
  if (attributes.has('aria-disabled')) return tag;
  const described = attributes.get('aria-describedby');
  const bare = described === undefined ? tag : tag.replace(/\saria-describedby="[^"]*"/, '');
  const ids = described === undefined ? VIEWING_NOTE : `${described} ${VIEWING_NOTE}`;
  return bare.replace(/^<[a-z]+/, (start) => `${start} aria-disabled="true" aria-describedby="${ids}"`);
}
