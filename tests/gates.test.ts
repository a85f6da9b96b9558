import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SECRETS } from '#platform/runtime/config.server.ts';

/*
 * Checks that keep the project consistent. Each check is a function over files that returns sentences: the
 * problem, and what to do. It runs on the project and on a planted fault, to prove that it detects it. Other
 * checks: imports and code rules (architecture.test.ts: also .only, .skip, sleeping, exceptions without a
 * reason), routes (routes.test.ts), translations (translations.test.ts).
 */

/** Text by path in the project. */
type Files = Readonly<Record<string, string>>;

const root = path.join(import.meta.dirname, '..');

/** The project's files below `folders`, or these files themselves, whose names match. */
function filesOf(folders: string[], name = /./): Files {
  const places = folders.flatMap((folder) => {
    const place = path.join(root, folder);
    if (!fs.statSync(place).isDirectory()) return [place];
    return fs
      .readdirSync(place, { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [path.join(entry.parentPath, entry.name)] : []));
  });
  return Object.fromEntries(
    places
      // packages that the benchmarks install are not the project's
      .filter(
        (place) => name.test(place) && !path.relative(root, place).split(path.sep).includes('node_modules'),
      )
      .map((place) => [path.relative(root, place).split(path.sep).join('/'), fs.readFileSync(place, 'utf8')]),
  );
}

const operating = filesOf(['docs/operating.md'])['docs/operating.md'] ?? '';
/** Where a script of package.json is explained: for people who try, change or run the portal. */
const guides = Object.values(filesOf(['README.md', 'CONTRIBUTING.md', 'docs/operating.md'])).join('\n');

