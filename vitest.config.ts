import { defineConfig } from 'vitest/config';

/*
 * Plain Vitest: server modules are imported as Node resolves them (#features/*, #platform/*). Every test file has a process of its
 * own, so within a file there is one instance of each module and between files nothing is shared.
 */
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
    setupFiles: ['tests/kit/setup.ts'],
    pool: 'forks',
    isolate: true,
    allowOnly: false,
    testTimeout: 20_000, // a shared machine is slow at times
  },
});
