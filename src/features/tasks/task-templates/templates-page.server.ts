import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fieldViews } from '#features/tasks/questionnaires/fields.server.ts';
import { templateProblemText } from '#features/tasks/questionnaires/problem-texts.server.ts';
import { newRowId } from '#features/tasks/questionnaires/posted-answers.server.ts';
import type { TemplateProblem } from '#features/tasks/questionnaires/checks.server.ts';
import type { Section, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import { ownQuestions } from '#features/tasks/tasks/own-questions.server.ts';
import { firmToday } from '#features/tasks/tasks/scope.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination } from '#platform/forms/forms.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { useList } from '#platform/forms/lists.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { questionRows, sectionRows, withQuestions, withSections } from './editing.ts';
import {
  detailsForm,
  dueRuleOf,
  dueValuesOf,
  isUsed,
  newTemplateForm,
  questionsForm,
  sectionsForm,
} from './forms.server.ts';
import { templateList } from './lists.server.ts';
import { listStarters, starterNamed } from './starters.server.ts';
import {
  archiveTemplate,
  copyTemplate,
  createTemplate,
  listTemplates,
  publishTemplate,
  saveDraft,
  templateOf,
  TEMPLATES_A_PAGE,
} from './templates.server.ts';

interface Page {
  url: URL;
  request: Request;
  response: { status?: number };
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

const say = (key: KeysOf<'task-templates'>): NonNullable<Destination['flash']> => ({
  type: 'success',
  namespace: 'task-templates',
  key,
});

/** The templates of the firm, and those that come with the product: they can be used as they are, or copied. */
export async function templatesPage(page: Page) {
  const { lang, session } = page.locals;
  const { actor } = session;
  const list = useList(page, templateList);
  const { templates, total } = await listTemplates(actor, list.query);
  const isFirstPage = list.query.show === 'current' && list.query.from === 0;
  const language = await languageOfFirm(actor.companyId);
  return {
    templates,
    starters: isFirstPage ? await listStarters(language, lang, list.query.searchTerm) : [],
    list,
    pager: list.pager(total, TEMPLATES_A_PAGE),
    isFiltered: list.query.searchTerm !== '' || list.query.show !== 'current',
  };
}

/** Begins a template with questions of one's own. */
export function newTemplatePage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  return useForm(page, newTemplateForm, {
    values: { dueKind: 'none', items: [{ kind: 'files', isRequired: true }] },
    submit: async ({ name, isReview, message, items, ...due }) => {
      const { type: ofItems, form } = ownQuestions({ title: name, message, items }, lang);
      const type = isReview ? 'document_review' : ofItems;
      const dueRule = dueRuleOf(due) ?? '';
      const id = await createTemplate(session.actor, { name, type, dueRule, form: { ...form } });
      return { to: pathTo(`staff/tasks/templates/${id}`), flash: say('created') };
    },
  });
}

/** A section as the client sees it, if all its questions apply. */
export interface PreviewSection {
  key: string;
  title: string;
  lead: string;
  /** Only some answers show it. */
  isConditional: boolean;
  fields: FieldView[];
}

/** A problem that prevents a publication, and where it is corrected. */
export interface ShownProblem {
  text: string;
  /** The section, or the question, that has it; empty for the whole questionnaire. */
  where: string;
  section: string | undefined;
}

/** A template or a starter: what its clients see, and what can be done with it. NOT_FOUND. */
export async function templatePage(page: Page, id: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const here = pathTo(`staff/tasks/templates/${id}`);
  const found = await shownTemplate(actor, lang, id);
  const done = await useActions(
    page,
    {
      copy: async () => {
        const copy = await copyTemplate(actor, id, found.name);
        return { to: pathTo(`staff/tasks/templates/${copy}`), flash: say('copied') };
      },
      'act=archive': async () => {
        await archiveTemplate(actor, id);
        return { to: pathTo('staff/tasks/templates'), flash: say('archivedNow') };
      },
      'act=restore': async () => {
        await archiveTemplate(actor, id, false);
        return { to: here, flash: say('restoredNow') };
      },
      publish: async (revision) => {
        await publishTemplate(actor, id, Number(revision) || 0);
        return { to: here, flash: say('publishedNow') };
      },
    },
    ({ code }) => {
      const key =
        code === 'INVALID'
          ? 'notPublished'
          : code === 'EDIT_CONFLICT' || code === 'NOT_POSSIBLE' || code === 'CLOSED'
            ? 'changedMeanwhile'
            : code === 'TOO_MANY'
              ? 'tooMany'
              : undefined;
      return key && { to: here, flash: { type: 'danger', namespace: 'task-templates', key } };
    },
  );
  if (done) return done;
  const { form, problems, ...template } = found;
  return {
    template,
    sections: previewOf(form, lang),
    problems: problems.map((problem) => shownProblem(form, problem, lang)),
  };
}

async function shownTemplate(actor: Actor, lang: Lang, id: string) {
  const starter = await starterNamed(id);
  if (!starter) return { ...(await templateOf(actor, id)), id, isStarter: false };
  const listed = (await listStarters('', lang)).find((each) => each.id === id);
  return {
    id,
    name: listed?.name ?? '',
    type: starter.kind,
    version: null,
    hasDraft: false,
    isArchived: false,
    isStarter: true,
    dueRule: '',
    revision: 0,
    form: starter.form,
    problems: [],
  };
}

/** What a client sees in each section, with all questions that some answers show. */
export function previewOf(form: Template, lang: Lang): PreviewSection[] {
  const shown = { ...form, sections: form.sections.map(withoutConditions) };
  return form.sections.map((section) => ({
    key: section.key,
    title: textIn(section.label, lang, form),
    lead: section.lead ? textIn(section.lead, lang, form) : '',
    isConditional: section.when !== undefined,
    fields: fieldViews(shown, section.key, { answers: {}, lang, newRowId }),
  }));
}

const withoutConditions = ({ when: _, ...section }: Section): Section => ({
  ...section,
  items: section.items.map((item) => {
    const { when: __, ...shown } = item;
    return (
      shown.kind === 'group'
        ? { ...shown, min: Math.max(1, shown.min), items: shown.items.map(({ when: ___, ...each }) => each) }
        : shown
    ) as Section['items'][number];
  }),
});

function shownProblem(form: Template, problem: TemplateProblem, lang: Lang): ShownProblem {
  const [, sectionAt, , itemAt] = problem.path.split('.');
  const section = form.sections[Number(sectionAt)];
  const item = section?.items[Number(itemAt)];
  return {
    text: templateProblemText(problem, lang),
    where: [section, item]
      .flatMap((each) => (each ? [textIn(each.label, lang, form) || each.key] : []))
      .join(' · '),
    section: section?.key,
  };
}

/** Edits the draft of a template: its details and sections, or the questions of one section. NOT_FOUND for a starter. */
export async function editTemplatePage(page: Page, id: string) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const template = await templateOf(actor, id);
  const { form, revision } = template;
  const wanted = page.url.searchParams.get('language');
  const editedLang = form.languages.find((each) => each === wanted) ?? languageFor(form, lang);
  const sectionKey = page.url.searchParams.get('section');
  const section = form.sections.find(({ key }) => key === sectionKey);
  if (sectionKey !== null && !section) throw notFound();
  const here = pathTo(`staff/tasks/templates/${id}/edit`, { language: editedLang });
  const save = async (
    change: Omit<Parameters<typeof saveDraft>[2], 'revision'>,
    basedOn: number,
  ): Promise<Destination> => {
    await saveDraft(actor, id, { ...change, revision: basedOn });
    return { to: here, flash: say('saved') };
  };
  const common = { id, name: template.name, editedLang, languages: form.languages };
  if (section) {
    const questions = await useForm(page, questionsForm, {
      values: {
        revision: String(revision),
        title: section.label[editedLang] ?? '',
        lead: section.lead?.[editedLang] ?? '',
        questions: questionRows(section, editedLang).map(withTextPosition),
      },
      submit: ({ revision: basedOn, title, lead, questions: rows }) =>
        save(
          {
            form: {
              ...withQuestions(
                form,
                section.key,
                { label: title, lead, questions: rows.filter(isUsed) },
                editedLang,
              ),
            },
          },
          basedOn,
        ),
    });
    return questions instanceof Response ? questions : { ...common, section: section.key, questions };
  }
  const details = await useForm(page, detailsForm, {
    values: {
      revision: String(revision),
      name: template.name,
      ...dueValuesOf(template.dueRule, (await firmToday(actor.companyId)).slice(0, 4)),
    },
    submit: ({ revision: basedOn, name, ...due }) => save({ name, dueRule: dueRuleOf(due) ?? '' }, basedOn),
  });
  if (details instanceof Response) return details;
  const sections = await useForm(page, sectionsForm, {
    values: {
      revision: String(revision),
      sections: sectionRows(form, editedLang).map(withTextPosition),
    },
    submit: ({ revision: basedOn, sections: rows }) =>
      save({ form: { ...withSections(form, rows.filter(isUsed), editedLang) } }, basedOn),
  });
  if (sections instanceof Response) return sections;
  return {
    ...common,
    details,
    sections,
    sectionLinks: form.sections.map(({ key, label, items }) => ({
      key,
      title: textIn(label, lang, form) || key,
      count: items.length,
    })),
  };
}

const withTextPosition = <Row extends { position: number }>(row: Row) => ({
  ...row,
  position: String(row.position),
});

const languageFor = (form: Template, lang: Lang): Lang =>
  form.languages.find((each) => each === lang) ?? form.languages[0] ?? lang;
