import type { Bit, Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Audience } from './news.ts';

export const tables = {
  articles: { key: ['article_id'] },
  article_texts: {
    key: ['article_id', 'lang'],
    encrypted: { title: 'always', summary: 'always', body: 'always' },
  },
  article_audiences: { key: ['article_id', 'value'] },
  article_reads: { key: ['article_id', 'contact_id'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    articles: Articles;
    article_texts: ArticleTexts;
    article_audiences: ArticleAudiences;
    article_reads: ArticleReads;
  }
}

interface Articles {
  article_id: string;
  company_id: string;
  /** The language that readers get who have none of their own: the one it was begun in. */
  language: Lang;
  audience: Audience;
  /** A published one is shown from `publish_at` to `expire_at`. */
  state: 'draft' | 'published' | 'withdrawn';
  publish_at: Millis | null;
  expire_at: Millis | null;
  is_pinned: Bit;
  /** Whether its readers get an email. */
  notifies: Bit;
  author: string;
  /** Raised with every change. */
  version: number;
  created_at: Millis;
  modified_at: Millis;
}

interface ArticleTexts {
  article_id: string;
  lang: Lang;
  title: Encrypted;
  summary: Encrypted;
  body: Encrypted;
}

/** The clients that an article is for, by what `audience` says: kinds, keys of tags, or ids of clients. */
interface ArticleAudiences {
  article_id: string;
  value: string;
}

interface ArticleReads {
  article_id: string;
  contact_id: string;
  seen_at: Millis;
}
