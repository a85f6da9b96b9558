import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { formatMoment, formatNumber, formatSize } from '#platform/text/formats.ts';
import { refreshWhile } from '#platform/http/refresh.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { isAtWork, type DataExport } from './data-exports.ts';
import { listDataExports, mayExport, removeDataExport, startDataExport } from './data-exports.server.ts';

interface Page {
  request: Request;
  url: URL;
  response: { headers: Headers };
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone'>;
}

/**
 * The page of the exports: what can be exported, which is a client if the address names one in `id`, and the earlier
 * ones. While one is at work the page refreshes itself.
 */
export async function dataExportsPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const id = page.url.searchParams.get('id');
  const here = pathTo('staff/data-exports', { id: id ?? undefined });
  const refused = (key: 'oneAtATime' | 'noSpace' | 'tooMany') =>
    ({ to: here, flash: { type: 'danger', namespace: 'data-exports', key } }) as const;
  const response = await useActions(
    page,
    {
      start: async (scope) => {
        await startDataExport(session, scope === 'firm' ? null : scope, lang);
        return {
          to: pathTo('staff/data-exports'),
          flash: { type: 'success', namespace: 'data-exports', key: 'started' },
        };
      },
      remove: async (exportId) => {
        await removeDataExport(actor, exportId);
        return {
          to: pathTo('staff/data-exports'),
          flash: { type: 'success', namespace: 'data-exports', key: 'removed' },
        };
      },
    },
    ({ code }) =>
      code === 'STEP_UP'
        ? { to: confirmPath(lang, here) }
        : code === 'LOCKED'
          ? refused('oneAtATime')
          : code === 'QUOTA'
            ? refused('noSpace')
            : code === 'TOO_MANY'
              ? refused('tooMany')
              : undefined,
  );
  if (response) return response;
  const client = id === null ? undefined : await clientRecord(actor, id);
  const exports = await listDataExports(actor);
  const current = exports.find(({ state }) => isAtWork(state));
  refreshWhile(current !== undefined, page);
  return {
    client,
    isRecent: isRecentlyAuthenticated(session),
    maySeeFirm: mayExport(actor, null),
    current,
    earlier: exports.filter(({ state }) => !isAtWork(state)),
    describe: (one: DataExport) => describe(page, one),
  };
}

/** The sentences about an export: its progress, or how it ended. */
function describe(
  { locals: { lang, locale, timeZone } }: Page,
  { state, problem, written, total, size, omitted, expiresAt }: DataExport,
): string[] {
  const t = translationsFor(lang, 'data-exports');
  const sizes = { written: formatSize(locale, written), total: formatSize(locale, total) };
  if (state === 'waiting') return [t('isWaiting')];
  if (state === 'building') return [t('isBuilding', sizes)];
  if (state === 'failed')
    return [
      t(problem === 'QUOTA' ? 'failedSpace' : problem === 'FORBIDDEN' ? 'failedRights' : 'failedOther'),
    ];
  if (state === 'cancelled') return [t('isCancelled')];
  if (state === 'expired') return [t('isRemoved')];
  const moment = formatMoment(locale, expiresAt ?? 0, timeZone);
  return [
    t('isReady', { size: formatSize(locale, size), moment }),
    ...(omitted > 0 ? [t('omitted', { count: omitted, number: formatNumber(locale, omitted) })] : []),
  ];
}
