import type { KnipConfig } from 'knip';

/**
 * Dead code: files that nothing reaches from these doors, exports that nobody imports, packages that nobody
 * uses.
 */
export default {
  // What knip does not find by itself: it knows Astro's pages and middleware, Vitest's tests and the scripts of package.json.
  entry: [
    'src/server.ts', // built by astro.config.mjs, started by scripts/start.mjs
    'src/commands/*.server.ts', // built by astro.config.mjs, started by scripts/command.mjs
    'src/features/documents/viewer/pdf-worker.server.ts', // a thread, started by worker.server.ts
    'src/features/documents/seals/seal-worker.server.ts', // a thread, started by worker.server.ts
    'src/features/brazil/fiscal-documents/reading-worker.server.ts', // a thread, started by reading-thread.server.ts
    'src/platform/database/checkpoint-worker.server.ts', // a thread, started by checkpoints.server.ts
    'src/platform/tabular/tabular-worker.server.ts', // a thread, started by read-tabular.server.ts
    'src/features/office/offline/worker.ts', // built by astro.config.mjs, registered by src/ui/service-worker.ts
    'src/ui/interaction/*', // loaded by Astro, by path
    'scripts/!(toolchain|lint-rules).mjs', // run by npm, by hand or by ESLint
    'playwright.config.ts',
    'e2e/support/{every-page,demo-data}.ts', // loaded by Playwright before a run
    'tests/{features/*/access,support/planted-access}.ts', // loaded by tests/authz/features.ts
    'e2e/examples/*.ts', // loaded by all.ts
    'e2e/support/statements.mjs', // loaded by a portal before its start
    'tests/bench/{bench,world}.ts', // started by run.mjs and by the benchmarks
    'tests/bench/baselines/*.ts', // programs of the benchmarks
    'tests/corpora/{seal-pdfs,draw-pdfs,read-fiscal}.ts', // started by scripts/corpus.mjs
    'tests/support/draw-names.ts', // started by letters.test.ts
    'e2e/**/*.{test,spec}.ts',
    'vitest.faults.config.ts',
    'tests/fault-injection/*.faults.ts',
    'tests/support/migrated-database.ts', // loaded by Vitest before a run
    'tests/fault-injection/support/{world,setup,clock-preload,disk-preload}.ts',
  ],
  project: ['{src,tests,e2e}/**/*.{ts,tsx,astro}', 'src/**/*.mjs', 'scripts/*.mjs', '*.{ts,js,mjs}'],
  ignoreBinaries: ['openssl'], // the benchmark's certificate
  ignoreDependencies: [
    'rolldown', // Astro brings it; a type of astro.config.mjs is its
    '@fontsource-variable/*', // fonts.server.ts finds these by their names
    '@astrojs/check', // `astro check` loads it
  ],
} satisfies KnipConfig;
