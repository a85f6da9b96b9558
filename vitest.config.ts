import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { ENGINE_FREE } from './tests/support/database-free.ts';
import { LongestFirst } from './tests/support/longest-first.ts';
import { useMemoryDisk } from './tests/support/memory-disk.ts';
import { onPostgres, WHOLE } from './tests/support/whole.ts';

useMemoryDisk();

/**
 * Not repeated on PostgreSQL and S3 in `npm test`: about access that the matrix covers there with the same queries, and
 * about files, logs and themes.
 */
const NOT_REPEATED = WHOLE
  ? []
  : [
      'tests/authz/canary.test.ts',
      'tests/authz/edges.test.ts',
      'tests/authz/tampering.test.ts',
      'tests/cases.test.ts',
      'tests/features/firms/theme-settings.test.ts',
      'tests/features/seals/documents.test.ts',
      'tests/features/seals/sealing.test.ts',
      'tests/features/viewer/deadly.test.ts',
      'tests/fuzz/files.test.ts',
      'tests/platform/log.test.ts',
    ];

/*
 * Plain Vitest: server modules are imported as Node resolves them (#features/*, #platform/*). A few processes
 * take the test files in turn, since to load the packages again for each took a fifth of the time; every file
 * begins with modules of ours, an environment and data of its own (tests/support/setup.ts). The whole suite runs
 * on SQLite and files, and again on PostgreSQL and S3 (TEST_DATABASE_URL, TEST_S3_URL) but for what knows no
 * engine; *.sqlite.test.ts and *.postgres.test.ts are about one engine.
 */
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'tests/commands/**',
      ...(onPostgres ? ['**/*.sqlite.test.ts', ...ENGINE_FREE, ...NOT_REPEATED] : ['**/*.postgres.test.ts']),
    ],
    environment: 'node',
    globalSetup: onPostgres ? ['tests/support/migrated-database.ts'] : [],
    setupFiles: ['tests/support/setup.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    isolate: false,
    // each waits now and then for the disk or the database
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    allowOnly: false,
    retry: 1, // scripts/test.mjs names what passed only then; docs/decisions/0048-second-tries.md
    testTimeout: 120_000, // a shared machine is slow at times
    hookTimeout: 120_000,
    expect: { poll: { timeout: 40_000, interval: 10 } },
  },
});
