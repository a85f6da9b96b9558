import { db } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import type { Lang } from '#platform/text/languages.ts';

/** What an article says in one language. */
export interface ArticleText {
  lang: Lang;
  title: string;
  summary: string;
  body: string;
}

type Column = 'title' | 'summary' | 'body';

export interface TextRow {
  article_id: string;
  lang: Lang;
  title: string;
  summary: string;
  body: string;
}

/**
 * The text for a reader: in their language, else in another variety of it, else in the one that the article was begun
 * in.
 */
export function textFor<Text extends { lang: Lang }>(
  texts: readonly Text[],
  lang: Lang,
  language: Lang,
): Text | undefined {
  const sameLanguage = texts.filter((text) => text.lang.slice(0, 2) === lang.slice(0, 2));
  return (
    texts.find((text) => text.lang === lang) ??
    sameLanguage.find((text) => text.lang === language) ??
    sameLanguage[0] ??
    texts.find((text) => text.lang === language) ??
    texts[0]
  );
}

/** The texts of articles as stored, by article. */
export async function textRows(articleIds: readonly string[]): Promise<Map<string, TextRow[]>> {
  if (articleIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('article_texts')
    .selectAll()
    .where('article_id', 'in', articleIds)
    .orderBy('article_id')
    .orderBy('lang')
    .execute();
  return Map.groupBy(rows, (row) => row.article_id);
}

/** A part of a text; decrypted one by one, since a list shows none of the bodies. */
export const part = (row: Pick<TextRow, 'article_id' | 'lang' | Column>, column: Column): string =>
  decryptFrom(`article_texts.${column}`, `${row.article_id}/${row.lang}`, row[column]);

export const wholeText = (row: TextRow): ArticleText => ({
  lang: row.lang,
  title: part(row, 'title'),
  summary: part(row, 'summary'),
  body: part(row, 'body'),
});

/** Stores what an article says in a language, instead of what it said before. */
export async function storeText(
  articleId: string,
  { lang, title, summary, body }: ArticleText,
): Promise<void> {
  const stored = (column: Column, text: string): string =>
    encryptFor(`article_texts.${column}`, `${articleId}/${lang}`, text);
  const values = {
    title: stored('title', title),
    summary: stored('summary', summary),
    body: stored('body', body),
  };
  await db()
    .insertInto('article_texts')
    .values({ article_id: articleId, lang, ...values })
    .onConflict((conflict) => conflict.columns(['article_id', 'lang']).doUpdateSet(values))
    .execute();
}
