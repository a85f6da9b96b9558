import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';
import { useMemoryDisk } from './tests/support/memory-disk.ts';

// by script (npm run faults) they use the real disk
if (process.env['FAULTS'] === undefined) useMemoryDisk();

/*
 * What must hold when things break, and what operators do: the built portal as a process of its own, and
 * something done to it. These runs follow the build, so the unit run leaves them out. `npm run faults` runs
 * the large ones.
 */
export default defineConfig({
  test: {
    include: ['tests/fault-injection/*.faults.ts', 'tests/commands/*.test.ts'],
    // By script only: the one needs a machine that lets root mount a disk and cut its power, the other hours.
    exclude: ['power', 'soak']
      .filter((name) => name !== process.env['FAULTS'])
      .map((name) => `tests/fault-injection/${name}.faults.ts`),
    environment: 'node',
    globalSetup: ['tests/fault-injection/support/world.ts'],
    setupFiles: ['tests/support/setup.ts', 'tests/fault-injection/support/setup.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxWorkers: 3, // most of the time they wait for the portal; the end-to-end tests run beside them
    allowOnly: false,
    retry: 1, // scripts/test.mjs names what passed only then; docs/decisions/0048-second-tries.md
    testTimeout: process.env['FAULTS'] === undefined ? 300_000 : 0, // 0: by script, as long as it takes
    hookTimeout: 300_000,
    expect: { poll: { timeout: 40_000 } },
  },
});
