import { describe, expect, test } from 'vitest';
import {
  EXPIRATION_DAYS,
  isGuessable,
  shareProblems,
  type ShareForm,
} from '#features/sharing/sharing/rules.ts';
import { shareRequest } from '#features/sharing/sharing/sharing.ts';

describe('a list of recipients', () => {
  test.each([
    ['ada@one.example, nobody'],
    ['ada@one.example\r\nBcc: eve@evil.example'],
    ['ada@one.example\u2028Bcc: eve@evil.example'],
    ['"ada@one.example eve"@evil.example'],
    ['ada@one.example\nContent-Type: text/html'],
  ])('a list of recipients with anything but addresses is refused: %j', (list) => {
    expect(shareProblems({ ...form, to: list })).toEqual({ to: 'validationEmail' });
    expect(shareRequest.safeParse({ ...request, recipients: [{ emailAddress: list }] }).success).toBe(false);
  });

  test('recipients are pasted from a mail program, with their names', () => {
    const to = '"Silva, Maria" <maria@one.example>; João Souza <joao@one.example>';
    expect(shareProblems({ ...form, to })).toEqual({});
  });

  test('a program may send a recipient with a name; the address is taken', () => {
    const recipients = [{ emailAddress: 'Maria Silva <maria@one.example>' }];
    expect(shareRequest.parse({ ...request, recipients }).recipients).toEqual([
      { emailAddress: 'maria@one.example' },
    ]);
  });
});

const form: ShareForm = {
  to: 'ada@one.example',
  sendMeACopy: false,
  subject: 'Your papers',
  message: '',
  expirationPeriod: 'AfterThreeDays',
  requireCode: false,
  code: '',
};
const request = {
  expirationPeriod: 'AfterOneDay',
  overrides: { subject: 'Your papers' },
  recipients: [{ emailAddress: 'ada@one.example' }],
  sharedItems: [{ containerType: 'Folder', containerId: 'folder_1', documentId: 'doc_1' }],
} as const;
const twenty = Array.from({ length: 20 }, (_, i) => `p${i}@one.example`).join(',');

describe('the send form', () => {
  test.each<[string, Partial<ShareForm>, object]>([
    ['is right', {}, {}],
    ['needs a recipient', { to: ' ' }, { to: 'toMissing' }],
    ['needs real addresses', { to: 'ada' }, { to: 'validationEmail' }],
    ['has separators only', { to: ',;' }, { to: expect.any(String) as string }],
    ['may have twenty recipients', { to: twenty }, {}],
    ['may not have twenty-one', { to: `${twenty},more@one.example` }, { to: 'toTooMany' }],
    ['counts a recipient once', { to: `${twenty},P0@one.example` }, {}],
    ['needs a subject', { subject: '  ' }, { subject: 'subjectMissing' }],
    ['may have a subject of 200 characters', { subject: 's'.repeat(200) }, {}],
    ['may not have one of 201', { subject: 's'.repeat(201) }, { subject: 'subjectTooLong' }],
    ['may have a message of 4,000 characters', { message: 'm'.repeat(4000) }, {}],
    ['may not have one of 4,001', { message: 'm'.repeat(4001) }, { message: 'messageTooLong' }],
    [
      'needs a period that is on the list',
      { expirationPeriod: 'Never' },
      { expirationPeriod: 'expirationMissing' },
    ],
    [
      'needs a period of its own',
      { expirationPeriod: '__proto__' },
      { expirationPeriod: 'expirationMissing' },
    ],
    ['may require a code', { requireCode: true, code: 'maple-7' }, {}],
    ['has no code when none is required', { requireCode: false, code: ' ' }, {}],
    [
      'says of a code that is not required that it would not be asked for',
      { requireCode: false, code: 'maple-7' },
      { code: 'codeNotRequired' },
    ],
    ['needs the code that it requires', { requireCode: true, code: '  ' }, { code: 'codeMissing' }],
    ['needs six characters', { requireCode: true, code: ' maple ' }, { code: 'codeTooShort' }],
    ['takes sixty-four', { requireCode: true, code: 'ab'.repeat(32) }, {}],
    ['takes no more', { requireCode: true, code: 'x1'.repeat(33) }, { code: 'codeTooLong' }],
    ['takes no code that everybody tries', { requireCode: true, code: '123456' }, { code: 'codeGuessable' }],
    ['takes no code of one character', { requireCode: true, code: 'zzzzzzzz' }, { code: 'codeGuessable' }],
    [
      'tells everything at once',
      { to: '', subject: '', expirationPeriod: '', requireCode: true, code: '' },
      {
        to: 'toMissing',
        subject: 'subjectMissing',
        expirationPeriod: 'expirationMissing',
        code: 'codeMissing',
      },
    ],
  ])('the send form %s', (_, changed, problems) => {
    expect(shareProblems({ ...form, ...changed })).toEqual(problems);
  });

  test.each([['123456'], ['PASSWORD'], ['Qwerty'], ['000000'], ['aaaaaa']])(
    'the code %s is recognized as easy to guess',
    (code) => {
      expect(isGuessable(code)).toBe(true);
    },
  );
});

describe('the share request over the API', () => {
  test('a share request has the four periods of the spec', () => {
    expect(EXPIRATION_DAYS).toEqual({
      AfterOneDay: 1,
      AfterThreeDays: 3,
      AfterOneWeek: 7,
      AfterTwoWeeks: 14,
    });
    for (const expirationPeriod of Object.keys(EXPIRATION_DAYS))
      expect(shareRequest.safeParse({ ...request, expirationPeriod }).success).toBe(true);
  });

  test.each<[string, object]>([
    ['an empty code where one was required', { authorizationCode: '' }],
    ['a short code', { authorizationCode: '12345' }],
    ['a code of spaces', { authorizationCode: '         ' }],
    ['a guessable code', { authorizationCode: '123456' }],
    ['no recipient', { recipients: [] }],
    [
      '22 recipients',
      { recipients: Array.from({ length: 22 }, (_, i) => ({ emailAddress: `p${i}@one.example` })) },
    ],
    ['no document', { sharedItems: [] }],
    ['no subject', { overrides: { subject: ' ' } }],
    ["a sender of the caller's own choice", { from: 'boss@bank.example' }],
    ['headers', { overrides: { subject: 'x', headers: { Bcc: 'eve@evil.example' } } }],
    ['a never-ending link', { expirationPeriod: 'Never' }],
    ['another template', { templateId: 'ANYTHING' }],
  ])('a share request with %s is refused', (_, changed) => {
    expect(shareRequest.safeParse({ ...request, ...changed }).success).toBe(false);
  });
});
