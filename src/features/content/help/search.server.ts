import { DatabaseSync } from 'node:sqlite';
import type { Session } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { articlesIn } from './articles.server.ts';
import { isFor } from './audience.ts';
import type { Article } from './help.ts';
import { textOf } from './markdown.server.ts';
import { subjectOf } from './stop-words.ts';

/*
 * The search of articles: an index in memory for each language, whatever database the portal has, because the articles
 * are part of the version that runs (docs/decisions/0101).
 */

const MAX_WORDS = 8;
const MAX_LETTERS = 40;
const MAX_FOUND = 10;

/**
 * Finds articles for this person: those with this title or keyword, then those whose head has all the words, then those
 * with some of them, each the best first. If there are none, those with words that differ from a keyword by one letter.
 */
export function searchArticles(
  lang: Lang,
  query: string,
  session: Pick<Session, 'actor'> | undefined,
): Article[] {
  const index = indexOf(lang);
  const words = subjectOf(lang, wordsIn(query)).slice(0, MAX_WORDS);
  const find = (expression: string): Article[] =>
    index.find(expression).filter((article) => isFor(article, session));
  const found = new Set([
    ...index.named(words).filter((article) => isFor(article, session)),
    ...find(inHead(words)),
    ...find(anyOf(words)),
  ]);
  const articles = found.size > 0 ? [...found] : find(anyOf(words.flatMap(index.similarTo)));
  return articles.slice(0, MAX_FOUND);
}

/** The words of a text without accents, as the index has them. */
const wordsIn = (text: string): string[] =>
  [
    ...fold(text)
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .matchAll(/[\p{L}\p{N}]+/gu),
  ].map(([word]) => word.slice(0, MAX_LETTERS));

/** A word and all that begin with it, as FTS5 writes it. Too much begins with one or two letters. */
const quoted = (word: string): string => `"${word}"${word.length > 2 ? '*' : ''}`;

const anyOf = (words: readonly string[]): string => [...new Set(words)].map(quoted).join(' OR ');
const inHead = (words: readonly string[]): string =>
  words.length === 0 ? '' : `{title keywords} : (${words.map(quoted).join(' AND ')})`;

interface Index {
  /** The articles with exactly these words as their title or as a keyword. */
  named: (words: readonly string[]) => Article[];
  find: (expression: string) => Article[];
  /** The words of titles and keywords that differ from this one by one letter. */
  similarTo: (word: string) => string[];
}

const indexes = new Map<Lang, Index>();

function indexOf(lang: Lang): Index {
  const known = indexes.get(lang) ?? makeIndex(lang, articlesIn(lang));
  indexes.set(lang, known);
  return known;
}

function makeIndex(lang: Lang, articles: ReadonlyMap<string, Article>): Index {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `create virtual table articles using fts5(id unindexed, title, keywords, summary, body, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3')`,
  );
  const insert = database.prepare('insert into articles values (?, ?, ?, ?, ?)');
  for (const { id, title, keywords, summary, blocks } of articles.values())
    insert.run(id, title, keywords.join(', '), summary, textOf(blocks));
  // the weights of the columns: a word of the title says most of what an article is about
  const select = database.prepare(
    'select id from articles where articles match ? order by bm25(articles, 0, 10, 6, 3, 1)',
  );
  const phrases = [...articles.values()].flatMap((article) =>
    [article.title, ...article.keywords].map((phrase) => ({
      article,
      words: subjectOf(lang, wordsIn(phrase)),
    })),
  );
  const byPhrase = Map.groupBy(phrases, ({ words }) => words.join(' '));
  const vocabulary = new Set(phrases.flatMap(({ words }) => words));
  return {
    named: (words) => (byPhrase.get(words.join(' ')) ?? []).map(({ article }) => article),
    find: (expression) =>
      expression === '' ? [] : select.all(expression).flatMap(({ id }) => articles.get(String(id)) ?? []),
    similarTo: (word) => [...vocabulary].filter((known) => isOneLetterApart(known, word)),
  };
}

/** Whether one letter is added, left out, changed, or swapped with its neighbor. Short words have too many of these. */
export function isOneLetterApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < 4 || long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return (
    short.slice(at + 1) === long.slice(at + 1) || (isSwapped && short.slice(at + 2) === long.slice(at + 2))
  );
}
