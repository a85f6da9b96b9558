/**
 * Whether to run the full test suite (`npm run test:whole`). `npm test` takes samples where one of many cases
 * is enough to reveal a broken rule: persons, repetitions, engines.
 */
export const WHOLE = process.env['WHOLE'] !== undefined;

/**
 * Tolerance for time limits in ms, as `npm test` runs beside other processes. Benchmarks (`npm run bench`)
 * and full runs (`npm run faults`, `npm run test:whole`) allow none.
 */
export const GRACE = WHOLE || process.env['FAULTS'] !== undefined ? 0 : 10_000;

/** Whether the tests run on PostgreSQL and S3 (scripts/services.mjs) instead of SQLite and files. */
export const onPostgres = Boolean(process.env['TEST_DATABASE_URL']);
