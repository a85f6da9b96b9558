import type { SchemaChange } from './schema-change.server.ts';

/** News from the firm: articles with their texts in several languages, whom they are for, and who has seen them. */
export const news: SchemaChange = {
  sqlite: [
    `create table articles (article_id text primary key, company_id text not null references firms, language text not null, audience text not null, state text not null, publish_at bigint, expire_at bigint, is_pinned smallint not null, notifies smallint not null, author text not null, version bigint not null, created_at bigint not null, modified_at bigint not null)`,
    `create index articles_of_firm on articles (company_id, modified_at, article_id)`,
    `create index articles_shown on articles (company_id, state, publish_at)`,
    `create table article_texts (article_id text not null references articles on delete cascade, lang text not null, title text not null, summary text not null, body text not null, primary key (article_id, lang))`,
    `create table article_audiences (article_id text not null references articles on delete cascade, value text not null, primary key (article_id, value))`,
    `create index article_audiences_by_value on article_audiences (value)`,
    `create table article_reads (article_id text not null references articles on delete cascade, contact_id text not null references contacts, seen_at bigint not null, primary key (article_id, contact_id))`,
  ],
  postgres: [
    `create table articles (article_id text collate "C" primary key, company_id text collate "C" not null references firms, language text collate "C" not null, audience text collate "C" not null, state text collate "C" not null, publish_at bigint, expire_at bigint, is_pinned smallint not null, notifies smallint not null, author text collate "C" not null, version bigint not null, created_at bigint not null, modified_at bigint not null)`,
    `create index articles_of_firm on articles (company_id, modified_at, article_id)`,
    `create index articles_shown on articles (company_id, state, publish_at)`,
    `create table article_texts (article_id text collate "C" not null references articles on delete cascade, lang text collate "C" not null, title text collate "C" not null, summary text collate "C" not null, body text collate "C" not null, primary key (article_id, lang))`,
    `create table article_audiences (article_id text collate "C" not null references articles on delete cascade, value text collate "C" not null, primary key (article_id, value))`,
    `create index article_audiences_by_value on article_audiences (value)`,
    `create table article_reads (article_id text collate "C" not null references articles on delete cascade, contact_id text collate "C" not null references contacts, seen_at bigint not null, primary key (article_id, contact_id))`,
  ],
};
