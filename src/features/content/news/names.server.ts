import { db } from '#platform/database/database.server.ts';
import type { NamesOf } from '#platform/runtime/names.server.ts';
import { part, textFor, textRows } from './texts.server.ts';

/** The titles of articles, in the language of the reader where there is one. */
export const articleNames: NamesOf = async (ids, { lang }) => {
  const rows = await db()
    .selectFrom('articles')
    .select(['article_id', 'language'])
    .where('article_id', 'in', ids)
    .execute();
  const texts = await textRows(rows.map((row) => row.article_id));
  return rows.flatMap((row) => {
    const text = textFor(texts.get(row.article_id) ?? [], lang, row.language);
    return text ? [{ id: row.article_id, name: part(text, 'title') }] : [];
  });
};
