/**
 * Keeps a tab on the client named by its URL (`?client=`), so that two tabs can show two clients, even
 * without scripts (product.md, Session and sign-in). Adds the client to every link, form and button for a
 * page of the portal that does not name one itself.
 */
export function pinClientToLinks(html: string, clientId: string, home: string): string {
  return html.replaceAll(/<(a|form|button|input)\s[^<>]*>/g, (tag, name: string) =>
    name === 'form' ? pinForm(tag, clientId, home) : pinUrls(tag, clientId, home),
  );
}

/** Pages where the account or the person changes, which drop the client. */
const UNPINNED_PAGES = ['auth', 'account-switch'];

/**
 * Adds the client to the URL of a portal page; other URLs stay as they are. `and` is the separator, escaped
 * in markup.
 */
export function withClient(address: string, clientId: string, home: string, and = '&'): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const isOfPages = path.startsWith(home) || (path === '' && query !== '');
  if (!isOfPages || UNPINNED_PAGES.some((page) => path.startsWith(home + page)) || /[?&;]client=/.test(query))
    return address;
  return `${path}${query === '' ? '?' : `${query}${and}`}client=${encodeURIComponent(clientId)}${fragment}`;
}

const ADDRESSES = /(?<=\s(?:href|action|formaction|data-hx-get|data-hx-push-url)=")[^"]*(?=")/g;

const pinUrls = (tag: string, clientId: string, home: string): string =>
  tag.replaceAll(ADDRESSES, (address) => withClient(address, clientId, home, '&amp;'));

/**
 * A GET form replaces the query, so the client becomes a hidden field; a POST form keeps it in its action.
 */
function pinForm(tag: string, clientId: string, home: string): string {
  if (/\smethod="post"/i.test(tag)) return pinUrls(tag, clientId, home);
  const action = /\saction="([^"]*)"/.exec(tag)?.[1] ?? '';
  const targetsPortal = action === '' || action.startsWith(home);
  return targetsPortal
    ? `${tag}<input type="hidden" name="client" value="${encodeURIComponent(clientId)}">`
    : tag;
}
