import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EXPIRATION_DAYS,
  isAddress,
  isGuessable,
  parseRecipients,
  shareProblems,
  type ShareForm,
} from '#features/sharing/rules.ts';
import { shareRequest } from '#features/sharing/sharing.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

describe('a list of recipients', () => {
  test.each([
    ['ada@one.example', ['ada@one.example']],
    [
      'ada@one.example, ben@one.example;cleo@one.example\ndan@one.example',
      ['ada@one.example', 'ben@one.example', 'cleo@one.example', 'dan@one.example'],
    ],
    ['  ada@one.example ;; , ', ['ada@one.example']],
    ["o'neil+tax@mail.sub.example.org", ["o'neil+tax@mail.sub.example.org"]],
    ['x@xn--caf-dma.example', ['x@xn--caf-dma.example']],
    [`${'a'.repeat(64)}@one.example`, [`${'a'.repeat(64)}@one.example`]],
    ['', []],
  ])('addresses are parsed from a list of recipients: %j', (list, addresses) => {
    expect(parseRecipients(list)).toEqual({ addresses, wrong: [] });
  });

  test('a list of recipients contains each address once, regardless of case', () => {
    expect(parseRecipients('ada@one.example, ADA@one.example ada@ONE.example').addresses).toHaveLength(1);
  });

  test.each([
    ['ada'],
    ['ada@one'],
    ['@one.example'],
    ['ada@@one.example'],
    ['.ada@one.example'],
    ['ada.@one.example'],
    ['a..da@one.example'],
    ['ada@-one.example'],
    ['ada@one-.example'],
    ['ada@one..example'],
    ['ada@one.example.'],
    ['ada@[127.0.0.1]'],
    ['ada(comment)@one.example'],
    ['<ada@one.example>'],
    ['group:ada@one.example'],
    ['ada@one.example%0d%0aBcc:eve@evil.example'],
    ['ada@one.example\u0000'],
    ['ada@one.example\u0085Bcc:eve@evil.example'],
    ['ada\u200b@one.example'],
    ['ådа@one.example'],
    ['ada@ﬁrm.example'],
    [`${'a'.repeat(65)}@one.example`],
    [`a@${'b.'.repeat(130)}example`],
    [`a@${'b'.repeat(64)}.example`],
  ])('an invalid address is reported: %j', (part) => {
    expect(parseRecipients(part)).toEqual({ addresses: [], wrong: [part] });
    expect(shareRequest.safeParse({ ...request, recipients: [{ emailAddress: part }] }).success).toBe(false);
  });

  test.each([
    ['ada@one.example\r\nBcc: eve@evil.example'],
    ['ada@one.example\u2028Bcc: eve@evil.example'],
    ['"ada@one.example eve"@evil.example'],
    ['Ada Amber <ada@one.example>'],
    ['ada@one.example\nContent-Type: text/html'],
  ])('a list of recipients with anything but addresses is refused: %j', (list) => {
    expect(parseRecipients(list).wrong).not.toEqual([]);
    expect(shareProblems({ ...form, to: list })).toEqual({ to: 'validationEmail' });
    expect(shareRequest.safeParse({ ...request, recipients: [{ emailAddress: list }] }).success).toBe(false);
  });

  test('a parsed address never contains characters that could break a mail header', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              'ada@one.example',
              '\r\n',
              ',',
              ' ',
              '"',
              '<',
              '>',
              ':',
              '\u0085',
              '\u2029',
              'Bcc',
            ),
            fc.string({ maxLength: 8 }),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          for (const address of parseRecipients(parts.join('')).addresses)
            expect(address).toMatch(/^[!-~]+@[a-z0-9.-]+$/i);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a list of recipients of any length is validated at once', async () => {
    const spent = await cpuTimeOf(() => {
      parseRecipients(`${'a-'.repeat(500_000)}@${'b-'.repeat(500_000)}`);
      expect(isAddress(`a@${'a'.repeat(250)}!`)).toBe(false);
    });
    expect(spent).toBeLessThan(500);
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
