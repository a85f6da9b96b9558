// @ts-check
import astro from 'eslint-plugin-astro';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';
import { house } from './scripts/house-rules.mjs';

/*
 * The map of the house and its guard (the floors of the architecture). A new room gets its name here first.
 */
const FLOORS = [
  { floor: 'ground', rooms: ['firms', 'people', 'address', 'notifications'] },
  { floor: 'first', rooms: ['session', 'identity', 'clients', 'documents', 'news', 'cnd', 'box-e', 'manifest', 'help', 'issues', 'actions', 'receipts'] },
  { floor: 'second', rooms: ['sharing', 'exports', 'tasks', 'service-requests', 'reports', 'dashboard', 'staff', 'access', 'notes', 'viewer'] },
  { floor: 'top', rooms: ['demo'] },
];

const FRONT_DOOR = ['src/server.ts', 'src/api.server.ts', 'src/api-docs.server.ts', 'src/sign-in-api.server.ts', 'src/routes.ts', 'src/commands/*.server.ts'];

const MAP = 'The map: FLOORS in eslint.config.js.';

const elements = [
  { type: 'page', pattern: 'src/pages' },
  { type: 'room', pattern: `src/features/{${FLOORS.flatMap(({ rooms }) => rooms).join(',')}}`, capture: ['room'] },
  { type: 'kit', pattern: 'src/ui' },
  { type: 'platform', pattern: 'src/platform' },
  { type: 'words', pattern: 'locales' },
].map((element) => ({ ...element, partialMatch: false }));

const files = [
  { category: 'middleware', pattern: 'src/middleware.ts' },
  { category: 'front door', pattern: FRONT_DOOR },
  { category: 'server', pattern: ['src/**/*.server.ts', 'src/server.ts'] },
  // What is not named *.server.ts may run in a browser; so does the <script> of an .astro file, which ESLint sees as a file inside it.
  { category: 'browser', pattern: ['src/{features,ui,platform}/**/*.ts', 'src/**/*.tsx', 'src/**/*.astro/*'] },
  { category: 'island', pattern: ['src/**/*.tsx', 'src/features/**/{state,calls,rules}.ts', 'src/**/*.astro/*'] },
  { category: 'built', pattern: 'dist/**' },
];

/** @param {string | string[]} type */
const element = (type) => ({ element: { types: type } });
/** @param {string | string[]} category */
const file = (category) => ({ file: { categories: category } });
/** @param {object} captured @param {string | string[]} [fileInternalPath] */
const room = (captured = {}, fileInternalPath = '**') => ({ element: { types: 'room', captured, fileInternalPath } });

const ANYTHING = { module: { origin: 'local' } };
const DOORS = ['{{ to.element.captured.room }}.ts', '{{ to.element.captured.room }}.server.ts'];
const PARTS = 'ui/**';
/** What both sides share in a room: rules without a world, and state that a page's script may set. */
const SHARED = ['rules.ts', 'state.ts'];
const TO = '{{ to.element.captured.room }}';
const INSIDE = `"{{ dependency.source }}" is inside the room ${TO}. Call its door, #features/${TO}/${TO}.ts or ${TO}.server.ts, or use a part of its ui/; what is missing there becomes a verb of the door.`;

