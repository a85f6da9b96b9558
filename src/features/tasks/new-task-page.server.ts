import { findClients, type FoundClient } from '#features/clients/client-search.server.ts';
import { clientRecord } from '#features/clients/client-records.server.ts';
import type { Session } from '#features/people/people.ts';
import type { TemplateInput } from '#features/questionnaires/questionnaires.ts';
import { ukPersonal } from '#features/questionnaires/starters/uk-personal.ts';
import { us1040 } from '#features/questionnaires/starters/us-1040.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { useForm } from '#platform/forms.server.ts';
import type { FormView } from '#platform/forms.ts';
import type { Lang } from '#platform/languages.ts';
import { createTask } from './creating.server.ts';
import { newTaskForm, type NewTaskValues } from './forms.server.ts';
import type { NewTask } from './tasks.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The countries of the languages, whose rules questions without an own country follow. */
const COUNTRIES: Record<Lang, string> = {
  'en-us': 'US',
  'en-gb': 'GB',
  'en-au': 'AU',
  'en-ca': 'CA',
  es: 'AR',
  pt: 'BR',
  fr: 'CA',
};

/** Asks a client for something: the client is searched first, then what is asked is entered. */
export async function newTaskPage(
  page: Page,
): Promise<
  | Response
  | { search: string; found: FoundClient[] | undefined; form?: undefined }
  | { client: { id: string; name: string }; form: FormView }
> {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const { searchParams } = page.url;
  const [to, search] = [searchParams.get('to'), searchParams.get('q') ?? ''];
  if (to === null)
    return { search, found: search === '' ? undefined : await findClients(actor, search.slice(0, 200)) };
  const client = await clientRecord(actor, to);
  const form = await useForm(page, newTaskForm, {
    values: { content: 'own', items: [{ kind: 'files', isRequired: true }] },
    submit: async (values) => {
      await createTask(actor, { clientId: client.id, ...contentOf(values, lang) });
      return {
        to: pathTo('staff/tasks'),
        flash: { type: 'success', namespace: 'tasks', key: 'created', vars: { client: client.name } },
      };
    },
  });
  return form instanceof Response ? form : { client, form };
}

/** What a task asks: the starter that was chosen, or the questions that were entered. */
export function contentOf(values: NewTaskValues, lang: Lang): Omit<NewTask, 'clientId'> {
  const { content, title, taxYear, dueDate } = values;
  const common = {
    label: title,
    dueDate: dueDate === '' ? null : dueDate,
    sendNotification: true,
  };
  const year = taxYear === '' ? undefined : Number(taxYear);
  if (content !== 'own') {
    const starter = content === 'us-1040' ? us1040 : ukPersonal;
    return {
      ...common,
      type: 'questionnaire',
      params: { kind: starter.key, ...(year !== undefined && { taxYear: year }) },
      form: starter as NonNullable<NewTask['form']>,
    };
  }
  const items = values.items.filter(({ label }) => label !== '');
  const form: TemplateInput = {
    format: 1,
    key: 'request',
    country: COUNTRIES[lang],
    languages: [lang],
    label: { [lang]: title },
    sections: [
      {
        key: 'request',
        label: { [lang]: title },
        ...(values.message !== '' && { lead: { [lang]: values.message } }),
        items: items.map(({ label, kind, isRequired }, at) => ({
          key: `item-${at + 1}`,
          label: { [lang]: label },
          required: isRequired,
          kind,
        })) as TemplateInput['sections'][number]['items'],
      },
    ],
  };
  return {
    ...common,
    type: items.every(({ kind }) => kind === 'files') ? 'document_request' : 'misc',
    ...(year !== undefined && { params: { taxYear: year } }),
    form: form as unknown as NonNullable<NewTask['form']>,
  };
}
