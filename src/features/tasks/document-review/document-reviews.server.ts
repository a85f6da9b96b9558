import { documentsNamed } from '#features/documents/documents/scope.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Template, TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';
import { assertPossible, performAction } from '#features/tasks/tasks/acting.server.ts';
import { writeAnswer } from '#features/tasks/tasks/answers.server.ts';
import { documentsAsked } from '#features/tasks/tasks/asked-documents.ts';
import { assertManagesTasks, createTask } from '#features/tasks/tasks/creating.server.ts';
import { addDecision, decisionsOf, languageOfSubmitter } from '#features/tasks/tasks/decisions.server.ts';
import { afterSaving } from '#features/tasks/tasks/form-state.server.ts';
import { COUNTRIES } from '#features/tasks/tasks/own-questions.server.ts';
import { lockTask } from '#features/tasks/tasks/scope.server.ts';
import { formOfTask, replaceForm, storeCheckedForm } from '#features/tasks/tasks/task-forms.server.ts';
import type { Task } from '#features/tasks/tasks/tasks.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { LANGS, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/*
 * The review of documents by a client: a task that asks about each document whether it is approved. It is submitted,
 * accepted and returned by item like any task with questions; what a change of a document adds is a new version.
 */

/** The documents of one review. */
export const MAX_REVIEWED = 30;
const SECTION = 'review';
const APPROVED = 'approved';
export const CHANGE = 'change';

/** The key, or the path, of the question what has to change in a document, by that of the one about the document. */
const whyOf = (question: string): string => `${question}-why`;

/** What a review asks after its documents. */
export interface ReviewTemplate {
  id: string;
  version: number | null;
  /** Empty for one that comes with the product, whose title is in every language. */
  name: string;
  form: Template;
  /** When a review that is created today is due. */
  dueDate: string | null;
}

interface NewReview {
  clientId: string;
  documentIds: readonly string[];
  title: string;
  /** Shown above the documents. */
  message: string;
  dueDate: string | null;
  sendNotification: boolean;
  template?: ReviewTemplate;
}

/**
 * Asks a client to review documents, each of which it approves or wants changed. FORBIDDEN; NOT_FOUND for a client or a
 * document that is not the actor's, or a document of another client; INVALID without documents or with too many.
 */
export async function createReview(actor: Actor, review: NewReview, lang: Lang): Promise<Task> {
  const { clientId, title, message, dueDate, sendNotification, template } = review;
  const ids = [...new Set(review.documentIds)];
  if (ids.length === 0 || ids.length > MAX_REVIEWED) throw new PortalError('INVALID', { field: 'documents' });
  const documents = await documentsOfClient(actor, clientId, ids);
  const heading = title === '' && template ? template.form.label : everywhere(title);
  const own = reviewForm(documents, { heading, message }, lang);
  return createTask(
    actor,
    {
      clientId,
      type: 'document_review',
      label: title,
      dueDate,
      sendNotification,
      form: { ...(template ? withTemplate(own, template.form) : own) },
    },
    {
      isPrepared: true,
      ...(template && { template: { id: template.id, version: template.version, name: template.name } }),
    },
  );
}

async function documentsOfClient(
  actor: Actor,
  clientId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const found = await documentsNamed(actor, ids);
  if (found.length !== ids.length || found.some((document) => document.client_id !== clientId))
    throw notFound();
  return found.map((document) => ({ id: document.document_id, name: document.name }));
}

/** What a review asks, in every language of the portal; the firm's own texts are as they were written. */
function reviewForm(
  documents: readonly { id: string; name: string }[],
  { heading, message }: { heading: Text; message: string },
  lang: Lang,
): TemplateInput {
  return {
    format: 1,
    key: 'document-review',
    country: COUNTRIES[lang],
    languages: [...LANGS],
    label: heading,
    sections: [
      {
        key: SECTION,
        label: heading,
        ...(message !== '' && { lead: everywhere(message) }),
        items: documents.flatMap(({ id, name }, at) => {
          const key = `document-${at + 1}`;
          return [
            {
              kind: 'choice' as const,
              key,
              label: everywhere(name),
              required: true,
              lastYear: 'off' as const,
              document: id,
              choices: [
                { key: APPROVED, label: inEachLanguage((t) => t('approve')) },
                { key: CHANGE, label: inEachLanguage((t) => t('change')) },
              ],
            },
            {
              kind: 'paragraph' as const,
              key: whyOf(key),
              label: whyLabel(name),
              required: true,
              lastYear: 'off' as const,
              when: { all: [{ op: 'is' as const, of: key, value: CHANGE }] },
            },
          ];
        }),
      },
    ],
  };
}

