// Lint rules of this project: a selector each, and a message that says what to do instead. All are errors.

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
    say: 'The content policy refuses style attributes. Write a class and style it in the stylesheet; for a value, use an attribute such as data-level, <progress> or <meter>.',
  },
  'no-raw-html': {
    files: RENDERED,
    selectors: [
      directive('set', 'html'),
      attribute('dangerouslySetInnerHTML'),
      'Property[key.name="dangerouslySetInnerHTML"]',
    ],
    say: 'Raw HTML can carry a script. Write the markup here, or give the text as text.',
  },
  'no-inline-script': {
    files: ['**/*.astro'],
    selectors: [directive('is', 'inline'), directive('define', 'vars')],
    say: 'The content policy refuses what is written inline. Use a plain <script> or <style>, and pass values as data- attributes.',
  },
  'sql-by-parameters': {
    files: ['src/**'],
    ignores: ['src/platform/migrations.server.ts'],
    selectors: [
      'CallExpression[callee.object.name="sql"][callee.property.name="raw"] > .arguments:not(Literal):not(TemplateLiteral[expressions.length=0])',
    ],
    say: 'sql.raw() with a value in it is how SQL gets injected. Write sql`… ${value}` (a parameter), and sql.ref() or sql.table() for a name.',
  },
  'no-zod-in-browser': {
    files: ['src/features/**/ui/**', 'src/features/**/{state,calls,rules}.ts', 'src/ui/**'],
    selectors: ['ImportDeclaration[importKind!="type"][source.value=/^zod(?!\\/mini$)/]'],
    say: "zod would travel to the browser. Use the types of the feature's contract (import type), put a shared check in rules.ts, and parse in the server door.",
  },
  'no-astro-modules': {
    files: ['src/**/*.ts', 'tests/**/*.ts', 'e2e/**/*.ts', '*.ts'],
    ignores: ['src/middleware.ts'],
    selectors: [
      'ImportDeclaration[importKind!="type"][source.value=/^astro:/]',
      'ImportExpression[source.value=/^astro:/]',
    ],
    say: 'Node runs this file itself and knows no astro: modules. Take what you need as an argument from the page or from middleware.ts.',
  },
  'ask-the-clock': {
    files: ON_THE_SERVER,
    ignores: ['src/platform/clock.server.ts', SCRIPTS_IN_ASTRO],
    selectors: [
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
    ],
    say: 'Ask the clock, now() of #platform/clock.server.ts, so that tests and the demo can stand at another moment.',
  },
  'no-skipped-test': {
    files: TESTS,
    selectors: [
      'MemberExpression[property.name=/^(only|skip|skipIf|runIf|fixme|todo)$/]:matches([object.name=/^(test|it|describe|suite)$/], [object.object.name=/^(test|it|describe|suite)$/])',
    ],
    say: 'Every test runs, every time. Repair this one or delete it; run one alone with `npx vitest run -t <name>` or `npx playwright test -g <name>`.',
  },
  'watched-test': {
    files: ['e2e/**/*.spec.ts'],
    selectors: [
      'ImportDeclaration[importKind!="type"][source.value=/^@?playwright\\/test$/] > ImportSpecifier[importKind!="type"][imported.name=/^(test|default)$/]',
    ],
    say: "This `test` watches nothing. Take { expect, test } from './support/test.ts': it fails on script errors, refused content and faults of the portal. A portal of the test's own: test.use({ baseURL: '' }).",
  },
  'no-sleeping': {
    files: TESTS,
    selectors: [
      'CallExpression[callee.property.name="waitForTimeout"]',
      'CallExpression[callee.name="setTimeout"]',
      'ImportDeclaration[source.value=/^(node:)?timers\\/promises$/] > ImportSpecifier[imported.name="setTimeout"]',
    ],
    say: 'Sleeping makes a test slow and still leaves it to chance. Wait for what a person would see (expect(…).toBeVisible(), expect.poll), move the clock (moveClock), or run the jobs (runDueJobs).',
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
 * An exception without a reason. Reported before the comment's own line begins, where the comment cannot
 * silence it. Prettier knows its comment only when nothing else stands in it, so its reason stands on the
 * line above.
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

/** ESLint configuration with all of them. @type {import('eslint').Linter.Config[]} */
export const lintRules = [
  { name: 'portal', plugins: { portal: plugin }, rules: { 'portal/disable-says-why': 'error' } },
  ...Object.entries(FORBIDDEN).map(([name, { files, ignores = [] }]) => ({
    name: `portal/${name}`,
    files,
    ignores,
    rules: { [`portal/${name}`]: /** @type {const} */ ('error') },
  })),
];