describe('components without a page in the accessibility tests', () => {
  const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
  const ALIASES = {
    '#features/': 'src/features/',
    '#layouts/': 'src/layouts/',
    '#platform/': 'src/platform/',
    '#ui/': 'src/ui/',
  };
  const isPart = (file: string): boolean =>
    /\.(?:astro|tsx)$/.test(file) &&
    /^src\/(?:ui\/|features\/[^/]+\/(?:.+\/)?ui\/|layouts\/|pages\/(?:.*\/)?_)/.test(file);

  /** The file that an import in `file` refers to, without its package. */
  const meant = (file: string, given: string): string => {
    const alias = Object.entries(ALIASES).find(([start]) => given.startsWith(start));
    return alias ? given.replace(alias[0], alias[1]) : path.posix.join(path.posix.dirname(file), given);
  };

  /** All files that `doors` import, directly or not, themselves included. */
  function reached(files: Files, entries: string[]): Set<string> {
    const found = new Set<string>();
    const rest = entries.filter((door) => door in files);
    for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
      found.add(file);
      for (const [, given = ''] of (files[file] ?? '').matchAll(IMPORT)) {
        const target = meant(file, given);
        if (target in files && !found.has(target)) rest.push(target);
      }
    }
    return found;
  }

  /** Pages that have an example with markup, in the text of e2e/examples/. */
  function walkedPages(files: Files, examples: string): string[] {
    const entries = new Map(
      examples.split(/^ {2}(?='\/)/m).map((entry) => [/^'([^']+)'/.exec(entry)?.[1] ?? '', entry]),
    );
    return Object.keys(files).filter((file) => {
      const pattern = file.replace(/^src\/pages/, '').replace(/(?:\/index)?\.astro$/, '');
      return file.startsWith('src/pages/[base]') && entries.get(pattern)?.includes('noMarkup:') === false;
    });
  }

  const unseen = (files: Files, walk: string): string[] => {
    const seen = reached(files, walkedPages(files, walk));
    return Object.keys(files)
      .filter((file) => isPart(file) && !seen.has(file))
      .map(
        (file) =>
          `${file} is on no page that is walked. Show it in src/pages/[base]/[lang]/kit.astro, or add a page with it to e2e/examples/; a part that no page needs is removed.`,
      );
  };

  const files = filesOf(['src'], /\.(?:astro|tsx|ts)$/);
  const walk = Object.values(filesOf(['e2e/examples'], /\.ts$/)).join('\n');

  /** What the planted files add, so that a real fault is reported once, by the test of all files. */
  const unseenIn = (planted: Files, pages = walk): string[] =>
    unseen({ ...files, ...planted }, pages).filter((problem) =>
      Object.keys(planted).some((file) => problem.startsWith(`${file} `)),
    );

  test('every component of the library, the features and the frame is on a page of the accessibility tests', () => {
    expect(Object.keys(files).filter(isPart).length).toBeGreaterThan(12);
    expect(unseen(files, walk)).toEqual([]);
  });

  test.each([
    ['a new part of the kit', 'src/ui/Toast.astro', '<p>Hello</p>'],
    ['a new island', 'src/features/documents/documents/ui/Viewer.tsx', 'export const Viewer = () => null;'],
    ['a part in a deeper folder', 'src/features/tasks/tasks/w2/ui/Row.astro', '<p />'],
    ['a new part of the frame', 'src/layouts/Banner.astro', '<p />'],
  ])('a component without a page is reported: %s', (_, file, text) => {
    expect(unseenIn({ [file]: text })).toEqual([expect.stringMatching(`^${file} is on no page`)]);
  });

  test('a component on an untested page is reported, and one that only such a component uses', () => {
    const planted = {
      'src/pages/[base]/[lang]/news.astro': `import List from '#features/content/news/ui/List.astro';`,
      'src/features/content/news/ui/List.astro': `import Row from './Row.astro';`,
      'src/features/content/news/ui/Row.astro': '',
    };
    expect(unseenIn(planted)).toHaveLength(2);
    expect(
      unseenIn(planted, `${walk}\n  '/[base]/[lang]/news': { budget: LIST, states: [['news', 'news']] },`),
    ).toEqual([]);
  });
});

describe('packages', () => {
  interface Lock {
    packages: Record<
      string,
      {
        dev?: boolean;
        devOptional?: boolean;
        hasInstallScript?: boolean;
        os?: string[];
        cpu?: string[];
        libc?: string[];
      }
    >;
  }
  interface Manifest {
    scripts: Record<string, string>;
    allowScripts: Record<string, boolean>;
  }
  // 12 seal PDF files and check seals (docs/decisions/0063), 7 are fonts and what unpacks them (0081), 1 reads Markdown (0101)
  const MOST = 160;
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;

  /** The lock file lists the packages of every system; a machine installs its own. */
  const isFor = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Lock['packages'][string]): boolean =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
  const production = ({ packages }: Lock): string[] =>
    Object.entries(packages)
      .filter(([place, one]) => place !== '' && !one.dev && !one.devOptional && isFor(one))
      .map(([place]) => place);
  const tooMany = (one: Lock): string[] =>
    production(one).length > MOST
      ? [
          `${production(one).length} packages run in production, at most ${MOST} may. Take a smaller one, or move what only builds and tests to devDependencies.`,
        ]
      : [];

  const nameOf = (place: string): string =>
    place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const unallowed = ({ packages }: Lock, { allowScripts }: Manifest): string[] => {
    const withScript = new Set(
      Object.entries(packages)
        .filter(([, { hasInstallScript }]) => hasInstallScript)
        .map(([place]) => nameOf(place)),
    );
    return [
      ...[...withScript]
        .filter((name) => allowScripts[name] !== true)
        .map(
          (name) =>
            `${name} runs a script when it is installed. Choose a package that does not; if it must, name it in allowScripts of package.json, with a decision that says why.`,
        ),
      ...Object.keys(allowScripts)
        .filter((name) => !withScript.has(name))
        .map((name) => `allowScripts names ${name}, which has no install script any more. Remove it there.`),
    ];
  };

  test('there are at most 160 production packages', () => {
    expect(production(lock).length).toBeGreaterThan(20);
    expect(tooMany(lock)).toEqual([]);
    const more = Object.fromEntries(
      Array.from({ length: MOST }, (_, index) => [`node_modules/planted-${index}`, {}]),
    );
    expect(tooMany({ packages: { ...lock.packages, ...more } })).toEqual([
      expect.stringMatching(/^\d{3} packages run in production, at most 160/),
    ]);
  });

  test('packages run no install script unless allowed by name', () => {
    expect(unallowed(lock, manifest)).toEqual([]);
    const planted = {
      packages: { ...lock.packages, 'node_modules/a/node_modules/@b/c': { hasInstallScript: true } },
    };
    expect(unallowed(planted, manifest)).toEqual([
      expect.stringMatching(/^@b\/c runs a script when it is installed/),
    ]);
    expect(unallowed(lock, { ...manifest, allowScripts: { ...manifest.allowScripts, gone: true } })).toEqual([
      expect.stringMatching(/^allowScripts names gone/),
    ]);
  });

  test('every script of package.json is explained in README, CONTRIBUTING or docs/operating.md', () => {
    const untold = ({ scripts }: Manifest, text: string): string[] =>
      Object.keys(scripts)
        .filter((name) => !new RegExp(`\`?npm (?:run )?${name}(?![\\w:-])`).test(text))
        .map(
          (name) =>
            `No page says what \`npm run ${name}\` is for. Add a sentence where somebody would look for it: README, CONTRIBUTING or docs/operating.md.`,
        );
    expect(untold(manifest, guides)).toEqual([]);
    expect(
      untold(
        { ...manifest, scripts: { ...manifest.scripts, 'test:planted': '' } },
        `${guides} npm run test:planted-2`,
      ),
    ).toEqual([expect.stringMatching(/`npm run test:planted` is for/)]);
  });
});