/** The questions about the documents, followed by those of the template. */
function withTemplate(own: TemplateInput, template: Template): TemplateInput {
  const taken = template.sections.map(({ key }) => key);
  const key = [SECTION, 'reviewed-documents'].find((each) => !taken.includes(each)) ?? 'documents-of-review';
  return {
    ...template,
    sections: [...own.sections.map((section) => ({ ...section, key })), ...template.sections],
  };
}

type Translate = ReturnType<typeof translationsFor<'document-review'>>;
const inEachLanguage = (textOf: (t: Translate) => string): Record<string, string> =>
  Object.fromEntries(LANGS.map((each) => [each, textOf(translationsFor(each, 'document-review'))]));
const everywhere = (text: string) => inEachLanguage(() => text);
const whyLabel = (name: string) => inEachLanguage((t) => t('why', { name }));

/**
 * Returns a submitted review with new versions of documents, by the paths of their questions: the client reviews those
 * again, and everything else stays as it was submitted unless it was marked to be returned. FORBIDDEN, NOT_FOUND;
 * NOT_POSSIBLE unless the review waits for the firm; EMPTY without a new version; EDIT_CONFLICT if it was submitted
 * again meanwhile.
 */
export async function sendNewVersions(
  actor: Actor,
  taskId: string,
  {
    versions,
    message,
    submission,
  }: { versions: ReadonlyMap<string, string>; message: string; submission: number },
): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertManagesTasks(current);
    const row = await lockTask(current, taskId);
    await assertPossible(current, row, 'return');
    if (submission !== row.submission) throw new PortalError('EDIT_CONFLICT', { submission });
    if (versions.size === 0) throw new PortalError('EMPTY', { field: 'versions' });
    const form = await formOfTask(row);
    const asked = form && documentsAsked(form);
    if (!form || [...versions.keys()].some((path) => !asked?.has(path))) throw notFound();
    const ids = [...new Set(versions.values())];
    const names = new Map(
      (await documentsOfClient(current, row.client_id, ids)).map(({ id, name }) => [id, name]),
    );
    const newForm = withVersions(form, versions, names);
    const { formId } = await storeCheckedForm(row.company_id, newForm);
    await replaceForm(taskId, formId);
    const t = translationsFor(await languageOfSubmitter(row, 'en-us'), 'document-review');
    const before = await decisionsOf(taskId, submission);
    const item = { taskId, submission };
    for (const [path, documentId] of versions) {
      const reasons = {
        [path]: t('newVersion', { name: names.get(documentId) ?? '' }),
        [whyOf(path)]: '',
      };
      for (const [each, reason] of Object.entries(reasons)) {
        const sequence = (before.get(each)?.sequence ?? 0) + 1;
        await addDecision(
          current.contactId,
          { ...item, path: each },
          { decision: 'returned', reason, sequence },
        );
        await writeAnswer(current, taskId, each, undefined);
      }
    }
    await afterSaving(current, { ...row, form_id: formId }, newForm);
    await performAction(current, taskId, 'return', { reason: message });
  });
}

function withVersions(
  form: Template,
  versions: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): Template {
  return {
    ...form,
    sections: form.sections.map((section) => {
      const newOf = (key: string): { document: string; name: string } | undefined => {
        const document = versions.get(`${section.key}.${key}`);
        return document === undefined ? undefined : { document, name: names.get(document) ?? '' };
      };
      return {
        ...section,
        items: section.items.map((item) => {
          const own = newOf(item.key);
          if (own && item.kind === 'choice')
            return { ...item, document: own.document, label: everywhere(own.name) };
          const ofDocument = newOf(item.key.replace(/-why$/, ''));
          return ofDocument ? { ...item, label: whyLabel(ofDocument.name) } : item;
        }),
      };
    }),
  };
}
