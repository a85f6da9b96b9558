import type { Session } from '#features/base/people/people.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { articlesIn } from './articles.server.ts';
import { isFor } from './audience.ts';
import { SUBJECTS, type Article, type Subject } from './help.ts';
import { searchArticles } from './search.server.ts';

const MAX_QUERY = 200;

interface Section {
  subject: Subject;
  title: string;
  articles: Article[];
}

/** What the page of all articles shows: those found by the query in the address, or all by subject. */
export function helpPage(
  lang: Lang,
  { searchParams }: URL,
  session: Session | undefined,
): { query: string; found: Article[] | undefined; subjects: Section[] } {
  const query = (searchParams.get('q') ?? '').trim().slice(0, MAX_QUERY);
  return query === ''
    ? { query, found: undefined, subjects: sectionsFor(lang, session) }
    : { query, found: searchArticles(lang, query, session), subjects: [] };
}

/** The articles for this person by subject; a subject without any is left out. */
function sectionsFor(lang: Lang, session: Session | undefined): Section[] {
  const t = translationsFor(lang, 'help');
  const titles: Record<Subject, string> = {
    start: t('subjectStart'),
    account: t('subjectAccount'),
    documents: t('subjectDocuments'),
    sharing: t('subjectSharing'),
    tasks: t('subjectTasks'),
    records: t('subjectRecords'),
    team: t('subjectTeam'),
  };
  const shown = [...articlesIn(lang).values()].filter((article) => isFor(article, session));
  return (Object.keys(SUBJECTS) as Subject[])
    .map((subject) => ({
      subject,
      title: titles[subject],
      articles: shown.filter((article) => article.subject === subject),
    }))
    .filter(({ articles }) => articles.length > 0);
}

/** An article and those related to it; NOT_FOUND for one that is not for this person. */
export function articlePage(
  lang: Lang,
  id: string,
  session: Session | undefined,
): { article: Article; related: Article[] } {
  const articles = articlesIn(lang);
  const article = articles.get(id);
  if (!article || !isFor(article, session)) throw notFound();
  const related = article.related.flatMap((each) => articles.get(each) ?? []);
  return { article, related: related.filter((each) => isFor(each, session)) };
}
