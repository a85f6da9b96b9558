import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { findClients, type FoundClient } from '#features/clients/clients/client-search.server.ts';
import { staffChoices, tagChoices } from '#features/clients/clients/list-choices.server.ts';
import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import {
  recipientsOf,
  type NoticeRecipients,
} from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { starterChoices } from '#features/tasks/task-templates/starters.server.ts';
import { chosenTemplate, publishedTemplates } from '#features/tasks/task-templates/templates.server.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { Choice, FormView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { prepareCreation } from './batches.server.ts';
import { newTaskForm, newTasksForm, type ContentValues } from './forms.server.ts';
import { newTaskAbout, planTask } from './planning.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; session: Session; pathTo: PathTo };
}

/** The kind in the address of the page that offers only templates. */
const QUESTIONNAIRE = 'questionnaire';

type View =
  | { kind: 'search'; search: string; found: FoundClient[] | undefined; template: string | undefined }
  | {
      kind: 'one';
      client: { id: string; name: string };
      recipients: NoticeRecipients | undefined;
      form: FormView;
      template: string | undefined;
    }
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
    values: await initialValues(page, template, choices.content),
    choices,
    submit: async (values) => {
      const { task, creation } = await planTask(actor, await withOwnTitle(page, template, values), lang);
      const { type } = await createTask(actor, { ...task, clientId: client.id }, creation);
      const notified = values.notify ? await recipientsOf(actor, client.id, newTaskAbout(type)) : undefined;
      return {
        to: pathTo('staff/tasks'),
        flash: withRecipients(
          lang,
          { type: 'success', namespace: 'task-batches', key: 'created', vars: { client: client.name } },
          notified,
        ),
      };
    },
  });
  if (form instanceof Response) return form;
  const chosen = template === undefined ? undefined : await chosenTemplate(actor, template);
  const recipients = await recipientsOf(actor, client.id, newTaskAbout(chosen?.type));
  return { kind: 'one', client, recipients, form, template };
}

async function forMany(page: Page, template: string | undefined): Promise<Response | View> {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'task-batches');
  const choices = await contentChoices(page);
  const all = { value: '', text: t('all') };
  const form = await useForm(page, newTasksForm, {
    values: {
      clientKind: '',
      tag: '',
      clientResponsible: '',
      numbers: page.url.searchParams.get('numbers') ?? '',
      ...(await initialValues(page, template, choices.content)),
    },
    choices: {
      ...choices,
      tag: [all, ...(await tagChoices(actor))],
      clientResponsible: [all, ...(await staffChoices(actor))],
    },
    submit: async ({ clientKind, tag, clientResponsible, numbers, ...values }) => {
      const plan = await planTask(actor, await withOwnTitle(page, template, values), lang);
      const recipients = {
        clientKind: clientKind === 'all' ? ('' as const) : clientKind,
        tag,
        responsible: clientResponsible,
        numbers,
      };
      return { to: pathTo(`staff/tasks/batches/${await prepareCreation(actor, recipients, plan)}`) };
    },
  });
  return form instanceof Response ? form : { kind: 'many', form, template };
}

/** The templates to choose from, the firm's own first, and the staff who can be responsible. */
async function contentChoices({ url, locals: { lang, session } }: Page) {
  const { actor } = session;
  const t = translationsFor(lang, 'task-batches');
  const language = await languageOfFirm(actor.companyId);
  // a review needs documents, which its own page asks for
  const own = (await publishedTemplates(actor)).filter(({ type }) => type !== 'document_review');
  const content: Choice[] = [
    ...(url.searchParams.get('kind') === QUESTIONNAIRE ? [] : [{ value: 'own', text: t('contentOwn') }]),
    ...own.map(({ templateId, name }) => ({ value: templateId, text: name })),
    ...(await starterChoices(language, lang, { isReview: false })),
  ];
  const responsible = [{ value: '', text: t('responsibleDefault') }, ...(await staffChoices(actor))];
  return { content, responsible };
}

async function initialValues(page: Page, template: string | undefined, content: readonly Choice[]) {
  const isListed = content.some(({ value }) => value === template);
  return {
    content: isListed ? template : (content[0]?.value ?? ''),
    title: isListed ? await titleOfTemplate(page, template) : '',
    items: [{ kind: 'files', isRequired: true }],
    responsible: '',
    notify: true,
  };
}

/** The title of tasks of the template that the page was opened for. */
async function titleOfTemplate(
  { locals: { lang, session } }: Page,
  template: string | undefined,
): Promise<string> {
  const chosen = template === undefined ? undefined : await chosenTemplate(session.actor, template);
  return chosen ? textIn(chosen.form.label, lang, chosen.form) : '';
}

/** Without a title that nobody changed: that of the chosen template, which each reader sees in their language. */
async function withOwnTitle(
  page: Page,
  template: string | undefined,
  values: ContentValues,
): Promise<ContentValues> {
  const isUnchanged = values.content !== 'own' && values.title === (await titleOfTemplate(page, template));
  return isUnchanged ? { ...values, title: '' } : values;
}
