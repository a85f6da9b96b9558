// Lint rules of this project: each is a selector, and a message with the remedy. All are errors.

const TESTS = ['tests/**', 'e2e/**'];
const RENDERED = ['**/*.astro', '**/*.tsx'];
const ON_THE_SERVER = [
  'src/**/*.server.ts',
  'src/**/*.astro',
  'src/pages/**/*.ts',
  'src/middleware.ts',
  'src/server.ts',
];
const SCRIPTS_IN_ASTRO = '**/*.astro/**'; // the virtual file name of the <script> of an .astro file

/** @param {string} name */
const attribute = (name) =>
  `:matches(JSXAttribute, AstroShorthandAttribute, AstroTemplateLiteralAttribute)[name.name="${name}"]`;
/** @param {string} namespace @param {string} name */
const directive = (namespace, name) =>
  `JSXNamespacedName[namespace.name="${namespace}"][name.name="${name}"]`;

/**
 * @typedef {{ files: string[], ignores?: string[], selectors: string[], say: string }} Forbidden
 * @type {Record<string, Forbidden>}
 */
const FORBIDDEN = {
  'no-style-attribute': {
    files: RENDERED,
    selectors: [attribute('style')],
    say: 'The content security policy blocks style attributes. Style a class in the stylesheet; for a value, use an attribute such as data-level, <progress> or <meter>.',
  },
  'no-raw-html': {
    files: RENDERED,
    // shapes of the sprite; rows and articles, escaped by markup.ts; a firm's checked colors
    ignores: [
      'src/ui/Icon.astro',
      'src/ui/table/Table.astro',
      'src/features/content/help/ui/ArticleText.astro',
      'src/features/content/news/ui/Article.astro',
      'src/layouts/Plain.astro',
    ],
    selectors: [
      directive('set', 'html'),
      attribute('dangerouslySetInnerHTML'),
      'Property[key.name="dangerouslySetInnerHTML"]',
    ],
    say: 'Raw HTML may contain a script. Write the markup here, or pass plain text.',
  },
  'no-inline-script': {
    files: ['**/*.astro'],
    ignores: ['src/layouts/Plain.astro'], // a style, whose digest it adds to the policy
    selectors: [directive('is', 'inline'), directive('define', 'vars')],
    say: 'The content security policy blocks inline code. Use a plain <script> or <style>, and pass values as data- attributes.',
  },
  'no-late-headers': {
    files: ['src/{layouts,features,ui}/**/*.astro'],
    selectors: [
      'MemberExpression[object.name="Astro"][property.name=/^(cookies|redirect|rewrite)$/]',
      'MemberExpression[object.object.name="Astro"][object.property.name="response"][property.name="headers"]',
      'AssignmentExpression > MemberExpression.left[object.object.name="Astro"][object.property.name="response"]',
    ],
    say: 'The answer may have begun when a component renders, and its cookies, headers and status are lost. Set them in the page before its markup, or in src/middleware.ts.',
  },
  'no-re-export': {
    files: ['{src,tests,e2e}/**'],
    selectors: ['ExportNamedDeclaration[source]', 'ExportAllDeclaration'],
    say: 'An import names the file that has the function. Export it there alone, and import it from there.',
  },
  'sql-by-parameters': {
    files: ['src/**'],
    ignores: ['src/platform/database/migrations.server.ts'],
    selectors: [
      'CallExpression[callee.object.name="sql"][callee.property.name="raw"] > .arguments:not(Literal):not(TemplateLiteral[expressions.length=0])',
    ],
    say: 'sql.raw() with a value allows SQL injection. Write sql`… ${value}` (a parameter), and sql.ref() or sql.table() for a name.',
  },
  'no-zod-in-browser': {
    files: ['src/features/**/ui/**', 'src/features/**/{state,calls,rules}.ts', 'src/ui/**'],
    selectors: ['ImportDeclaration[importKind!="type"][source.value=/^zod(?!\\/mini$)/]'],
    say: "zod would be bundled for the browser. Use the types of the feature's contract (import type), put shared checks in rules.ts, and parse on the server.",
  },
  'no-astro-modules': {
    files: ['src/**/*.ts', 'tests/**/*.ts', 'e2e/**/*.ts', '*.ts'],
    ignores: ['src/middleware.ts'],
    selectors: [
      'ImportDeclaration[importKind!="type"][source.value=/^astro:/]',
      'ImportExpression[source.value=/^astro:/]',
    ],
    say: 'Node runs this file itself and has no astro: modules. Pass what you need as an argument from the page or from middleware.ts.',
  },
  'ask-the-clock': {
    files: ON_THE_SERVER,
    ignores: ['src/platform/runtime/clock.server.ts', SCRIPTS_IN_ASTRO],
    selectors: [
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
    ],
    say: 'Use now() of #platform/runtime/clock.server.ts, so that tests and the demo can set the time.',
  },
  'no-skipped-test': {
    files: TESTS,
    selectors: [
      'MemberExpression[property.name=/^(only|skip|skipIf|runIf|fixme|todo)$/]:matches([object.name=/^(test|it|describe|suite)$/], [object.object.name=/^(test|it|describe|suite)$/])',
    ],
    say: 'Every test runs every time. Fix this one or delete it; to run a single test, use `npx vitest run -t <name>` or `npx playwright test -g <name>`.',
  },
  'watched-test': {
    files: ['e2e/**/*.spec.ts'],
    selectors: [
      'ImportDeclaration[importKind!="type"][source.value=/^@?playwright\\/test$/] > ImportSpecifier[importKind!="type"][imported.name=/^(test|default)$/]',
    ],
    say: "This `test` does not watch the page. Import { expect, test } from './support/test.ts', which fails on script errors, blocked content and errors of the portal. For a portal of its own: test.use({ baseURL: '' }).",
  },
  'no-sleeping': {
    files: TESTS,
    selectors: [
      'CallExpression[callee.property.name="waitForTimeout"]',
      'CallExpression[callee.name="setTimeout"]',
      'CallExpression[callee.object.name="vi"][callee.property.name=/^waitFor$|^waitUntil$/]', // for a second only
      'ImportDeclaration[source.value=/^(node:)?timers\\/promises$/] > ImportSpecifier[imported.name="setTimeout"]',
    ],
    say: 'Sleeping makes a test slow and still flaky. Wait for what a person would see (expect(…).toBeVisible(), expect.poll), move the clock (moveClock), or run the jobs (runDueJobs).',
  },
};

