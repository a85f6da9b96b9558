import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFolder } from '#features/documents/folders/folders.server.ts';
import { LANGUAGES } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import { apiAs } from './support/api.ts';
import { makeCast } from './support/cast.ts';

/**
 * The alerts of spec 1 section 8 by the feature with their translations; tests/translations.test.ts checks
 * that each is used.
 */
const ALERTS = {
  clients: ['clientListErrorMsg', 'clientListSearchError'],
  tree: ['documentsRetrieveErrorAlertMsg', 'uploadFolderSuccessAlert', 'uploadFolderFailAlert'],
  documents: [
    'uploadDocumentSuccessAlert',
    'uploadDocumentsSuccessAlert',
    'uploadDocumentsFailedWarning',
    'selectErrorAlertMsg',
    'selectMultiDocsErrorAlertMsg',
  ],
  trash: [
    'documentsDeleteGenericError',
    'documentsDeleteErrorCount',
    'deleteDocumentsErrorPerms',
    'deleteDocumentsErrorMulti',
    'deleteDocumentsSuccessAlertMsg',
  ],
  sharing: ['sendDocsSuccessMsg', 'sendDocsErrorMsg'],
};

describe('the alerts of the spec', () => {
  test.each(Object.entries(ALERTS).flatMap(([room, keys]) => keys.map((key) => [key, room])))(
    'the alert %s has a translation in every language',
    (key, room) => {
      for (const lang of Object.keys(LANGUAGES)) {
        const words = JSON.parse(readFileSync(`locales/${lang}/${room}.json`, 'utf8')) as Record<
          string,
          string
        >;
        expect(words[key] ?? words[`${key}_other`], `${key} in locales/${lang}/${room}.json`).toMatch(/\S/);
      }
    },
  );
});

describe('alerts about folders', () => {
  test('creating a folder without permission shows the alert of the spec, and with a taken name answers 409', async () => {
    const { ada, cleo, sam, projectA } = await makeCast();
    const folder = { name: 'Receipts', parentId: projectA.id, parentType: 'Project' as const };
    const mayNot = {
      ...ada,
      access: accessFrom(undefined, [{ kind: 'permission', name: 'ShowPreviewB4CCViewer', granted: true }]),
    };
    const without = {
      ...cleo,
      access: accessFrom(undefined, [{ kind: 'control', name: 'AddFolder', granted: false }]),
    };
    for (const actor of [mayNot, without]) {
      const refused = await apiAs(actor)('POST', '/api/storage/v1/folders', { json: folder });
      expect([refused.status, await refused.json()]).toEqual([
        403,
        { errors: [{ code: 'FORBIDDEN', reason: 'FORBIDDEN' }] },
      ]);
    }
    expect(translationsFor('en-us', 'tree')('folderForbidden')).toBe(
      'You don’t have permission to add folders here.',
    );
    await createFolder(sam, folder);
    const taken = await apiAs(ada)('POST', '/api/storage/v1/folders', {
      json: { ...folder, name: 'RECEIPTS' },
    });
    expect([taken.status, await taken.json()]).toEqual([
      409,
      { errors: [{ code: 'NAME_CONFLICT', reason: 'NAME_CONFLICT', name: 'RECEIPTS' }] },
    ]);
  });
});
