import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { articlesIn } from '#features/content/help/articles.server.ts';
import { textOf } from '#features/content/help/markdown.server.ts';
import { SUBJECTS, type Article, type Block, type Inline, type Role } from '#features/content/help/help.ts';
import { LANGS } from '#platform/text/languages.ts';
import { ROOT } from '#platform/runtime/root.server.ts';
import { PAGES } from '../../../src/routes.ts';
import { expressionsNotUsed } from '../../support/wording.ts';
import { NOT_WRITTEN, WITHOUT_ARTICLE } from './gaps.ts';

const WRITTEN = ['en', 'pt', 'es', 'fr'];
const IDS: readonly string[] = Object.values(SUBJECTS).flat();
const english = [...articlesIn('en-us').values()];
const pageOf = (pattern: string): string => pattern.replace(/^\/\[base\]\/\[lang\]\/?/, '');
const PAGE_GUARDS = new Map(Object.entries(PAGES).map(([pattern, guard]) => [pageOf(pattern), guard]));

const linesOf = (block: Block): readonly (readonly Inline[])[] =>
  block.kind === 'list'
    ? block.items
    : block.kind === 'table'
      ? [block.head, ...block.rows].flat()
      : [block.content];
const partsOf = (line: readonly Inline[]): Inline[] =>
  line.flatMap((part) => [part, ...('content' in part ? partsOf(part.content) : [])]);
const inlinesOf = ({ blocks }: Article): Inline[] => blocks.flatMap(linesOf).flatMap(partsOf);

/** What an article is made of, whatever its language. */
const shapeOf = ({ blocks }: Article): string[] =>
  blocks.map((block) =>
    block.kind === 'heading'
      ? `h${block.level}`
      : block.kind === 'list'
        ? `${block.isOrdered ? 'ol' : 'ul'} ${block.items.length}`
        : block.kind === 'table'
          ? `table ${block.rows.length}`
          : block.kind,
  );

/** Whose articles somebody sees, from what they may do: who opens an article can open what it links to. */
const reaches = (role: Role, who: string | undefined): boolean =>
  who === 'visitor' ||
  (who === 'signed-in' && role !== 'visitor') ||
  (who === 'staff' && ['staff', 'owner'].includes(role));

