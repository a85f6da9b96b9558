import { pageOfShortLink, SHORT_LINKS } from '#platform/mail/short-links.server.ts';

/** A text of a mail with the pages that its short links lead to in their place. */
export async function withPages(text = ''): Promise<string> {
  const parts = await Promise.all(
    text.split(/(https?:\/\/[^\s"<>]+)/).map(async (part) => {
      const url = URL.parse(part);
      if (!url?.pathname.startsWith(SHORT_LINKS)) return part;
      const page = await pageOfShortLink(url.pathname);
      return page ? url.origin + page : part;
    }),
  );
  return parts.join('');
}
