/**
 * Whether a suite runs in its large form (`npm run test:whole`). Where the answer hangs on rules that one sample of many can show to be
 * broken, `npm test` takes the sample: who asks, how often, and on which engine.
 */
export const WHOLE = process.env['WHOLE'] !== undefined;

/** Whether a suite runs on the services that scripts/services.mjs started, PostgreSQL and S3, and not on SQLite and files. */
export const onPostgres = Boolean(process.env['TEST_DATABASE_URL']);
