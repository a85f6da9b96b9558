// @ts-check
import astro from 'eslint-plugin-astro';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';
import { lintRules } from './scripts/lint-rules.mjs';
import { AREAS, DEPENDENCIES, FEATURES, FOLDERS } from './src/features/dependencies.mjs';

const FRONT_DOOR = [
  'src/server.ts',
  'src/app.server.ts',
  'src/features/all.server.ts',
  'src/api.server.ts',
  'src/api-description.server.ts',
  'src/api-docs.server.ts',
  'src/routes.ts',
  'src/commands/*.server.ts',
];

const GRAPH = 'The dependency graph: src/features/dependencies.mjs.';

const elements = [
  { type: 'page', pattern: 'src/pages' },
  { type: 'layout', pattern: 'src/layouts' },
  {
    type: 'feature',
    pattern: `src/features/{${Object.keys(AREAS).join(',')}}/{${FEATURES.join(',')}}`,
    capture: ['area', 'feature'],
  },
  { type: 'library', pattern: 'src/ui' },
  { type: 'platform', pattern: 'src/platform' },
  { type: 'migrations', pattern: 'src/migrations' },
  { type: 'translations', pattern: 'locales' },
].map((element) => ({ ...element, partialMatch: false }));

const files = [
  { category: 'middleware', pattern: 'src/middleware.ts' },
  { category: 'front door', pattern: FRONT_DOOR },
  { category: 'server', pattern: ['src/**/*.server.ts', 'src/server.ts'] },
  // Files that are not *.server.ts may run in a browser, and so may the <script> of an .astro file, which
  // ESLint treats as a file inside it.
  {
    category: 'browser',
    pattern: ['src/{features,ui,platform}/**/*.ts', 'src/**/*.tsx', 'src/**/*.astro/*'],
  },
  {
    category: 'island',
    pattern: ['src/**/*.tsx', 'src/features/**/{state,calls,rules}.ts', 'src/**/*.astro/*'],
  },
  { category: 'built', pattern: 'dist/**' },
];

/** @param {string | string[]} type */
const element = (type) => ({ element: { types: type } });
/** @param {string | string[]} category */
const file = (category) => ({ file: { categories: category } });
/** @param {object} captured @param {string | string[]} [fileInternalPath] */
const feature = (captured = {}, fileInternalPath = '**') => ({
  element: { types: 'feature', captured, fileInternalPath },
});

const ANYTHING = { module: { origin: 'local' } };
const TO = '{{ to.element.captured.feature }}';
const CONTRACT = `${TO}.ts`;
/** What a feature keeps to itself; the front door takes the last one. */
const PRIVATE = ['internal/**', 'api.server.ts', 'feature.server.ts'];
const INSIDE = `"{{ dependency.source }}" is private to the feature ${TO}: its own files import internal/ and api.server.ts, and the front door feature.server.ts. Import another of its files; what is missing there is added to it.`;

/**
 * Which files this file may import; later policies win over earlier ones. Of the features' own policies only those of
 * its feature are given: with those of all features, every import was compared with some two hundred.
 *
 * @param {readonly object[]} [ownPolicies]
 */
const policiesWith = (ownPolicies = []) => [
  {
    from: element('platform'),
    disallow: { to: ANYTHING },
    message:
      'A platform file imports the platform and types from locales/, never "{{ dependency.source }}". Let the feature call the platform and pass it plain data or a function.',
  },
  { from: element('platform'), allow: { to: element('platform') } },
  // the one file that turns them into what the database library takes
  {
    from: { file: { path: '**/src/platform/database/migrations.server.ts' } },
    allow: { to: element('migrations') },
  },
  {
    from: element('migrations'),
    disallow: { to: ANYTHING },
    message:
      'A migration imports the platform, never "{{ dependency.source }}": it must do tomorrow what it does today.',
  },
  { from: element('migrations'), allow: { to: element(['migrations', 'platform']) } },
  {
    from: element('library'),
    disallow: { to: ANYTHING },
    message:
      'A library component imports the component library and browser-safe files of the platform, never "{{ dependency.source }}". Give it what it shows as props, or move the component into the ui/ of its feature.',
  },
  { from: element('library'), allow: { to: [element('library'), element('platform')] } },
  {
    from: element('library'),
    disallow: { to: file('server') },
    message:
      'A library component is browser-safe and "{{ dependency.source }}" is for the server alone. Let the page load the data and pass plain props.',
  },
  {
    from: element('feature'),
    disallow: { to: ANYTHING },
    message: `A feature imports the platform, the component library and the features that the graph allows, never "{{ dependency.source }}". Let the page or the front door call the feature. ${GRAPH}`,
  },
  { from: element('feature'), allow: { to: [element('library'), element('platform')] } },
  ...ownPolicies,
  { from: element('feature'), allow: { to: feature({ feature: '{{ from.element.captured.feature }}' }) } },
  {
    from: [element(['page', 'layout']), file(['middleware', 'front door'])],
    disallow: { to: ANYTHING },
    message:
      'Pages, layouts, the middleware and the front door import features, the component library and the platform, never "{{ dependency.source }}".',
  },
  {
    from: [element(['page', 'layout']), file(['middleware', 'front door'])],
    allow: { to: [feature({}, '*.ts'), element('platform')] },
  },
  { from: element(['page', 'layout']), allow: { to: [feature(), element(['layout', 'library'])] } },
  {
    from: [element(['page', 'layout']), file(['middleware', 'front door'])],
    disallow: { to: feature({}, PRIVATE) },
    message: INSIDE,
  },
  {
    from: file('front door'),
    allow: { to: [feature({}, 'feature.server.ts'), file(['front door', 'built'])] },
  },
  { from: file('middleware'), allow: { to: { file: { path: '**/src/routes.ts' } } } },
  {
    from: element(['platform', 'feature']),
    allow: { to: element('translations'), dependency: { kind: 'type' } },
  },
  {
    from: file('island'),
    disallow: { to: feature({}, CONTRACT), dependency: { kind: 'value' } },
    message: `The contract "{{ dependency.source }}" would bring zod to the browser. Take only its types (import type); what runs there belongs in the rules.ts of the feature.`,
  },
  {
    from: { file: { categories: { anyOf: ['browser'], noneOf: ['server'] } } },
    disallow: { to: file('server') },
    message:
      'This file may run in a browser and "{{ dependency.source }}" never does. Let the page load the data and give it as props, call the API through calls.ts, or, if this file is for the server alone, name it *.server.ts.',
  },
];