describe('README', () => {
  test('README stays short enough for someone new', () => {
    const { 'README.md': text = '' } = filesOf(['README.md']);
    expect(
      text.split('\n').length,
      'Move what only contributors or operators need to CONTRIBUTING.md or docs/operating.md',
    ).toBeLessThanOrEqual(80);
  });
});

describe('docs/operating.md', () => {
  const config = filesOf(['src/platform/runtime/config.server.ts']);
  const variables = (files: Files): string[] =>
    Object.values(files).flatMap((code) =>
      [...code.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name),
    );
  const rows = (text: string): string[] =>
    [...text.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name),
    );
  const disagreement = (files: Files, text: string): string[] => [
    ...variables(files)
      .filter((name) => !rows(text).includes(name))
      .map(
        (name) =>
          `docs/operating.md has no row for ${name}. Add it to the table of Configuration: its default and what it sets.`,
      ),
    ...rows(text)
      .filter((name) => !variables(files).includes(name))
      .map(
        (name) =>
          `docs/operating.md explains ${name}, which src/platform/runtime/config.server.ts does not read. Remove the row, or read the variable there.`,
      ),
  ];

  test('docs/operating.md explains every configuration variable, and no other', () => {
    expect(variables(config).length).toBeGreaterThan(15);
    expect(disagreement(config, operating)).toEqual([]);
    expect(disagreement({ ...config, planted: '  PLANTED: z.string(),' }, operating)).toEqual([
      expect.stringMatching(/^docs\/operating.md has no row for PLANTED/),
    ]);
    expect(disagreement(config, `${operating}\n| \`PLANTED\` | – | nothing |`)).toEqual([
      expect.stringMatching(/^docs\/operating.md explains PLANTED/),
    ]);
  });

  test('docs/operating.md lists the secrets that can be kept in files', () => {
    const [, sentence = ''] = /This works for ([^.]+)\./.exec(operating) ?? [];
    expect([...sentence.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)).toEqual([...SECRETS]);
  });

  test('docs/operating.md names every environment variable, since only the configuration reads the environment', () => {
    const others = (files: Files): string[] =>
      Object.entries(files)
        .filter(
          ([file, code]) =>
            file !== 'src/platform/runtime/config.server.ts' && /process\.env|import\.meta\.env/.test(code),
        )
        .map(
          ([file]) =>
            `${file} reads the environment itself. Add the variable to src/platform/runtime/config.server.ts and take it from \`config\`.`,
        );
    const files = filesOf(['src'], /\.(?:ts|tsx|astro|mjs)$/);
    expect(others(files)).toEqual([]);
    expect(
      others({ ...files, 'src/features/content/news/news.server.ts': 'process.env.PLANTED' }),
    ).toHaveLength(1);
  });
});

