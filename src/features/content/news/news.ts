import { z } from 'zod';

/** News from the firm for its clients (spec 2, news article): the contract of its calls, and limits. */

/** Whom an article is for: all clients of the firm, or those of some kinds, with some tags, or chosen ones. */
export const AUDIENCES = ['all', 'kinds', 'tags', 'clients'] as const;
export type Audience = (typeof AUDIENCES)[number];

export const CLIENT_KINDS = ['business', 'individual'] as const;

export const MAX_TITLE = 120;
export const MAX_SUMMARY = 300;
export const MAX_BODY = 10_000;
/** The most characters without an empty line: the time to read Markdown grows with the square of it. */
export const MAX_BLOCK = 3000;
/** The most clients that are chosen one by one. */
export const MAX_CHOSEN = 500;

/** Page size of lists (spec 2, section 9). */
const PAGE = 30;
const MAX_PAGE = 100;
const NO_CONTACT = 'Contact id can not be undefined';

export const sharedQuery = z.strictObject({
  contactId: z.string({ error: NO_CONTACT }).min(1, NO_CONTACT).max(60),
  startIndex: z.coerce.number().int().min(0).max(1_000_000).default(0),
  itemsPerPage: z.coerce.number().int().min(1).max(MAX_PAGE).default(PAGE),
});

const listedArticle = z.strictObject({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  /** Of the texts, BCP 47: the reader’s own where the firm wrote it. */
  language: z.string(),
  publishedDate: z.iso.datetime(),
  expirationDate: z.iso.datetime().nullable(),
  isPinned: z.boolean(),
  seen: z.boolean(),
});
export type ListedArticle = z.infer<typeof listedArticle>;

export const articlePage = z.strictObject({ items: z.array(listedArticle), totalItems: z.number() });
export type ArticlePage = z.infer<typeof articlePage>;

export const sharedArticle = listedArticle.extend({
  /** As the firm wrote it: Markdown. */
  body: z.string(),
  /** The same as HTML that is safe to show. */
  html: z.string(),
});
export type SharedArticle = z.infer<typeof sharedArticle>;
