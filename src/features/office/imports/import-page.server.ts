import { isAtWork } from '#features/base/batches/batches.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { formatNumber } from '#platform/text/formats.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useList } from '#platform/forms/lists.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { fieldLabel, fieldLabels } from './field-labels.server.ts';
import { duplicateDecision, type Import } from './imports.ts';
import {
  cancelImport,
  changeMapping,
  confirmImport,
  continueStopped,
  decideDuplicates,
  importCounts,
  hasLostZeros,
  importOf,
  listRows,
  repairNumbers,
  setMapping,
  undoImport,
} from './imports.server.ts';
import { refreshWhile } from '#platform/http/refresh.server.ts';
import { recordKind } from './kinds.server.ts';
import { rowList } from './lists.server.ts';
import { placeIn } from './place-form.ts';
import { fileProblemText } from './problem-texts.ts';
import { readAgain } from './uploading.server.ts';
import { proposedMapping, samplesOf } from './mapping.server.ts';

interface Page {
  request: Request;
  url: URL;
  response: { status?: number; headers: Headers };
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session'>;
}

/**
 * The page of an import, which shows its present step. While a job is at work the page refreshes itself. What
 * is posted to it does a step, or is answered with the reason why not.
 */
export async function importPage(page: Page, importId: string) {
  const { request, locals } = page;
  const { actor } = locals.session;
  const acted = await act(page, importId);
  if (acted instanceof Response) return acted;
  const job = await importOf(actor, importId);
  refreshWhile(isAtWork(job.state), page);
  const counts = await importCounts(actor, importId);
  const list = useList(page, rowList);
  const { rows, total, pageSize } =
    job.state === 'draft' ? { rows: [], total: 0, pageSize: 1 } : await listRows(actor, importId, list.query);
  return {
    job,
    counts,
    problem: acted?.about === 'step' ? acted.text : undefined,
    placeProblem: acted?.about === 'place' ? acted.text : undefined,
    hasLostZeros: job.state === 'ready' && (await hasLostZeros(importId)),
    canInvite: recordKind(job.kind).invitationIn !== undefined,
    isInviting: request.method === 'POST' && (await formOf(request)).has('invites'),
    list,
    rows,
    pager: list.pager(total, pageSize),
    columns: job.state === 'draft' ? await columnChoices(page, job) : [],
  };
}

export interface ColumnChoice {
  name: string;
  samples: string;
  options: readonly { value: string; text: string; isSelected: boolean }[];
}

/** The columns of the file with the fields to choose from; what was posted wins over the proposal. */
async function columnChoices({ request, locals }: Page, job: Import): Promise<ColumnChoice[]> {
  const { lang, locale, session } = locals;
  const t = translationsFor(lang, 'imports');
  const posted = request.method === 'POST' ? (await formOf(request)).getAll('field').map(String) : [];
  const chosen = posted.length > 0 ? posted : job.mapping;
  const fields = chosen.length > 0 ? chosen : await proposedMapping(session.actor, job);
  const samples = await samplesOf(job);
  const options = recordKind(job.kind).fields.map(({ name }) => ({
    value: name,
    text: fieldLabel(lang, name),
  }));
  return job.columns.map((column, index) => ({
    name: column || t('unnamed', { number: formatNumber(locale, index + 1) }),
    samples: (samples[index] ?? []).join(' · '),
    options: [{ value: '', text: t('notImported') }, ...options].map((option) => ({
      ...option,
      isSelected: option.value === (fields[index] ?? ''),
    })),
  }));
}

/** Why what was posted is refused: where the table is, or the step. */
interface Problem {
  about: 'place' | 'step';
  text: string;
}

/** Does what a button asks. Returns the redirect, or the text that says why not. */
async function act(page: Page, importId: string): Promise<Response | Problem | undefined> {
  const { request, response, locals } = page;
  const { actor } = locals.session;
  const here = { to: locals.pathTo(`staff/imports/${importId}`) };
  const after = (work: Promise<void>) => work.then(() => here);
  try {
    return await useActions(
      { request },
      {
        'act=check': (_, form) => after(setMapping(actor, importId, form.getAll('field').map(String))),
        'act=place': (_, form) =>
          after(
            readAgain(
              actor,
              importId,
              placeIn((field) => String(form.get(field) ?? '')),
            ),
          ),
        'act=columns': () => after(changeMapping(actor, importId)),
        'act=import': (_, form) => after(confirmImport(actor, importId, form.has('invites'))),
        'act=continue': () => after(continueStopped(actor, importId)),
        'act=cancel': () => after(cancelImport(actor, importId)),
        'act=undo': () => after(undoImport(actor, importId)),
        'repair=all': () => after(repairNumbers(actor, importId)),
        repair: (value) => after(repairNumbers(actor, importId, Number(value) || 0)),
        duplicates: (value) => after(decideDuplicates(actor, importId, decisionIn(value))),
        duplicate: async (value) => {
          const [number = '', decision = ''] = value.split(':');
          await decideDuplicates(actor, importId, { ...decisionIn(decision), number: Number(number) });
          return { to: page.url.pathname + page.url.search };
        },
      },
    );
  } catch (error) {
    const refused = refusal(error);
    if (refused?.code === 'STALE') return Response.redirect(new URL(here.to, page.url), 303);
    if (refused?.code !== 'INVALID' && refused?.code !== 'TOO_MANY') throw error;
    response.status = refused.status;
    const about =
      request.method === 'POST' && (await formOf(request)).get('act') === 'place' ? 'place' : 'step';
    return { about, text: problemText(page, about, refused) };
  }
}

function decisionIn(value: string) {
  const { data: decision } = duplicateDecision.safeParse(value);
  if (!decision) throw new PortalError('INVALID');
  return { decision };
}

function problemText(
  { locals: { lang } }: Page,
  about: Problem['about'],
  { code, details }: PortalError,
): string {
  const t = translationsFor(lang, 'imports');
  if (about === 'place') {
    const { key, vars } = fileProblemText(details);
    return t(key, vars);
  }
  if (code === 'TOO_MANY') return t('invitesTooMany');
  const twice = details['twice'];
  if (typeof twice === 'string') return t('fieldTwice', { field: fieldLabel(lang, twice) });
  const fields = Array.isArray(details['fields']) ? details['fields'].map(String) : [];
  return t('fieldsMissing', { fields: fieldLabels(lang, fields) });
}
