/**
 * Tests of what asks no database and no blob store: pure rules, words, formats, and the house itself. They cannot come out otherwise on
 * another engine, so the run on PostgreSQL and S3 leaves them out. tests/kit/setup.ts holds them to it.
 */
export const ENGINE_FREE = [
  'tests/house.test.ts',
  'tests/words.test.ts',
  'tests/gates.test.ts',
  'tests/features/demo-files.test.ts',
  'tests/features/clients/switching.test.ts',
  'tests/features/documents/rules.test.ts',
  'tests/features/documents/pdf-of-photos.test.ts',
  'tests/features/sharing/rules.test.ts',
  'tests/platform/archive-names.test.ts',
  'tests/platform/blob-files.test.ts', // the store of files alone
  'tests/platform/blob-s3.test.ts', // the store of a bucket alone, before a bucket that breaks
  'tests/platform/config.test.ts',
  'tests/platform/collector.test.ts',
  'tests/platform/contrast.test.ts',
  'tests/platform/crypto.test.ts',
  'tests/platform/flash.test.ts',
  'tests/platform/formats.test.ts',
  'tests/platform/front-door.test.ts',
  'tests/platform/languages.test.ts',
  'tests/platform/passwords.test.ts',
  'tests/platform/pinned-client.test.ts',
  'tests/platform/safe-redirect.test.ts',
  'tests/platform/send-file.test.ts',
  'tests/platform/words-runtime.test.ts',
  'tests/platform/zip.test.ts',
  'tests/ui/mobile-bridge.test.ts',
];
