import { PDF } from '@libpdf/core';
import { expect, test } from 'vitest';
import { composePdf } from '#features/documents/seals/composing.server.ts';
import { undrawableLetters } from '#features/documents/seals/letters.server.ts';
import { drawnWithoutFonts } from '../../support/without-fonts.ts';

const NAMES = [
  'Ömer Çağrı Şahin',
  'Zoë D’Artagnan-O’Brien',
  'Ελένη Παππά',
  'Юлия Щёкина',
  'عبد الرحمن السالم',
  'יעל כהן',
  '王小明',
  'さくら 龍之介',
  '김지우',
  'प्रिया शर्मा',
  'กมลชนก',
  'Ana 🙂 Souza',
];
const user = { person: 'test', firm: 'test' };

test('names of every script are written in letters on a machine without fonts', async () => {
  for (const { text: name, letters, boxes, images } of await drawnWithoutFonts(NAMES)) {
    expect([name, letters]).toEqual([name, []]);
    if (/^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{P}\s]*$/u.test(name))
      expect([name, images]).toEqual([name, []]); // as text, not as an image
    else {
      expect([name, images.length]).toEqual([name, 1]);
      expect([name, images[0]]).not.toEqual([name, boxes]);
      expect(images[0]?.every((side) => side > 10)).toBe(true);
    }
  }
});

test('letters that no font has are named, and written as their numbers instead of boxes', async () => {
  expect(await undrawableLetters(user, ['José', 'አበበ', 'Ana'])).toEqual(['አ', 'በ']);
  const content = { language: 'en', title: 'Names', lead: 'አበበ', sections: [], footer: 'Footer' };
  const composed = await composePdf({ contactId: 'c', companyId: 'f' }, content, 'a4');
  expect((await PDF.load(composed)).extractText()[0]?.text).toContain('[U+12A0][U+1260][U+1260]');
});
