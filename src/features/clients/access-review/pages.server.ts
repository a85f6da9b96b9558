import { ROLE_NAMES } from '#features/clients/directory/roles.ts';
import type { Actor } from '#features/base/people/people.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { csvOf, csvSeparator } from '#platform/tabular/csv-writer.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { AccessReview, ReviewItem } from './access-review.ts';
import {
  decide,
  listItems,
  listReviews,
  planOf,
  reviewOf,
  setPlan,
  startReview,
} from './access-review.server.ts';
import { planForm } from './forms.server.ts';
import { itemList } from './lists.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

/** The page of all reviews: how often the firm reviews, and the reviews themselves. */
export async function reviewsPage(page: Page) {
  const { lang, locale, pathTo, session, timeZone } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'access-review');
  const response = await useActions(page, {
    start: async () => ({ to: pathTo(`staff/access-review/${await startReview(actor)}`) }),
  });
  if (response) return response;
  const { interval, startsAt } = await planOf(actor);
  const form = await useForm(page, planForm, {
    values: { interval },
    submit: async (plan) => {
      await setPlan(actor, plan);
      return {
        to: pathTo('staff/access-review'),
        flash: { type: 'success', namespace: 'access-review', key: 'planSaved' },
      };
    },
  });
  if (form instanceof Response) return form;
  const reviews = await listReviews(actor);
  return {
    form,
    reviews,
    next: interval === '0' ? t('noNext') : t('next', { date: formatDate(locale, startsAt, timeZone) }),
    hasOpen: reviews.some(({ finishedAt }) => finishedAt === undefined),
    stateOf: (review: AccessReview) => stateOf(page.locals, review),
  };
}

/** How far a review is, in a sentence. */
function stateOf(
  { lang, locale, timeZone }: Pick<App.Locals, 'lang' | 'locale' | 'timeZone'>,
  { dueAt, finishedAt, total, decided, removed }: AccessReview,
): string {
  const t = translationsFor(lang, 'access-review');
  if (finishedAt !== undefined)
    return t('isFinished', { date: formatDate(locale, finishedAt, timeZone), total, removed });
  return t('isOpen', { date: formatDate(locale, dueAt, timeZone), total, decided });
}

/** The page of a review: its accesses, to confirm or remove them. */
export async function reviewPage(page: Page, reviewId: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const list = useList(page, itemList);
  const here = page.url.pathname + page.url.search;
  const decided = async (numbers: readonly number[], decision: 'confirmed' | 'removed') => {
    const { done, refused } = await decide(session, reviewId, numbers, decision);
    const type = refused > 0 ? 'warning' : 'success';
    const key = refused > 0 ? 'someRefused' : decision === 'confirmed' ? 'confirmedNow' : 'removedNow';
    return {
      to: here,
      flash: { type, namespace: 'access-review', key, vars: { count: refused > 0 ? refused : done } },
    } as const;
  };
  const chosen = (form: FormData): number[] => form.getAll('number').map(Number);
  const response = await useActions(
    page,
    {
      confirm: (value, form) => decided(value === 'chosen' ? chosen(form) : [Number(value)], 'confirmed'),
      confirmPage: (_, form) => decided(form.getAll('listed').map(Number), 'confirmed'),
      remove: (value, form) => decided(value === 'chosen' ? chosen(form) : [Number(value)], 'removed'),
    },
    ({ code }) => (code === 'STEP_UP' ? { to: confirmPath(lang, here) } : undefined),
  );
  if (response) return response;
  const review = await reviewOf(actor, reviewId);
  const { show } = list.query;
  const shown = show === 'print' ? undefined : list.query;
  const { items, total, pageSize } = await listItems(actor, reviewId, shown);
  return {
    review,
    state: stateOf(page.locals, review),
    items,
    pager: shown && list.pager(total, pageSize),
    show,
    allUrl: list.urlFor({ show: 'all' }),
    openUrl: list.urlFor({ show: 'open' }),
    printUrl: list.urlFor({ show: 'print' }),
    fileUrl: pathTo(`staff/access-review/${reviewId}/review.csv`),
    accessOf: (item: ReviewItem) => accessOf(lang, item),
  };
}

/** What the person has access to, in words. */
function accessOf(lang: Lang, { client, role, hasAllClients }: ReviewItem): string {
  if (role === undefined) return client ?? '';
  const [t, d] = [translationsFor(lang, 'access-review'), translationsFor(lang, 'directory')];
  return t(hasAllClients ? 'roleAll' : 'roleAssigned', { role: d(ROLE_NAMES[role]) });
}

/** A review with all of its decisions as a file; times in UTC. */
export async function reviewFile(actor: Actor, lang: Lang, reviewId: string): Promise<Response> {
  const { items } = await listItems(actor, reviewId);
  const t = translationsFor(lang, 'access-review');
  const isoOf = (instant: number | undefined): string =>
    instant === undefined ? '' : new Date(instant).toISOString();
  const header = [
    t('columnPerson'),
    t('columnAccess'),
    t('columnSeen'),
    t('columnDecision'),
    t('columnBy'),
    t('columnAt'),
  ];
  const rows = items.map((item) => [
    item.person,
    accessOf(lang, item),
    isoOf(item.seenAt),
    item.decision === undefined ? '' : t(item.decision),
    item.decidedBy,
    isoOf(item.decidedAt),
  ]);
  return new Response(csvOf(header, rows, csvSeparator(lang)), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="access-review.csv"`,
      'Cache-Control': 'no-store',
    },
  });
}
