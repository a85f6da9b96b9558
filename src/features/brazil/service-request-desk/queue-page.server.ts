import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import { isReadOnly, type Actor, type Session } from '#features/base/people/people.ts';
import { listStaff } from '#features/base/people/staff.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { beginBatch, prepareBatch } from './batches.server.ts';
import { DESK_ACTIONS, MAX_BATCH, type DeskAction } from './desk.ts';
import { NOBODY, QUEUE_VIEWS, queueGrid, TYPE_OPTIONS } from './queue-grid.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The requests of all clients: at first what the firm has to do now. */
export async function queuePage(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'service-request-desk');
  const done = await useActions(page, {
    remind: (id: string) => prepareFor(page, 'remind', [id]),
    ...Object.fromEntries(
      DESK_ACTIONS.map((action) => [
        `do=${action}`,
        (_: string, form: FormData) => prepare(page, action, form),
      ]),
    ),
  });
  if (done) return done;
  const grid = await useGrid(page, queueGrid, {
    views: { field: 'view', first: 'open' },
    choices: {
      type: typeChoices(lang),
      responsible: await responsibleChoices(actor, lang),
    },
  });
  if (grid instanceof Response) return grid;
  const current = grid.query.fields['view'] || 'all';
  return {
    grid: { ...grid, empty: grid.isFiltered ? grid.empty : t(EMPTY[current] ?? 'noneFound') },
    mayChange: !isReadOnly(actor),
    canExportAll: !isReadOnly(actor) && grid.answer.total > 0 && grid.query.groupBy.length === 0,
    chips: QUEUE_VIEWS.map((view) => ({
      text: t(`view_${view}`),
      href: pathTo('staff/service-requests', { view }),
      isCurrent: current === view,
    })),
  };
}

/** What the list says without rows: in a view that has nothing, there may be requests elsewhere. */
const EMPTY: Partial<Record<string, 'noRequests' | 'noOpenRequests'>> = {
  all: 'noRequests',
  open: 'noOpenRequests',
};

async function prepare(page: Page, action: DeskAction, form: FormData): Promise<Destination> {
  const ids: string[] = [];
  for await (const some of selectedIds(queueGrid, page.locals.session.actor, form)) {
    ids.push(...some);
    if (ids.length > MAX_BATCH) break;
  }
  return prepareFor(page, action, ids);
}

/** Requests are taken on right away, which can be undone; the other actions are confirmed on a page of their own. */
async function prepareFor(
  { url, locals: { session, pathTo } }: Page,
  action: DeskAction,
  ids: readonly string[],
): Promise<Destination> {
  const { actor } = session;
  try {
    const batchId = await prepareBatch(actor, action, ids);
    if (action === 'take') await beginBatch(actor, batchId);
    return { to: pathTo(`staff/service-requests/batches/${batchId}`) };
  } catch (error) {
    const code = refusal(error)?.code;
    if (code !== 'EMPTY' && code !== 'TOO_LARGE') throw error;
    return {
      to: url.pathname + url.search,
      flash: {
        type: 'danger',
        namespace: 'service-request-desk',
        key: code === 'EMPTY' ? 'chooseFirst' : 'tooMany',
      },
    };
  }
}

const typeChoices = (lang: Lang): Choice[] => [
  { value: '', text: translationsFor(lang, 'service-request-desk')('all') },
  ...TYPE_OPTIONS.map(([value, label]) => ({ value, text: translate(lang, label) })),
];

/** By whom the requests are filtered: the staff, also the suspended, who may have left some, and nobody. */
async function responsibleChoices({ companyId }: Actor, lang: Lang): Promise<Choice[]> {
  const t = translationsFor(lang, 'service-request-desk');
  const staff = await listStaff(companyId);
  return [
    { value: '', text: t('all') },
    { value: NOBODY, text: t('nobody') },
    ...staff.map(({ contact_id: value, full_name: text }) => ({ value, text })),
  ];
}
