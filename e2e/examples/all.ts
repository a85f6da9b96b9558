import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PAGES } from '../../src/routes.ts';
import type { PageExample, Walk } from './page-example.ts';

const FOLDER = import.meta.dirname;
const SUPPORT = ['all.ts', 'page-example.ts', 'steps.ts'];

/** The walks of every file in this folder. */
export const WALKS: readonly Walk[] = (
  await Promise.all(
    fs
      .readdirSync(FOLDER)
      .filter((file) => !SUPPORT.includes(file))
      .toSorted()
      .map(async (file) => (await import(pathToFileURL(path.join(FOLDER, file)).href)) as { walks: Walk[] }),
  )
).flatMap(({ walks }) => walks);

export const EXAMPLES: Readonly<Record<string, PageExample>> = Object.fromEntries(
  WALKS.flatMap(({ pages }) => Object.entries(pages)),
);

/** What the tests know of a page. Throws, and says what to add, when they know nothing. */
export function exampleOf(pattern: string): PageExample {
  const example = EXAMPLES[pattern];
  if (!example)
    throw new Error(
      `${pattern} is in PAGES of src/routes.ts, but has no example. Add it to a file of e2e/examples/, that of its feature or area: its budget (PLAIN, or LIST when only people who are signed in open it) and its states, each with its address and the steps to it.`,
    );
  return example;
}

/** Examples of pages that no longer exist. */
export const staleExamples = (): string[] =>
  Object.keys(EXAMPLES).filter((pattern) => !Object.hasOwn(PAGES, pattern));
