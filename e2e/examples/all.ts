import { PAGES } from '../../src/routes.ts';
import { areaPages } from './areas.ts';
import { clientPages } from './clients.ts';
import { contactPages } from './contact.ts';
import type { PageExample, PageExamples } from './page-example.ts';
import { peoplePages } from './people.ts';
import { columnPages } from './single-column.ts';
import { staffPages, viewAsPages } from './staff.ts';
import { trashPages } from './trash.ts';

const EXAMPLES: PageExamples = {
  ...contactPages,
  ...areaPages,
  ...trashPages,
  ...staffPages,
  ...clientPages,
  ...peoplePages,
  ...viewAsPages,
  ...columnPages,
};

/** What the tests know of a page. Throws, and says what to add, when they know nothing. */
export function exampleOf(pattern: string): PageExample {
  const example = EXAMPLES[pattern];
  if (!example)
    throw new Error(
      `${pattern} is in PAGES of src/routes.ts, but has no example. Add it to the table of its area in e2e/examples/: its budget (PLAIN, or LIST when only people who are signed in open it) and its states, each with its address and the steps to it.`,
    );
  return example;
}

/** Examples of pages that no longer exist. */
export const staleExamples = (): string[] =>
  Object.keys(EXAMPLES).filter((pattern) => !Object.hasOwn(PAGES, pattern));
