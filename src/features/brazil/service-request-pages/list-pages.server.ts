import type { Actor } from '#features/base/people/people.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Page } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Column } from '#ui/table/table.ts';
import { visibleTypes } from '#features/brazil/service-requests/access.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { countsByCategory, listRequests } from '#features/brazil/service-requests/listing.server.ts';
import { requestList } from './lists.server.ts';
import {
  CATEGORIES,
  inCategory,
  PAGE,
  requestQuery,
  type Category,
  type ListedRequest,
} from '#features/brazil/service-requests/service-requests.ts';
import { settingsOf } from '#features/brazil/service-requests/settings.server.ts';
import { stateForClient } from './status.server.ts';

interface ListPage extends Page {
  url: URL;
  locals: Page['locals'] & { session: { actor: Actor }; pathTo: PathTo };
}

/** A request in a list, with its page. */
type RequestInList = ListedRequest & { href: string };

export const requestPage = (id: string): string => `actions/service-request/requests/${id}`;

/** The requests of a client, by category. */
export async function requestsPage(page: ListPage, clientId: string) {
  const { lang, session, pathTo } = page.locals;
  const { query, pager, filter } = useList(page, requestList);
  const counts = await countsByCategory(session.actor, { clientId });
  const { items, totalItems } = await listRequests(
    session.actor,
    requestQuery.parse({ clientId, category: query.category, startIndex: query.from, itemsPerPage: PAGE }),
  );
  const choices = categoryChoices(counts, visibleTypes(session.actor), lang);
  return {
    rows: items.map((item) => ({ ...item, href: pathTo(requestPage(item.id)) })),
    columns: clientColumns(lang),
    filter: filter({ count: totalItems }, { category: choices }),
    pager: pager(totalItems, PAGE),
    isEmpty: counts.all === 0,
  };
}

/** Categories with how many requests they have; those of kinds that the reader does not have are left out. */
function categoryChoices(
  counts: Readonly<Record<Category, number>>,
  types: readonly RequestType[],
  lang: Lang,
): Choice[] {
  const t = translationsFor(lang, 'service-requests');
  return CATEGORIES.filter((category) => {
    const { type } = inCategory(category);
    return type === undefined || types.includes(type);
  }).map((category) => ({
    value: category,
    text: t('categoryCount', {
      category: t(`category_${category}`),
      number: formatNumber(LANGUAGES[lang], counts[category]),
    }),
  }));
}

const typeText = (lang: Lang, type: RequestType): string =>
  translationsFor(lang, 'service-requests')(`type_${type}`);

/** What the tables of both sides begin with. */
function firstColumns(lang: Lang): Column<RequestInList>[] {
  const t = translationsFor(lang, 'service-requests');
  return [
    {
      key: 'number',
      label: t('columnNumber'),
      text: ({ number }) => number,
      href: ({ href }) => href,
      isRowHeader: true,
      isShort: true,
    },
    { key: 'type', label: t('columnType'), text: ({ type }) => typeText(lang, type), isPlain: true },
    { key: 'about', label: t('columnAbout'), text: ({ about }) => about || '-', textStyle: 'person' },
  ];
}

function clientColumns(lang: Lang): Column<RequestInList>[] {
  const t = translationsFor(lang, 'service-requests');
  return [
    ...firstColumns(lang),
    {
      key: 'state',
      label: t('columnState'),
      text: (row) => stateForClient(row, lang),
      textStyle: 'phrase',
      isPlain: true,
    },
    {
      key: 'changed',
      label: t('columnChanged'),
      at: ({ changedAt }) => changedAt,
      textStyle: 'meta',
      isLabelled: true,
    },
  ];
}

/** The requests of a kind, and the button that begins one. */
export async function typePage(page: ListPage, type: RequestType, clientId: string | undefined) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const begun = await useActions(
    page,
    {
      begin: async () => {
        const employeeId = page.url.searchParams.get('employee') ?? undefined;
        const id = await beginRequest(actor, { clientId: clientId ?? '', type, employeeId });
        return { to: pathTo(requestPage(id)) };
      },
    },
    ({ code }) =>
      code === 'CLOSED'
        ? {
            to: page.url.pathname + page.url.search,
            flash: { type: 'danger', namespace: 'service-requests', key: 'typeClosed' },
          }
        : undefined,
  );
  if (begun) return begun;
  const { isOpen } = await settingsOf(actor.companyId, type);
  const category = CATEGORIES.find((each) => inCategory(each).type === type) ?? 'all';
  const { items } = await listRequests(
    actor,
    requestQuery.parse({ clientId, category, itemsPerPage: NEWEST }),
  );
  return {
    isOpen,
    rows: items.map((item) => ({ ...item, href: pathTo(requestPage(item.id)) })),
    columns: clientColumns(lang).filter(({ key }) => key !== 'type'),
  };
}

const NEWEST = 10;
