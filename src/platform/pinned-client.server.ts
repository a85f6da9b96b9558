/**
 * A tab whose address names its client (`?client=`) keeps it: whoever opens two tabs sees two clients, also with scripts off (product.md,
 * Session and sign-in). Every link and every form that asks for a page of the portal is given the client, unless it names one itself.
 */
export function keepClient(html: string, clientId: string, home: string): string {
  return html.replaceAll(/<(a|form)\s[^<>]*>/g, (tag, name: string) => (name === 'a' ? inLink(tag, clientId, home) : inForm(tag, clientId, home)));
}

/** The address of a page with the client; every other address as it is. Both as they stand in the header or in the markup. */
export function withClient(address: string, clientId: string, home: string, and = '&'): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const isOfPages = path.startsWith(home) || (path === '' && query !== '');
  if (!isOfPages || path.startsWith(`${home}auth`) || /[?&;]client=/.test(query)) return address;
  return `${path}${query === '' ? '?' : `${query}${and}`}client=${encodeURIComponent(clientId)}${fragment}`;
}

const LINKS = /(?<=\s(?:href|hx-get|hx-push-url)=")[^"]*(?=")/g;

const inLink = (tag: string, clientId: string, home: string): string => tag.replaceAll(LINKS, (address) => withClient(address, clientId, home, '&amp;'));

/** A form that asks writes its own query, so the client travels as a field; one that posts keeps the address that it has. */
function inForm(tag: string, clientId: string, home: string): string {
  const action = /\saction="([^"]*)"/.exec(tag)?.[1] ?? '';
  const asks = !/\smethod="post"/i.test(tag);
  return asks && (action === '' || action.startsWith(home)) ? `${tag}<input type="hidden" name="client" value="${encodeURIComponent(clientId)}">` : tag;
}