describe('paths in texts', () => {
  const PATHS = /(?:src\/|tests\/)?(?:features|platform)\/[\w./-]+\.(?:ts|tsx|astro)\b/g;
  const missing = (texts: Files): string[] =>
    Object.entries(texts).flatMap(([file, text]) =>
      [...text.matchAll(PATHS)]
        .map(([found]) => found)
        .filter((found) =>
          ['', 'src/', 'tests/'].every((start) => !fs.existsSync(path.join(root, `${start}${found}`))),
        )
        .map((found) => `${file} names ${found}, which is not there. Name the file as it is called now.`),
    );

  test('documentation and scripts name files that exist', () => {
    const texts = filesOf(['README.md', 'CONTRIBUTING.md', 'docs', 'scripts'], /\.(?:md|ts|mjs)$/);
    expect(missing(texts)).toEqual([]);
    expect(missing({ 'docs/planted.md': 'See `platform/jobs/planted.server.ts`.' })).toHaveLength(1);
    expect(missing({ 'docs/planted.md': 'See `platform/jobs/jobs.server.ts`.' })).toEqual([]);
  });
});

describe('records', () => {
  const undated = (files: Files): string[] =>
    Object.entries(files).flatMap(([file, text], index) => {
      const number = String(index + 1).padStart(4, '0');
      const name = path.posix.basename(file);
      const [title = '', blank, date = ''] = text.split('\n');
      if (!new RegExp(`^${number}-[a-z0-9-]+\\.md$`).test(name))
        return [
          `${file}: a decision has the next free number in its name; here ${number} is due. Number it anew.`,
        ];
      if (!title.startsWith(`# ${number} `) || blank !== '')
        return [`${file}: begin it with "# ${number} ", its title and an empty line.`];
      return /^20\d\d-\d\d-\d\d$/.test(date)
        ? []
        : [`${file}: write the day of the decision on its third line, as 2026-11-21.`];
    });
  const decisions = filesOf(['docs/decisions']);

  test('decisions are numbered, titled and dated', () => {
    expect(Object.keys(decisions).length).toBeGreaterThan(10);
    expect(undated(decisions)).toEqual([]);
    const next = String(Object.keys(decisions).length + 1).padStart(4, '0');
    for (const [name, text, sentence] of [
      [`${next}-planted.md`, `# ${next} Planted\n\nLast week`, 'write the day'],
      [`${next}-planted.md`, `# Planted\n\n2026-11-21`, 'begin it with'],
      ['9999-planted.md', '# 9999 Planted\n\n2026-11-21', 'the next free number'],
    ] as const)
      expect(undated({ ...decisions, [`docs/decisions/${name}`]: text })).toEqual([
        expect.stringContaining(sentence),
      ]);
  });

  test('docs/decisions.md lists every decision once, with its title', () => {
    const { 'docs/decisions.md': index = '' } = filesOf(['docs/decisions.md']);
    const listed = [...index.matchAll(/^- \[(\d{4})\]\(decisions\/(\S+)\) (.+)$/gm)].map(
      ([, number = '', file = '', title = '']) => [`docs/decisions/${file}`, `# ${number} ${title}`],
    );
    expect(listed.toSorted()).toEqual(
      Object.entries(decisions).map(([file, text]) => [file, text.split('\n')[0]]),
    );
  });

  test('the changelog begins with unreleased changes', () => {
    const closed = (text: string): string[] =>
      /^# Changes\n[\s\S]*?^## Unreleased$/m.test(text) &&
      /^## /m.exec(text)?.[0] === '## ' &&
      text.split(/^## /m)[1]?.startsWith('Unreleased')
        ? []
        : [
            'CHANGELOG.md: its first part is "## Unreleased"; what people notice of a change goes there, in their words.',
          ];
    const changes = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
    expect(closed(changes)).toEqual([]);
    expect(closed(changes.replace('## Unreleased', '## 1.0.0'))).toHaveLength(1);
    expect(closed(changes.replace('## Unreleased', '## 1.0.0\n\n## Unreleased'))).toHaveLength(1);
  });
});

describe('dead code', () => {
  test('`npm test` runs knip with knip.config.ts, which reports an unused file and an unused export', async () => {
    expect(fs.readFileSync(path.join(root, 'scripts/test.mjs'), 'utf8')).toContain("runTool('knip'");
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gate-'));
    const planted: Files = {
      'package.json': JSON.stringify({ name: 'planted', type: 'module' }),
      'knip.config.ts': fs.readFileSync(path.join(root, 'knip.config.ts'), 'utf8'),
      'src/server.ts': `import { used } from './used.ts';\nused();`,
      'src/used.ts': 'export const used = (): void => undefined;\nexport const plantedExport = 1;',
      'src/features/content/news/planted.ts': 'export const a = 1;',
    };
    for (const [file, text] of Object.entries(planted)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    }
    const knip = path.join(root, 'node_modules/knip/bin/knip.js');
    const found = await promisify(execFile)(
      process.execPath,
      [knip, '--directory', folder, '--no-progress'],
      { cwd: folder },
    ).then(
      () => 'nothing',
      ({ stdout }: { stdout: string }) => stdout,
    );
    fs.rmSync(folder, { recursive: true });
    expect(found).toContain('src/features/content/news/planted.ts');
    expect(found).toContain('plantedExport');
  });
});

describe('citations', () => {
  const threats = fs.readFileSync(path.join(root, 'docs/threat-model.md'), 'utf8');
  const specifications = Object.values(filesOf(['docs/spec']));
  const pages = new Set([
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...Object.keys(filesOf(['docs'], /\.md$/)).map((file) => path.posix.basename(file)),
  ]);

  /** Citations of pages, threats and sections that the repository does not have. */
  const missing = (files: Files): string[] =>
    Object.entries(files).flatMap(([file, code]) => [
      ...[...code.matchAll(/(?<![\w/*-])[a-z][a-z-]+\.md\b/gi)]
        .filter(([name]) => !pages.has(name))
        .map(
          ([name]) => `${file} names ${name}, which is not in docs/. Say it in a sentence, or add the page.`,
        ),
      ...[...code.matchAll(/threat-model\.md (T\d\d)/g)]
        .filter(([, threat]) => !threats.includes(`| ${threat} |`))
        .map(([, threat]) => `${file} names the threat ${threat}, which docs/threat-model.md does not have.`),
      ...[...code.matchAll(/\bspec ([12]),? sections? (\d+)/g)]
        .filter(([, spec, section]) => !specifications[Number(spec) - 1]?.includes(`\n## ${section}. `))
        .map(
          ([, spec, section]) =>
            `${file} names section ${section} of specification ${spec}, which docs/spec does not have.`,
        ),
    ]);

  test('every page, threat and section cited in code and tests exists in the repository', () => {
    const { 'tests/gates.test.ts': _, ...files } = filesOf(
      ['src', 'tests', 'e2e', 'scripts'],
      /\.(?:ts|tsx|astro|mjs)$/,
    );
    expect(missing(files)).toEqual([]);
    expect(missing({ 'a.ts': '// see nowhere.md, threat-model.md T99 and spec 1 section 12' })).toHaveLength(
      3,
    );
  });

  /** Names that the recipes give to files that the reader is about to write. */
  const EXAMPLES = [
    'src/pages/[base]/[lang]/receipts/index.astro',
    'src/migrations/0034-what-for.server.ts',
    'src/ui/Name.astro',
  ];

  /** Files and folders of the project that a page of the documentation names, and that do not exist. */
  const lost = (documents: Files): string[] =>
    Object.entries(documents).flatMap(([file, text]) =>
      [...text.matchAll(/`((?:src|tests|e2e|scripts|locales|docs|public|\.ci)\/[^`\s<>…*{}]+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !EXAMPLES.includes(name) && !fs.existsSync(path.join(root, name)))
        .map((name) => `${file} names ${name}, which does not exist. Name its present place.`),
    );

  test('every file named in the documentation exists', () => {
    const documents = [
      'README.md',
      'CONTRIBUTING.md',
      'docs/operating.md',
      'docs/recipes.md',
      'docs/architecture.md',
      'docs/threat-model.md',
    ];
    expect(lost(filesOf(documents))).toEqual([]);
    expect(lost({ 'a.md': 'See `src/nowhere.ts` and `src/<feature>/`.' })).toEqual([
      'a.md names src/nowhere.ts, which does not exist. Name its present place.',
    ]);
  });
});
