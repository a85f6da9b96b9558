import type { Page } from 'playwright/test';
import { submitEmpty } from './examples/steps.ts';
import { accessProblems, hasAccessProblems } from './support/accessibility.ts';
import { PEOPLE, enter, expect, test } from './support/test.ts';

/*
 * What the checks of accessibility are worth: typical failures are put into pages of the portal, one at a time, and a
 * check has to find each. A failure is a change to the page in the browser; without it the same checks find nothing.
 */

test.use({ viewport: { width: 1280, height: 800 } });

interface Failure {
  /** Styles that make the page fail. */
  css?: string;
  /** Runs in the page and makes it fail. */
  plant?: () => void;
  /** Finds what cannot be seen in a state of the page alone; {@link hasAccessProblems} by default. */
  check?: (page: Page) => Promise<boolean>;
}

/** Each is unlike the others; most were found in the portal once. */
const ON_DOCUMENTS: Readonly<Record<string, Failure>> = {
  'a search field is named by its placeholder': {
    plant: () => document.querySelector('main [type=search]')?.removeAttribute('aria-label'),
  },
  'a logo is described by its file name': {
    plant: () => document.querySelector('.header-logo img')?.setAttribute('alt', 'logo.png'),
  },
  'an image has no alternative text': {
    plant: () => document.querySelector('.header-logo img')?.removeAttribute('alt'),
  },
  'a heading is only bold text': {
    plant: () =>
      document
        .querySelector('main')
        ?.insertAdjacentHTML('beforeend', '<div class="planted">Recent uploads</div>'),
    css: '.planted { font-size: 20px; font-weight: 700 }',
  },
  'a level of headings is left out': {
    plant: () => document.querySelector('main')?.insertAdjacentHTML('beforeend', '<h5>Recent uploads</h5>'),
  },
  'the page has no main heading': {
    plant: () => document.querySelectorAll('h1').forEach((heading) => heading.remove()),
  },
  'nothing shows the focus': { css: '* { outline: none !important; box-shadow: none !important }' },
  'one kind of control does not show the focus': {
    css: '.chip { outline: none !important; box-shadow: none !important }',
  },
  'a shadow that is always there is taken for the focus': {
    css: '.chip { outline: none !important; box-shadow: none !important } :has(> .chip) { box-shadow: 0 0 2px #000 !important }',
  },
  'a fixed bar covers what has the focus': {
    plant: () => document.body.insertAdjacentHTML('beforeend', '<div class="planted"></div>'),
    css: '.planted { position: fixed; inset: 40% 0 0; background: #fff; z-index: 999 }',
  },
  'the field for files cannot be reached with the keyboard': {
    css: '[type=file] { display: none !important }',
  },
  'a button is taken out of the tab order': {
    plant: () => document.querySelector('.row-menu')?.setAttribute('tabindex', '-1'),
  },
  'the tab order is rearranged': {
    plant: () => document.querySelector('.row-menu')?.setAttribute('tabindex', '5'),
  },
  'a text reacts to clicks like a button': {
    plant: () =>
      document
        .querySelector('main')
        ?.insertAdjacentHTML('beforeend', '<span class="planted">Show more</span>'),
    css: '.planted { cursor: pointer }',
  },
  'a role is promised without a keyboard': {
    plant: () =>
      document
        .querySelector('main')
        ?.insertAdjacentHTML('beforeend', '<div role="button">Show more of it</div>'),
  },
  'downloads are named without their document': {
    plant: () => document.querySelectorAll('.get').forEach((link) => (link.ariaLabel = 'Download')),
  },
  'the menus of rows are named alike': {
    plant: () => document.querySelectorAll('.row-menu').forEach((button) => (button.ariaLabel = 'More')),
  },
  'the name of a control is not what it shows': {
    plant: () => document.querySelector('main .chip[aria-current]')?.setAttribute('aria-label', 'Filter'),
  },
  'a button has only an icon': {
    plant: () => document.querySelector('.row-menu')?.removeAttribute('aria-label'),
  },
  'controls are too small for a thumb': {
    css: '.row-menu { min-inline-size: 0 !important; min-block-size: 0 !important; inline-size: 18px !important; block-size: 18px !important; padding: 0 !important }',
  },
  'transitions ignore that less motion is wanted': { css: '.chip { transition: all 0.3s !important }' },
  'animations ignore that less motion is wanted': {
    css: '@keyframes planted { to { opacity: 0.5 } } h1 { animation: planted 1s infinite !important }',
  },
  'the headers of a table are plain cells': {
    plant: () =>
      document.querySelectorAll('#document-list th').forEach((cell) => {
        const plain = document.createElement('td');
        plain.append(...cell.childNodes);
        cell.replaceWith(plain);
      }),
  },
  'a table has no name': {
    plant: () => document.querySelectorAll('#document-list caption').forEach((caption) => caption.remove()),
  },
  'rows of a table lose their role on phones': {
    plant: () => document.querySelectorAll('[role=row]').forEach((row) => row.setAttribute('role', 'none')),
  },
  'text is too faint': { css: 'main td, main p { color: #bbb !important }' },
  'text is too faint in the dark scheme': {
    css: '@media (prefers-color-scheme: dark) { main td, main p, main a { color: #555 !important } }',
    check: async (page) => {
      await page.emulateMedia({ colorScheme: 'dark' });
      const isFound = await hasAccessProblems(page);
      await page.emulateMedia({ colorScheme: null });
      return isFound;
    },
  },
  'the page cannot be enlarged': {
    plant: () =>
      document
        .querySelector('meta[name=viewport]')
        ?.setAttribute('content', 'width=device-width, user-scalable=no, maximum-scale=1'),
  },
  'the page is wider than the screen': {
    css: 'main { min-inline-size: 1400px }',
    check: (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
  },
  'the link to the content leads nowhere': {
    plant: () => document.querySelector('a[href="#main"], a[href^="#"]')?.setAttribute('href', '#nowhere'),
  },
  'the page does not say its language': {
    plant: () => document.documentElement.removeAttribute('lang'),
  },
  'the page has no title': { plant: () => void (document.title = '') },
  'an id occurs twice': {
    plant: () => document.body.insertAdjacentHTML('beforeend', '<div id="document-list"></div>'),
  },
  'two navigations have the same name': {
    plant: () => document.querySelectorAll('nav').forEach((nav) => nav.setAttribute('aria-label', 'Menu')),
  },
  'something hidden from screen readers takes the focus': {
    plant: () => document.querySelector('main .chip')?.parentElement?.setAttribute('aria-hidden', 'true'),
  },
  'a list contains what is no item': {
    plant: () =>
      document
        .querySelector('main')
        ?.insertAdjacentHTML('beforeend', '<ul><div>One</div><div>Two</div></ul>'),
  },
  'a link opens a new tab without saying so': {
    plant: () => document.querySelector('main a.chip[aria-current]')?.setAttribute('target', '_blank'),
  },
  'alerts are silent': {
    plant: () =>
      document
        .querySelectorAll('#alerts [aria-live], #alerts [role=status]')
        .forEach((region) => ['aria-live', 'role'].forEach((name) => region.removeAttribute(name))),
  },
  'the number of selected documents is not announced': {
    plant: () => document.querySelector('[data-selection]')?.removeAttribute('role'),
  },
  'a closed dialog leaves the focus nowhere': {
    plant: () =>
      void (HTMLDialogElement.prototype.close = function close() {
        this.remove();
      }),
    check: async (page) => {
      const opener = page.locator('[data-dialog=language-dialog]');
      await opener.click();
      await page.locator('#language-dialog [data-close-dialog]').first().click();
      return opener.evaluate((link) => link !== document.activeElement);
    },
  },
};

const ON_A_FORM: Readonly<Record<string, Failure>> = {
  'the error of a field belongs to no field': {
    plant: () =>
      document
        .querySelectorAll('[aria-invalid]')
        .forEach((field) => field.removeAttribute('aria-describedby')),
  },
  'a label belongs to no field': {
    plant: () => document.querySelector('main label[for]')?.removeAttribute('for'),
  },
  'languages are named without saying in which language': {
    plant: () => document.querySelector('main')?.insertAdjacentHTML('beforeend', '<p>Português (Brasil)</p>'),
  },
};

async function expectFound(
  page: Page,
  open: () => Promise<unknown>,
  failures: Readonly<Record<string, Failure>>,
): Promise<void> {
  await open();
  expect(await accessProblems(page), 'the page without a failure').toEqual([]);
  for (const check of Object.values(failures).flatMap((each) => each.check ?? [])) {
    await open();
    expect(await check(page), 'the page without a failure').toBe(false);
  }
  const missed: string[] = [];
  for (const [name, { css = '', plant, check = hasAccessProblems }] of Object.entries(failures)) {
    await open();
    await page.evaluate((rules) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      document.adoptedStyleSheets = [sheet];
    }, css);
    if (plant) await page.evaluate(plant);
    if (!(await check(page))) missed.push(name);
  }
  expect(missed, 'These failures were not found.').toEqual([]);
}

test('typical failures of accessibility on the list of documents are found', async ({ page }) => {
  test.setTimeout(240_000);
  await enter(page, PEOPLE.olivia);
  await expectFound(page, () => page.goto('documents?name=payroll%202026%2010'), ON_DOCUMENTS);
});

test('typical failures of accessibility in a form with errors are found', async ({ page }) => {
  const open = async (): Promise<void> => {
    await page.goto('auth/rescue');
    await submitEmpty(page);
  };
  await expectFound(page, open, ON_A_FORM);
});