describe('the help articles', () => {
  test.each(WRITTEN)('each article has a file in the folder %s, and no other file is there', (folder) => {
    expect(fs.readdirSync(path.join(ROOT, 'help', folder)).toSorted()).toEqual(
      IDS.map((id) => `${id}.md`).toSorted(),
    );
  });

  test('an article is listed under one subject, and no folder is of a language that nobody writes', () => {
    expect(IDS).toEqual([...new Set(IDS)]);
    expect(fs.readdirSync(path.join(ROOT, 'help')).toSorted()).toEqual(WRITTEN.toSorted());
  });

  test('no article has the address of another page', () => {
    expect(IDS.filter((id) => PAGE_GUARDS.has(`help/${id}`))).toEqual([]);
  });

  test.each(LANGS)('every article can be read in %s: its labels, icons and links exist', (lang) => {
    const articles = articlesIn(lang);
    expect([...articles.keys()]).toEqual(IDS);
    for (const { id, blocks } of articles.values()) expect(textOf(blocks), id).not.toBe('');
  });

  test.each(['pt', 'es', 'fr'] as const)(
    'an article has the same headings, lists and tables in %s as in English',
    (lang) => {
      for (const article of articlesIn(lang).values())
        expect(shapeOf(article), article.id).toEqual(shapeOf(articlesIn('en-us').get(article.id) ?? article));
    },
  );

  test.each(LANGS)(
    'an article in %s links to the same places, and names the same labels and icons',
    (lang) => {
      const referencesOf = (article: Article): string[] =>
        inlinesOf(article)
          .flatMap((part) =>
            part.kind === 'label'
              ? `${part.label.namespace}.${part.label.key}`
              : part.kind === 'icon'
                ? part.name
                : 'to' in part
                  ? part.to
                  : [],
          )
          .toSorted();
      for (const article of articlesIn(lang).values())
        expect(referencesOf(article), article.id).toEqual(
          referencesOf(articlesIn('en-us').get(article.id) ?? article),
        );
    },
  );

  test.each(LANGS)(
    'an article in %s has at most 220 words, 20 a sentence on average, and 7 steps',
    (lang) => {
      for (const { id, blocks } of articlesIn(lang).values()) {
        const plainText = textOf(blocks);
        expect(countWords(plainText), `${id}: words`).toBeLessThanOrEqual(220);
        expect(wordsOfSentence(plainText), `${id}: words of a sentence`).toBeLessThanOrEqual(20);
        for (const block of blocks)
          if (block.kind === 'list' && block.isOrdered)
            expect(block.items.length, `${id}: steps`).toBeLessThanOrEqual(7);
      }
    },
  );

  test('a page and an article that an article leads to exist for somebody who reads it', () => {
    for (const article of english) {
      for (const part of inlinesOf(article)) {
        if (part.kind === 'page')
          expect(
            article.roles.some((role) => reaches(role, PAGE_GUARDS.get(part.to)?.who)),
            `${article.id} links to ${part.to}`,
          ).toBe(true);
        if (part.kind === 'article') expect(IDS, `${article.id} links to ${part.to}`).toContain(part.to);
      }
      for (const page of article.pages) {
        expect([...PAGE_GUARDS.keys()], `${article.id} is suggested on ${page}`).toContain(page);
        expect(
          article.roles.some((role) => reaches(role, PAGE_GUARDS.get(page)?.who)),
          `${article.id} is suggested on ${page}`,
        ).toBe(true);
      }
    }
  });

  test('a related article exists, is another one, and can be read by somebody who reads this one', () => {
    const rank: Record<Role, number> = { visitor: 0, contact: 1, staff: 2, owner: 3 };
    const lowest = (roles: readonly Role[]): number => Math.min(...roles.map((role) => rank[role]));
    const highest = (roles: readonly Role[]): number => Math.max(...roles.map((role) => rank[role]));
    for (const { id, related, roles } of english)
      for (const other of related) {
        expect(other).not.toBe(id);
        const found = articlesIn('en-us').get(other);
        expect(
          found && lowest(found.roles) <= Math.max(highest(roles), rank.contact),
          `${id}: ${other}`,
        ).toBe(true);
      }
  });

  test('each page that people see has an article, or a reason why not', () => {
    const covered = new Set(english.flatMap(({ pages }) => pages));
    const isCovered = (page: string): boolean => covered.has(page) || Object.hasOwn(WITHOUT_ARTICLE, page);
    expect(
      [...PAGE_GUARDS.keys()].filter((page) => !isCovered(page)),
      'Name these pages in an article of help/en, or in WITHOUT_ARTICLE of gaps.ts with a reason',
    ).toEqual([]);
    expect(
      Object.keys(WITHOUT_ARTICLE).filter((page) => covered.has(page) || !PAGE_GUARDS.has(page)),
      'Take these out of WITHOUT_ARTICLE: they have an article, or no longer exist',
    ).toEqual([]);
  });

  test('an article that is still to be written is about a page that does not exist yet', () => {
    for (const [id, { pages }] of Object.entries(NOT_WRITTEN)) {
      expect(IDS, `${id} is written: take it out of NOT_WRITTEN`).not.toContain(id);
      for (const page of pages)
        expect(
          PAGE_GUARDS.has(page),
          `${page} exists: write help/…/${id}.md and take it out of NOT_WRITTEN`,
        ).toBe(false);
    }
  });

  test.each(LANGS)('the articles in %s use the terms of the glossary', (lang) => {
    const expressions = expressionsNotUsed(lang);
    const found = [...articlesIn(lang).values()].flatMap(({ id, title, summary, blocks }) =>
      [title, summary, ...wordsOf(blocks)].flatMap((text) =>
        expressions.flatMap((expression) => {
          const hit = expression.exec(text)?.[0];
          return hit === undefined ? [] : [`${id}: “${hit}”`];
        }),
      ),
    );
    expect(found).toEqual([]);
  });

  test.each(['en-gb', 'en-au', 'en-ca'] as const)('an article in %s is spelled as there', (lang) => {
    const american = new RegExp(
      String.raw`\b(?:colors?|canceled|center|enroll${lang === 'en-ca' ? '' : '|trash|organiz\\w+|recogniz\\w+'})\b`,
      'i',
    );
    for (const { id, title, summary, blocks } of articlesIn(lang).values())
      expect(american.exec([title, summary, textOf(blocks)].join('\n'))?.[0], id).toBeUndefined();
  });
});

/** What the author of an article wrote, without labels. */
const wordsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(linesOf).map((line) =>
    partsOf(line)
      .map((part) => (part.kind === 'text' ? part.text : ' {} '))
      .join(''),
  );

const segmenter = (granularity: 'word' | 'sentence'): Intl.Segmenter =>
  new Intl.Segmenter('en', { granularity });
const countWords = (text: string): number =>
  [...segmenter('word').segment(text)].filter(({ isWordLike }) => isWordLike).length;
function wordsOfSentence(text: string): number {
  const sentences = text.split('\n').flatMap((line) => [...segmenter('sentence').segment(line)]);
  return countWords(text) / sentences.length;
}
