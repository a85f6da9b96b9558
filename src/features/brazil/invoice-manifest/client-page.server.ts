import { findAction } from '#features/base/actions/actions.ts';
import { useGrid } from '#features/base/grids/grid-page.server.ts';
import { selectedIds } from '#features/base/grids/selection.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { seesCertificates } from '#features/brazil/digital-certificates/access.server.ts';
import { certificateWarning } from '#features/brazil/digital-certificates/certificate-page.server.ts';
import { taxAuthority } from '#features/brazil/tax-authority/current.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { reviewsInvoices } from './access.server.ts';
import { idsOfClient, invoiceGrid, QUICK_EVENTS, VIEWS } from './grids.server.ts';
import { askedAbout } from './asking.server.ts';
import { markInvoice, withEach } from './intents.server.ts';
import { MAX_AT_ONCE, type Decided } from './invoice-manifest.ts';
import { AUTHORITY_ZONE } from './rules.ts';

export interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: {
    lang: Lang;
    session: Session;
    pathTo: PathTo;
    client: Promise<{ id: string; displayAs: string } | undefined>;
  };
}

export const PAGE = 'actions/nfe-manifest/invoice-processing';

export const isOpen = ({ locals: { session } }: Pick<Page, 'locals'>): boolean =>
  findAction(session.actor.access, 'nfe-manifest', 'invoice-processing')?.isOpen === true;

export const destination = (
  to: string,
  type: 'success' | 'danger',
  key: KeysOf<'invoice-manifest'>,
  vars: Record<string, string | number> = {},
): Destination => ({ to, flash: { type, namespace: 'invoice-manifest', key, vars } });

/** The invoices that others issued to the active client, and what can be done with the selected ones. */
export async function invoicesPage(page: Page) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await page.locals.client;
  if (!client) return { client };
  const pressed = await useActions(page, actionsOf(page, client.id));
  if (pressed) return pressed;
  const t = translationsFor(lang, 'invoice-manifest');
  const grid = await useGrid(page, invoiceGrid, { views: { field: 'view', first: 'open' } });
  if (grid instanceof Response) return grid;
  const current = grid.query.fields['view'] || 'all';
  return {
    client,
    grid: {
      ...grid,
      empty: current === 'open' && !isFilteredFurther(grid.query.fields) ? t('openEmpty') : grid.empty,
    },
    isReviewer: reviewsInvoices(actor),
    authority: await authoritySentences(page, client.id),
    chips: VIEWS.map((view) => ({
      text: t(`view_${view}`),
      href: pathTo(PAGE, { view }),
      isCurrent: current === view,
    })),
  };
}

/** What people should know about the authority: the certificate, and when it is asked for new invoices. */
async function authoritySentences(
  { locals: { lang, session, pathTo } }: Page,
  clientId: string,
): Promise<{ warning: string | undefined; asked: string | undefined; certificateUrl: string } | undefined> {
  if (!taxAuthority() || !seesCertificates(session.actor)) return undefined;
  const asked = (await askedAbout([clientId])).get(clientId);
  const t = translationsFor(lang, 'invoice-manifest');
  const time = (at: number): string => formatMoment(LANGUAGES[lang], at, AUTHORITY_ZONE);
  return {
    warning: await certificateWarning(lang, session, clientId),
    asked: asked && t('asked', { at: time(asked.at), next: time(asked.nextAt) }),
    certificateUrl: pathTo(
      session.actor.staff
        ? `staff/clients/${clientId}/digital-certificate`
        : 'actions/nfe-manifest/digital-certificate',
    ),
  };
}

const isFilteredFurther = (fields: Readonly<Record<string, string>>): boolean =>
  Object.entries(fields).some(([name, value]) => name !== 'view' && value !== '');

/** The buttons of rows and of the selection. The mark can be withdrawn until somebody accepts it. */
function actionsOf({ url, locals: { session } }: Page, clientId: string) {
  const { actor } = session;
  const to = url.pathname + url.search;
  const mark = (event: (typeof QUICK_EVENTS)[number], ids: readonly string[]): Promise<Decided> =>
    withEach(ids, (id) => markInvoice(actor, { id, event, justification: '' }));
  const actions: Record<string, (value: string, form: FormData) => Promise<Destination>> = {};
  for (const event of QUICK_EVENTS) {
    actions[`mark-${event}`] = async (id) => outcome(to, await mark(event, [id]));
    actions[`do=${event}`] = async (_, form) => {
      const ids: string[] = [];
      for await (const some of selectedIds(invoiceGrid, actor, form))
        ids.push(...(await idsOfClient(some, clientId)));
      if (ids.length === 0) return destination(to, 'danger', 'chooseFirst');
      if (ids.length > MAX_AT_ONCE) return destination(to, 'danger', 'tooMany', { most: MAX_AT_ONCE });
      return outcome(to, await mark(event, ids));
    };
  }
  return actions;
}

/** What became of marks: how many there are, and how many were not possible. */
function outcome(to: string, { done, refused }: Decided): Destination {
  const [count, others] = [done.length, refused.length];
  if (count === 0) return destination(to, 'danger', 'noneMarked');
  return others === 0
    ? destination(to, 'success', 'marked', { count })
    : destination(to, 'success', 'markedSome', { count, others });
}
