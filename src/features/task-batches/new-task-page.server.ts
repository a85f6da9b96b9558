import { clientRecord } from '#features/clients/client-records.server.ts';
import { findClients, type FoundClient } from '#features/clients/client-search.server.ts';
import { staffChoices, tagChoices } from '#features/clients/list-choices.server.ts';
import { languageOfFirm } from '#features/firms/firms.server.ts';
import type { Session } from '#features/people/people.ts';
import { starterChoices } from '#features/task-templates/starters.server.ts';
import { publishedTemplates } from '#features/task-templates/templates.server.ts';
import { createTask } from '#features/tasks/creating.server.ts';
import type { PathTo } from '#platform/addresses.server.ts';
import { useForm } from '#platform/forms.server.ts';
import type { Choice, FormView } from '#platform/forms.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { prepareCreation } from './batches.server.ts';
import { newTaskForm, newTasksForm } from './forms.server.ts';
import { planTask } from './planning.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

type View =
  | { kind: 'search'; search: string; found: FoundClient[] | undefined; template: string | undefined }
  | { kind: 'one'; client: { id: string; name: string }; form: FormView; template: string | undefined }
  | { kind: 'many'; form: FormView; template: string | undefined };

/**
 * Asks one client, who is searched first, or many for something: a template, or documents and questions that are
 * listed. What is asked of many is shown once more before it is created.
 */
export async function newTaskPage(page: Page): Promise<Response | View> {
  const { actor } = page.locals.session;
  const { searchParams } = page.url;
  const [to, search] = [searchParams.get('to'), searchParams.get('q') ?? ''];
  const template = searchParams.get('template') ?? undefined;
  if (searchParams.get('for') === 'many') return forMany(page, template);
  if (to !== null) return forOne(page, to, template);
  const found = search === '' ? undefined : await findClients(actor, search.slice(0, 200));
  return { kind: 'search', search, found, template };
}

async function forOne(page: Page, to: string, template: string | undefined): Promise<Response | View> {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const client = await clientRecord(actor, to);
  const choices = await contentChoices(page);
  const form = await useForm(page, newTaskForm, {
    values: initialValues(template, choices.content),
    choices,
    submit: async (values) => {
      const { task, creation } = await planTask(actor, values, lang);
      await createTask(actor, { ...task, clientId: client.id }, creation);
      return {
        to: pathTo('staff/tasks'),
        flash: { type: 'success', namespace: 'task-batches', key: 'created', vars: { client: client.name } },
      };
    },
  });
  return form instanceof Response ? form : { kind: 'one', client, form, template };
}

async function forMany(page: Page, template: string | undefined): Promise<Response | View> {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'task-batches');
  const choices = await contentChoices(page);
  const all = { value: '', text: t('all') };
  const form = await useForm(page, newTasksForm, {
    values: { clientKind: '', tag: '', clientResponsible: '', ...initialValues(template, choices.content) },
    choices: {
      ...choices,
      tag: [all, ...(await tagChoices(actor))],
      clientResponsible: [all, ...(await staffChoices(actor))],
    },
    submit: async ({ clientKind, tag, clientResponsible, numbers, ...values }) => {
      const plan = await planTask(actor, values, lang);
      const recipients = { clientKind, tag, responsible: clientResponsible, numbers };
      return { to: pathTo(`staff/tasks/batches/${await prepareCreation(actor, recipients, plan)}`) };
    },
  });
  return form instanceof Response ? form : { kind: 'many', form, template };
}

/** The templates to choose from, the firm's own first, and the staff who can be responsible. */
async function contentChoices({ locals: { lang, session } }: Page) {
  const { actor } = session;
  const t = translationsFor(lang, 'task-batches');
  const language = await languageOfFirm(actor.companyId);
  // a review needs documents, which its own page asks for
  const own = (await publishedTemplates(actor)).filter(({ type }) => type !== 'document_review');
  const content: Choice[] = [
    { value: 'own', text: t('contentOwn') },
    ...own.map(({ templateId, name }) => ({ value: templateId, text: name })),
    ...(await starterChoices(language, lang, { isReview: false })),
  ];
  const responsible = [{ value: '', text: t('responsibleDefault') }, ...(await staffChoices(actor))];
  return { content, responsible };
}

const initialValues = (template: string | undefined, content: readonly Choice[]) => ({
  content: content.some(({ value }) => value === template) ? template : 'own',
  items: [{ kind: 'files', isRequired: true }],
  responsible: '',
  notify: true,
});