/** @param {Forbidden} rule @returns {import('eslint').Rule.RuleModule} */
const forbids = ({ selectors, say }) => ({
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    [selectors.join(', ')]: (/** @type {import('eslint').Rule.Node} */ node) =>
      context.report({ node, message: say }),
  }),
});

/**
 * Requires a reason for every exception. Reports before the start of the comment's line, where the comment
 * cannot disable the report. Prettier recognizes its own comment only if it has no other text, so its reason
 * is on the line above.
 * @type {import('eslint').Rule.RuleModule}
 */
const disableSaysWhy = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program() {
      const comments = context.sourceCode.getAllComments();
      for (const comment of comments) {
        if (!comment.loc) continue;
        const { line } = comment.loc.start;
        const loc = { start: { line, column: -1 }, end: comment.loc.end };
        if (/^\s*eslint-disable/.test(comment.value) && !/\s-- \S/.test(comment.value))
          context.report({ loc, message: 'Say why: `eslint-disable-next-line <rule> -- <reason>`.' });
        const isExplained = comments.some(
          (other) => other.loc?.end.line === line - 1 && !/^\s*prettier-ignore/.test(other.value),
        );
        if (/^\s*prettier-ignore/.test(comment.value) && !isExplained)
          context.report({ loc, message: 'Say why in a comment on the line above `prettier-ignore`.' });
      }
    },
  }),
};

const plugin = {
  meta: { name: 'portal' },
  rules: {
    'disable-says-why': disableSaysWhy,
    ...Object.fromEntries(Object.entries(FORBIDDEN).map(([name, rule]) => [name, forbids(rule)])),
  },
};

/** The ESLint configuration with all rules. @type {import('eslint').Linter.Config[]} */
export const lintRules = [
  { name: 'portal', plugins: { portal: plugin }, rules: { 'portal/disable-says-why': 'error' } },
  ...Object.entries(FORBIDDEN).map(([name, { files, ignores = [] }]) => ({
    name: `portal/${name}`,
    files,
    ignores,
    rules: { [`portal/${name}`]: /** @type {const} */ ('error') },
  })),
];
