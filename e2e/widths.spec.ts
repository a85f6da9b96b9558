import { PEOPLE, enter, expect, test } from './support/test.ts';

/* Between the sizes at which other tests look, such as those of tablets on their side. */

const LISTS = ['staff/inbox', 'staff/clients', 'staff/people', 'staff/tasks', 'staff/mails', 'staff/audit'];
const WIDTHS = Array.from({ length: 42 }, (_, at) => 480 + 20 * at);

for (const lang of ['en-us', 'fr', 'pt'])
  test.describe(`in ${lang}`, () => {
    test.use({
      baseURL: async ({ portal }, use) => use(`${portal.origin}/clientcenter/${lang}/`),
    });

    test(`no list of the firm scrolls the page sideways, however wide it is, in ${lang}`, async ({
      page,
    }) => {
      await enter(page, PEOPLE.eleanor, 'staff/inbox');
      for (const path of LISTS) {
        await page.goto(path);
        const sideways: number[] = [];
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (overflow > 0) sideways.push(width);
        }
        expect(sideways, path).toEqual([]);
      }
    });
  });
