import { clientRecord } from '#features/clients/clients/client-records.server.ts';
import { findClients, type FoundClient } from '#features/clients/clients/client-search.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { recipientsOf } from '#features/clients/notice-recipients/recipients.server.ts';
import { withRecipients } from '#features/clients/notice-recipients/sentences.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import { documentsAsked } from '#features/tasks/tasks/asked-documents.ts';
import { managesTasks } from '#features/tasks/tasks/creating.server.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { possibleActions } from '#features/tasks/tasks/rules.ts';
import { factsOf, taskRow, visibleTypes } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, questionAnswers } from '#features/tasks/tasks/task-forms.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { formatDate } from '#platform/text/formats.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { CHANGE, createReview, type ReviewTemplate } from './document-reviews.server.ts';
import { newReviewForm } from './forms.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; locale: string; timeZone: string; session: Session; pathTo: PathTo };
}

const MAX_LISTED = 100;

/** The firm's templates of reviews, which a feature above this one keeps. */
export interface ReviewTemplates {
  listed: readonly Choice[];
  /** Throws NOT_FOUND for one that is no published template of a review. */
  named: (id: string) => Promise<ReviewTemplate>;
}

/** Asks a client, who is searched first, to review documents. */
export async function newReviewPage(page: Page, templates: ReviewTemplates) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const { searchParams } = page.url;
  const [to, search] = [searchParams.get('to'), searchParams.get('q') ?? ''];
  if (to === null) {
    const found: FoundClient[] | undefined =
      search === '' ? undefined : await findClients(actor, search.slice(0, 200));
    return { kind: 'search' as const, search, found };
  }
  const client = await clientRecord(actor, to);
  const t = translationsFor(lang, 'document-review');
  const { documents, folders } = await documentChoices(page, to);
  const recipients = await recipientsOf(actor, client.id, {
    kind: 'task',
    maySee: (reader) => visibleTypes(reader).includes('document_review'),
  });
  const form = await useForm(page, newReviewForm, {
    values: {
      documents: searchParams.getAll('document'),
      template: searchParams.get('template') ?? '',
      notify: true,
    },
    choices: {
      documents,
      template: [{ value: '', text: t('noTemplate') }, ...templates.listed],
      folder: [{ value: '', text: t('noFolder') }, ...folders.map(({ value, text }) => ({ value, text }))],
    },
    submit: async ({ template: chosenTemplate, documents: chosen, folder, ...values }) => {
      const template = chosenTemplate === '' ? undefined : await templates.named(chosenTemplate);
      const { title, message, dueDate, notify } = values;
      const ofFolder = folders.find(({ value }) => value === folder)?.documentIds ?? [];
      const { taskId } = await createReview(
        actor,
        {
          clientId: client.id,
          documentIds: [...chosen, ...ofFolder],
          title: title || (template?.name ?? ''),
          message,
          dueDate: dueDate === '' ? (template?.dueDate ?? null) : dueDate,
          sendNotification: notify,
          ...(template && { template }),
        },
        lang,
      );
      return {
        to: pathTo(`staff/tasks/${taskId}`),
        flash: withRecipients(
          lang,
          { type: 'success', namespace: 'document-review', key: 'created' },
          notify ? recipients : undefined,
        ),
      };
    },
  });
  if (form instanceof Response) return form;
  return {
    kind: 'form' as const,
    client: { id: client.id, name: client.name },
    recipients,
    form,
    hasDocuments: documents.length > 0,
    uploadUrl: pathTo('documents', { client: client.id }),
  };
}

/** The newest documents of a client, and their folders. */
async function documentChoices(
  { locals: { locale, timeZone, session } }: Pick<Page, 'locals'>,
  clientId: string,
): Promise<{ documents: Choice[]; folders: (Choice & { documentIds: string[] })[] }> {
  const query = documentQuery.parse({ orderBy: 'createdDate', orderDir: 'desc', pageSize: MAX_LISTED });
  const { items } = await listDocuments(session.actor, clientId, query);
  const folders = [...Map.groupBy(items, ({ parent }) => parent.id)];
  return {
    documents: items.map(({ id, name, parent, createdDate }) => ({
      value: id,
      text: `${name} (${parent.name}, ${formatDate(locale, createdDate, timeZone)})`,
    })),
    folders: folders.map(([id, each]) => ({
      value: id,
      text: `${each[0]?.parent.name ?? ''} (${each.length})`,
      documentIds: each.map((document) => document.id),
    })),
  };
}

/** The documents that a contact is asked to review, with what was answered so far. NOT_FOUND. */
export async function reviewedDocuments({ locals: { session } }: Pick<Page, 'locals'>, taskId: string) {
  const form = await formOfTask(await taskRow(session.actor, taskId));
  if (!form) return [];
  const ids = [...documentsAsked(form).values()];
  const documents = await documentsOfAnswers(session.actor, ids);
  return ids.flatMap((id) => documents.get(id) ?? []);
}

/**
 * The documents that the client wants changed in a submitted review, with the documents that may be their new versions;
 * undefined if there is nothing to send. NOT_FOUND.
 */
export async function newVersionsSection(page: Pick<Page, 'locals'>, taskId: string) {
  const { lang, session, pathTo } = page.locals;
  const { actor } = session;
  const row = await taskRow(actor, taskId, { withDeleted: true });
  const form = row.type === 'document_review' ? await formOfTask(row) : undefined;
  if (!form) return undefined;
  const paths = [...documentsAsked(form).keys()];
  const mayReturn = managesTasks(actor) && possibleActions(await factsOf(row), 'firm').includes('return');
  const { answers } = await questionAnswers(taskId);
  const wanted = paths.filter((path) => answers[path] === CHANGE);
  if (!mayReturn || wanted.length === 0) return undefined;
  const labels = new Map<string, string>(
    form.sections.flatMap(({ key, items }) =>
      items.map((item) => [`${key}.${item.key}`, textIn(item.label, lang, form)] as const),
    ),
  );
  return {
    submission: row.submission,
    items: wanted.map((path) => ({ path, name: labels.get(path) ?? '' })),
    documents: (await documentChoices(page, row.client_id)).documents,
    action: `/api/client-center/v3/tasks/${taskId}/versions?${new URLSearchParams({ r: pathTo(`staff/tasks/${taskId}`) })}`,
  };
}
