/*
 * Markup as text, for what a page has hundreds of: as components, a hundred rows of a table are thousands of objects
 * (docs/decisions/0076). Everything else is written in .astro files.
 */

/** Markup in which every value is escaped. Only {@link markup} makes it. */
class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}
export type { Markup };

type Value = string | number | Markup | readonly Markup[] | false | undefined;

/** Writes markup: a template whose values are escaped, unless they are markup themselves. Quote attributes. */
export function markup(texts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let html = texts[0] ?? '';
  for (let i = 0; i < values.length; i += 1) html += htmlOf(values[i]) + (texts[i + 1] ?? '');
  return new Markup(html);
}

/** Writes attributes with a space before each; those without a value are left out, true ones have only a name. */
export function attributes(named: Readonly<Record<string, string | boolean | undefined>>): Markup {
  let html = '';
  for (const [name, value] of Object.entries(named))
    if (value === true) html += ` ${name}`;
    else if (value !== undefined && value !== false) html += ` ${name}="${escaped(value)}"`;
  return new Markup(html);
}

function htmlOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Markup) return value.html;
  return value.map(({ html }) => html).join('');
}

const SPECIAL = /[&<>"']/g;
const REFERENCES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  text.replace(SPECIAL, (character) => REFERENCES[character] ?? character);
