import { z } from 'zod';
import type { Session } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { defineList, useList } from '#platform/forms/lists.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { dismissDuplicate, listPossibleDuplicates } from './possible-duplicates.server.ts';

interface Page {
  url: URL;
  request: Request;
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

const duplicatesList = defineList('records', {
  schema: z.object({ after: z.string().optional() }),
  position: 'after',
});

/** The button of a pair that says that its clients are not the same; it leads back to the page `to`. */
export const dismissal =
  ({ actor }: Session, to: string) =>
  async (pair: string): Promise<Destination> => {
    const { older, newer } = await dismissDuplicate(actor, pair);
    const vars = { older: older.name, newer: newer.name };
    return { to, flash: { type: 'success', namespace: 'records', key: 'dismissed', vars } };
  };

/** The clients that may exist twice. */
export async function duplicatesPage(page: Page) {
  const { lang, session } = page.locals;
  const response = await useActions(page, {
    dismiss: dismissal(session, page.url.pathname + page.url.search),
  });
  if (response) return response;
  const { query, urlFor } = useList(page, duplicatesList);
  const { pairs, next } = await listPossibleDuplicates(session.actor, query.after);
  const t = translationsFor(lang, 'records');
  const pager = {
    label: t('duplicatesTitle'),
    previousLabel: t('firstDuplicates'),
    nextLabel: t('nextDuplicates'),
    previousUrl: query.after === undefined ? undefined : urlFor(),
    nextUrl: next === undefined ? undefined : urlFor({ after: next }),
  };
  const isOnePage = pager.previousUrl === undefined && pager.nextUrl === undefined;
  return { pairs, pager: isOnePage ? undefined : pager };
}

/** The link to the list. */
export function duplicatesLink({ locals: { lang, pathTo } }: Page) {
  const label = translationsFor(lang, 'records')('duplicatesTitle');
  return { label, href: pathTo('staff/clients/duplicates'), icon: 'layers' as const };
}
