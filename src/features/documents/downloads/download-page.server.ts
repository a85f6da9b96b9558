import { documentAddress } from '#features/documents/documents/addresses.ts';
import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { formatSize } from '#platform/text/formats.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';
import { refreshAfter } from '#platform/http/refresh.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { cancelExport, exportOf, startExport } from './exports.server.ts';
import { MAX_BYTES, MAX_FILES } from './downloads.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number; headers: Headers };
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/**
 * The download that the address names, or why the posted one was not started. The page refreshes itself until the
 * archive is ready, and then fetches it. The answer to its forms starts or cancels one.
 */
export async function downloadPage(page: Page) {
  const { request, url, response, locals } = page;
  const form = request.method === 'POST' ? await formOf(request) : undefined;
  if (form) {
    const problem = await takeForm(page, form);
    if (problem instanceof Response) return problem;
    response.status = 422;
    return { problem, job: undefined };
  }
  const jobId = url.searchParams.get('job');
  const job = jobId === null ? undefined : await exportOf(locals.session.actor, jobId);
  if (job?.jobStatus === 'PENDING') refreshAfter(3, page);
  if (job?.jobStatus === 'SUCCESS')
    response.headers.set('Refresh', `1;url=/api/storage/v1/jobs/${job.jobId}/result`);
  return { problem: undefined, job };
}

/** Does what the form asks: answers where to go on, or why not. */
async function takeForm({ locals }: Page, form: FormData): Promise<Response | string> {
  const { pathTo, session } = locals;
  const { actor } = session;
  const jobUrl = (job: string): string => pathTo('documents/download', { job });
  const value = (name: string): string => String(form.get(name) ?? '');
  if (form.has('cancel')) {
    await cancelExport(actor, value('cancel'));
    return redirectTo(jobUrl(value('cancel')));
  }
  const ids = form.has('again')
    ? (await exportOf(actor, value('again'))).fileIDs
    : [...new Set(form.getAll('id').map(String))].slice(0, MAX_FILES);
  const [only] = ids.length === 1 ? await documentsByIds(actor, ids) : [];
  if (only) return redirectTo(documentAddress(only));
  if (ids.length === 0) return translationsFor(locals.lang, 'exports')('nothingChosen');
  try {
    return redirectTo(jobUrl(await startExport(actor, ids, session)));
  } catch (error) {
    return refused(locals, error);
  }
}

function refused({ lang, pathTo }: Page['locals'], error: unknown): Response | string {
  const t = translationsFor(lang, 'exports');
  switch (refusal(error)?.code) {
    case 'STEP_UP':
      return redirectTo(confirmPath(lang, pathTo('documents'), 'downloads'));
    case 'TOO_LARGE':
      return t('tooLarge', { size: formatSize(LANGUAGES[lang], MAX_BYTES) });
    case 'TOO_MANY':
      return t('tooMany');
    default:
      throw error;
  }
}
