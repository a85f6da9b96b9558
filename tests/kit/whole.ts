/**
 * Whether a suite runs in its large form (`npm run test:whole`). Where the answer hangs on rules that one sample of many can show to be
 * broken, `npm test` takes the sample: who asks, how often, and on which engine.
 */
export const WHOLE = process.env['WHOLE'] !== undefined;

/**
 * How much longer than promised something may take, in ms, where others use the machine too. Figures of time are measured by `npm run bench`
 * and by the large forms (`npm run faults`, `npm run test:whole`), which allow nothing.
 */
export const GRACE = WHOLE || process.env['FAULTS'] !== undefined ? 0 : 2000;

/** Whether a suite runs on the services that scripts/services.mjs started, PostgreSQL and S3, and not on SQLite and files. */
export const onPostgres = Boolean(process.env['TEST_DATABASE_URL']);
