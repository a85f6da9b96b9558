/**
 * Tests that use neither database nor blob store. The run on PostgreSQL and S3 skips them, and
 * tests/support/setup.ts enforces the list.
 */
export const ENGINE_FREE = [
  'tests/architecture.test.ts',
  'tests/table-owners.test.ts',
  'tests/translations.test.ts',
  'tests/gates.test.ts',
  'tests/features/demo-files.test.ts',
  'tests/features/clients/switching.test.ts',
  'tests/features/uploads/rules.test.ts',
  'tests/features/scanner/pdf-of-photos.test.ts',
  'tests/features/sharing/rules.test.ts',
  'tests/platform/archive-names.test.ts',
  'tests/platform/blob-files.test.ts', // the file store only
  'tests/platform/blob-s3.test.ts', // the S3 store only, against a failing bucket
  'tests/platform/config.test.ts',
  'tests/platform/connections.test.ts',
  'tests/platform/expiring-map.test.ts',
  'tests/platform/garbage-collection.test.ts',
  'tests/platform/contrast.test.ts',
  'tests/platform/crypto.test.ts',
  'tests/platform/events.test.ts',
  'tests/platform/flash.test.ts',
  'tests/platform/fair-queue.test.ts',
  'tests/platform/formats.test.ts',
  'tests/platform/http-security.test.ts',
  'tests/platform/languages.test.ts',
  'tests/platform/networks.test.ts',
  'tests/platform/passwords.test.ts',
  'tests/platform/addresses.test.ts',
  'tests/platform/safe-redirect.test.ts',
  'tests/platform/sweeps.test.ts',
  'tests/platform/send-file.test.ts',
  'tests/platform/translations-runtime.test.ts',
  'tests/platform/zip.test.ts',
  'tests/ui/mobile-bridge.test.ts',
];
