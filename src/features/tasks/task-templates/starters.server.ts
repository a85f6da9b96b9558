import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { textIn } from '#features/tasks/questionnaires/rules.ts';
import type { Starter } from '#features/tasks/starter-questionnaires/all.ts';
import { COUNTRIES } from '#features/tasks/tasks/own-questions.server.ts';
import type { Choice } from '#platform/forms/forms.ts';
import { isLang, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/** What the ids of starters begin with where they stand beside those of a firm's templates. */
const PREFIX = 'starter-';

/** Loaded when they are first needed, since their texts in seven languages would slow the start of every command. */
const allStarters = async (): Promise<readonly Starter[]> =>
  (await import('#features/tasks/starter-questionnaires/all.ts')).STARTERS;

export interface ListedStarter {
  id: string;
  key: string;
  name: string;
  type: Starter['kind'];
  country: string;
}

/** The templates that come with the product, those of the firm's country first. */
export async function listStarters(
  firmLanguage: string,
  lang: Lang,
  searchTerm = '',
): Promise<ListedStarter[]> {
  const own = isLang(firmLanguage) ? COUNTRIES[firmLanguage] : undefined;
  const term = searchTerm.trim().toLowerCase();
  return (await allStarters())
    .map(({ key, kind, country, template }) => ({
      id: PREFIX + key,
      key,
      name: nameIn(template, lang),
      type: kind,
      country,
    }))
    .filter(({ name }) => name.toLowerCase().includes(term))
    .toSorted((a, b) => Number(b.country === own) - Number(a.country === own));
}

/** The starters to choose from: those for reviews of documents, or all others. */
export async function starterChoices(
  firmLanguage: string,
  lang: Lang,
  { isReview }: { isReview: boolean },
): Promise<Choice[]> {
  const t = translationsFor(lang, 'task-templates');
  const countries = new Intl.DisplayNames(LANGUAGES[lang], { type: 'region' });
  return (await listStarters(firmLanguage, lang))
    .filter(({ type }) => (type === 'document_review') === isReview)
    .map(({ id, name, country }) => ({
      value: id,
      text: t('starterChoice', { name, country: countries.of(country) ?? country }),
    }));
}

/** The label without the year, which a task adds. */
const nameIn = ({ taxYear: _, ...template }: Starter['template'], lang: Lang): string =>
  textIn(template.label, lang, template as Template).trim();

type CheckedStarter = Omit<Starter, 'template'> & { form: Template };

/** Checked once each, since they are large and never change. */
const checkedStarters = new Map<string, CheckedStarter>();

/** The starter with this id, with the defaults of its questions filled in. */
export async function starterNamed(id: string): Promise<CheckedStarter | undefined> {
  const found = checkedStarters.get(id) ?? (await checkedStarter(id));
  if (found) checkedStarters.set(id, found);
  return found;
}

async function checkedStarter(id: string): Promise<CheckedStarter | undefined> {
  const found = (await allStarters()).find(({ key }) => PREFIX + key === id);
  if (!found) return undefined;
  const checked = checkTemplate(found.template);
  if ('problems' in checked) throw new Error(`The starter ${found.key} is not valid.`);
  return { key: found.key, kind: found.kind, country: found.country, form: checked.template };
}
