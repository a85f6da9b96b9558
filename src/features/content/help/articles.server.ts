import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ENGLISH, respelled } from '#platform/text/english.ts';
import type { Lang } from '#platform/text/languages.ts';
import { ROOT } from '#platform/runtime/root.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import { isNamespace } from '#platform/text/translations.server.ts';
import { articleHead, articlePlace, SUBJECTS, type Article, type Block, type Subject } from './help.ts';
import { blocksOf } from './markdown.server.ts';

/*
 * The articles are files, `help/<language>/<id>.md`: part of the version of the portal that they describe. They are
 * read when a language is first used.
 */

const FOLDER = path.join(ROOT, 'help');
const byLanguage = new Map<Lang, ReadonlyMap<string, Article>>();

/** All articles in a language by id, in the order of their subjects. */
export function articlesIn(lang: Lang): ReadonlyMap<string, Article> {
  const known = byLanguage.get(lang) ?? readArticles(lang);
  byLanguage.set(lang, known);
  return known;
}

const readArticles = (lang: Lang): ReadonlyMap<string, Article> =>
  new Map(
    Object.entries(SUBJECTS).flatMap(([subject, ids]) =>
      ids.map((id) => [id, readArticle(lang, id, subject as Subject)] as const),
    ),
  );

function readArticle(lang: Lang, id: string, subject: Subject): Article {
  const variant = ENGLISH.find((each) => each === lang);
  const english = fileOf('en', id);
  const own = variant ? english : fileOf(lang, id);
  const respell = (text: string): string => (variant ? respelled(text, 'en-us', variant) : text);
  const { title, summary, ...head } = articleHead.parse(variant ? withoutPlace(own.head) : own.head);
  let blocks: readonly Block[] | undefined;
  return {
    ...head,
    ...articlePlace.parse(onlyPlace(english.head)),
    id,
    subject,
    title: respell(title),
    summary: respell(summary),
    // of most articles only the title is shown
    get blocks() {
      blocks ??= blocksOf(own.text, { textOfLabel: (label) => labelIn(lang, label), respell });
      return blocks;
    },
  };
}

type Head = Readonly<Record<string, string>>;

/** What the English file says for all languages. */
const onlyPlace = (head: Head): Head => partOf(head, isOfPlace);
const withoutPlace = (head: Head): Head => partOf(head, (key) => !isOfPlace(key));
const isOfPlace = (key: string): boolean => Object.hasOwn(articlePlace.shape, key);
const partOf = (head: Head, isWanted: (key: string) => boolean): Head =>
  Object.fromEntries(Object.entries(head).filter(([key]) => isWanted(key)));

/** Reads a file: lines of `name: text` between two lines of `---`, then the text. */
function fileOf(folder: string, id: string): { head: Head; text: string } {
  const source = fs.readFileSync(path.join(FOLDER, folder, `${id}.md`), 'utf8');
  const [, head, text] = z
    .tuple([z.string(), z.string(), z.string()])
    .parse(/^---\n(.*?)\n---\n(.*)$/s.exec(source)?.slice(0, 3));
  const lines = head
    .split('\n')
    .map((each) => z.tuple([z.string(), z.string()]).parse(each.split(/: (.*)/, 2)));
  return { head: Object.fromEntries(lines), text };
}

/** The text of a label; undefined if there is none. */
function labelIn(lang: Lang, label: Text): string | undefined {
  const text = isNamespace(label.namespace) ? translate(lang, label) : label.key;
  return text === label.key ? undefined : text;
}