/** Later policies win over earlier ones. */
const policies = [
  {
    from: element('platform'),
    disallow: { to: ANYTHING },
    message:
      'The platform is the ground: a platform file imports the platform and types from locales/, never "{{ dependency.source }}". Let the room call the platform and hand it plain data or a function.',
  },
  { from: element('platform'), allow: { to: element('platform') } },
  {
    from: element('kit'),
    disallow: { to: ANYTHING },
    message:
      'A part of the kit imports the kit and browser-safe files of the platform, never "{{ dependency.source }}". Give it what it shows as props, or move the part into the ui/ of its room.',
  },
  { from: element('kit'), allow: { to: [element('kit'), element('platform')] } },
  {
    from: element('kit'),
    disallow: { to: file('server') },
    message: 'A part of the kit is browser-safe and "{{ dependency.source }}" is for the server alone. Let the page ask it and give the part plain props.',
  },
  {
    from: element('room'),
    disallow: { to: ANYTHING },
    message: `A room imports the platform, the kit and the doors of rooms on lower floors, never "{{ dependency.source }}". Let the page or the front door call the room. ${MAP}`,
  },
  { from: element('room'), allow: { to: [element('kit'), element('platform')] } },
  ...FLOORS.flatMap(({ floor, rooms }, index) => {
    const lower = FLOORS.slice(0, index).flatMap((below) => below.rooms);
    return [
      {
        from: room({ room: rooms }),
        disallow: { to: room() },
        message: `The room {{ from.element.captured.room }} (${floor} floor) may not call the room ${TO}, which is on its own floor or above. Let the page compose the two, or move what both need to a lower floor. ${MAP}`,
      },
      ...(lower.length === 0
        ? []
        : [
            { from: room({ room: rooms }), disallow: { to: room({ room: lower }) }, message: INSIDE },
            { from: room({ room: rooms }), allow: { to: room({ room: lower }, [...DOORS, PARTS]) } },
          ]),
    ];
  }),
  { from: element('room'), allow: { to: room({ room: '{{ from.element.captured.room }}' }) } },
  {
    from: [element('page'), file(['middleware', 'front door'])],
    disallow: { to: ANYTHING },
    message: 'Pages, the middleware and the front door import the doors of rooms, the kit and the platform, never "{{ dependency.source }}".',
  },
  { from: [element('page'), file(['middleware', 'front door'])], disallow: { to: room() }, message: INSIDE },
  { from: [element('page'), file(['middleware', 'front door'])], allow: { to: [room({}, DOORS), element('platform')] } },
  { from: element('page'), allow: { to: [room({}, [PARTS, ...SHARED]), element('page'), element('kit')] } },
  { from: file('front door'), allow: { to: [room({}, 'api.server.ts'), file(['front door', 'built'])] } },
  { from: file('middleware'), allow: { to: { file: { path: '**/src/routes.ts' } } } },
  { from: element(['platform', 'room']), allow: { to: element('words'), dependency: { kind: 'type' } } },
  {
    from: file('island'),
    disallow: { to: room({}, DOORS[0]), dependency: { kind: 'value' } },
    message: `The contract "{{ dependency.source }}" would bring zod to the browser. Take only its types (import type); what runs there belongs in the rules.ts of the room.`,
  },
  {
    from: { file: { categories: { anyOf: ['browser'], noneOf: ['server'] } } },
    disallow: { to: file('server') },
    message:
      'This file may run in a browser and "{{ dependency.source }}" never does. Let the page load the data and give it as props, call the API through calls.ts, or, if this file is for the server alone, name it *.server.ts.',
  },
];

/** A file outside the map would escape the arrows. @type {import('eslint').Rule.RuleModule} */
const onTheMap = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program: (node) =>
      context.report({ node, message: `This file stands in no room of the map. Put it in a room, src/pages, src/ui or src/platform; a new room first gets its floor. ${MAP}` }),
  }),
};
const mapped = ['src/pages/**', 'src/ui/**', 'src/platform/**', ...FLOORS.flatMap(({ rooms }) => rooms.map((name) => `src/features/${name}/**`))];

const CODE = ['**/*.{js,mjs,ts,tsx,astro}'];
const TYPED = ['{src,tests,e2e}/**/*.{ts,tsx}', '*.ts'];
const VIRTUAL = ['**/*.astro/**'];

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'test-results/', '.astro/', 'public/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  ...astro.configs['flat/recommended'],
  ...house,
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
  { files: ['**/*.d.ts'], rules: { '@typescript-eslint/consistent-type-imports': 'off' } }, // an import at the top would make it a module
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
  { files: ['src/server.ts'], rules: { 'no-console': ['error', { allow: ['log'] }] } }, // the start-up text for the person at the terminal
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
    rules: {
      'boundaries/dependencies': ['error', { default: 'disallow', checkInternals: true, checkUnknownLocals: true, policies }],
    },
  },
  {
    files: ['src/**'],
    ignores: [...mapped, ...FRONT_DOOR, 'src/middleware.ts', 'src/*.d.ts'],
    plugins: { map: { rules: { 'on-the-map': onTheMap } } },
    rules: { 'map/on-the-map': 'error' },
  },
);