/** @param {string} name */
function policiesOfFeature(name) {
  const allowed = DEPENDENCIES[name] ?? [];
  return [
    {
      from: feature({ feature: name }),
      disallow: { to: feature() },
      message: `The feature {{ from.element.captured.feature }} may not import the feature ${TO}. Let the page compose the two, move what both need to a feature below them, or add the edge to the graph if it makes no cycle. ${GRAPH}`,
    },
    ...(allowed.length === 0
      ? []
      : [
          { from: feature({ feature: name }), allow: { to: feature({ feature: allowed }) } },
          {
            from: feature({ feature: name }),
            disallow: { to: feature({ feature: allowed }, PRIVATE) },
            message: INSIDE,
          },
        ]),
  ];
}

/** @param {readonly object[]} [ownPolicies] */
const dependencyRules = (ownPolicies) => ({
  'boundaries/dependencies': [
    'error',
    {
      default: 'disallow',
      checkInternals: true,
      checkUnknownLocals: true,
      policies: policiesWith(ownPolicies),
    },
  ],
});

/**
 * Reports files outside the architecture, which would escape the dependency rules.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
const inTheLayout = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program: (node) =>
      context.report({
        node,
        message: `This file is outside the layout. Put it in a feature, src/pages, src/layouts, src/ui or src/platform; a new feature first gets its line in the graph. ${GRAPH}`,
      }),
  }),
};
const inLayout = [
  'src/pages/**',
  'src/layouts/**',
  'src/ui/**',
  'src/platform/**',
  'src/migrations/**',
  ...FEATURES.map((name) => `src/features/${FOLDERS[name]}/**`),
  'src/features/dependencies.mjs',
];

const CODE = ['**/*.{js,mjs,ts,tsx,astro}'];
const TYPED = ['{src,tests,e2e}/**/*.{ts,tsx}', '*.ts'];
const VIRTUAL = ['**/*.astro/**'];

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'test-results/', '.astro/', 'public/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  ...astro.configs['flat/recommended'],
  ...lintRules,
  {
    files: CODE,
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-debugger': 'error',
      'no-eval': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['**/*.{ts,tsx,astro}'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
    },
  },
  // an import at the top would make it a module
  { files: ['**/*.d.ts'], rules: { '@typescript-eslint/consistent-type-imports': 'off' } },
  {
    files: TYPED,
    ignores: VIRTUAL,
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
    },
  },
  { files: ['src/**'], rules: { 'no-console': 'error' } },
  // the start-up text for the person at the terminal
  { files: ['src/server.ts'], rules: { 'no-console': ['error', { allow: ['log'] }] } },
  {
    files: ['src/**'],
    plugins: { boundaries },
    settings: {
      'boundaries/elements': elements,
      'boundaries/files': files,
      'boundaries/root-path': import.meta.dirname,
      'boundaries/legacy-templates': false,
      'boundaries/legacy-warnings': false,
      'import/resolver': { './scripts/import-resolver.mjs': {} },
    },
    rules: dependencyRules(),
  },
  ...FEATURES.map((name) => ({
    files: [`src/features/${FOLDERS[name]}/**`],
    rules: dependencyRules(policiesOfFeature(name)),
  })),
  {
    files: ['src/**'],
    ignores: [...inLayout, ...FRONT_DOOR, 'src/middleware.ts', 'src/*.d.ts'],
    plugins: { layout: { rules: { 'in-the-layout': inTheLayout } } },
    rules: { 'layout/in-the-layout': 'error' },
  },
);
