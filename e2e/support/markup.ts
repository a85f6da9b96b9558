import { HtmlValidate } from 'html-validate';

/**
 * The HTML rules of html-validate, including errors that parsers forgive. Turned off: style rules, and
 * `autocomplete` values of webauthn, which the standard allows.
 */
const checker = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard'],
  elements: [
    'html5',
    {
      'astro-island': { flow: true, phrasing: true, transparent: true },
      'astro-slot': { flow: true, phrasing: true, transparent: true },
    },
  ],
  rules: { 'no-dup-id': 'error', 'no-unknown-elements': 'error' },
});

/**
 * Violations of the HTML standard in a page as served, as `line:column rule: message`; empty if there are
 * none.
 */
export async function markupProblems(html: string): Promise<string[]> {
  const { results } = await checker.validateString(html);
  const broken = results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${line}:${column} ${ruleId}: ${message}`),
  );
  return [...strayElements(html), ...inventedAttributes(html), ...broken];
}

/** htmx attributes without `data-`, which the standard does not allow. */
function inventedAttributes(html: string): string[] {
  return [...new Set(html.match(/(?<=<[^<>]*\s)hx-[\w:-]+(?==)/g))].map(
    (name) => `attribute ${name}: write data-${name}`,
  );
}

/**
 * Elements after the end of the document, which parsers move into the body before a tree-based check sees
 * them.
 */
function strayElements(html: string): string[] {
  const rest = html.slice(html.lastIndexOf('</html>') + '</html>'.length);
  return /<\w/.test(rest) ? [`after </html>: ${rest.trim().slice(0, 80)}`] : [];
}
