import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emailAddressOrText, isEmailAddress, readEmailAddress } from '#platform/inputs/email-address.ts';
import { readEmailAddresses } from '#platform/inputs/email-addresses.ts';
import { emailAddress } from '#platform/inputs/line-schemas.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';

describe('one address', () => {
  test.each([
    ['ada@one.example', 'ada@one.example'],
    ['  ADA@One.example ', 'ADA@One.example'],
    ["o'neil+tax@mail.sub.example.org", "o'neil+tax@mail.sub.example.org"],
    ["oneill'@one.example", "oneill'@one.example"],
    ['a&b!c@one.example', 'a&b!c@one.example'],
    ['x@xn--caf-dma.example', 'x@xn--caf-dma.example'],
    [`${'a'.repeat(64)}@one.example`, `${'a'.repeat(64)}@one.example`],
    ['Maria Silva <maria@one.example>', 'maria@one.example'],
    ['"Silva, Maria" <maria@one.example>', 'maria@one.example'],
    ['Silva, Maria <maria@one.example>', 'maria@one.example'],
    ['"Ana @ Aurora" <ana@one.example>', 'ana@one.example'],
    ['maria@one.example <maria@one.example>', 'maria@one.example'],
    ['<ada@one.example>', 'ada@one.example'],
    ["'ada@one.example'", 'ada@one.example'],
    ['(ada@one.example)', 'ada@one.example'],
    ['mailto:maria@one.example', 'maria@one.example'],
    ['MAILTO:maria@one.example?subject=Folha%20de%20julho', 'maria@one.example'],
    ['maria@one.example.', 'maria@one.example'],
    ['maria@one.example;', 'maria@one.example'],
    ['\u200Bmaria@one.example', 'maria@one.example'],
    ['maria@one.example\u200E', 'maria@one.example'],
    ['mar\u00ADia@one.example', 'maria@one.example'],
    ['maria＠one.example', 'maria@one.example'],
    ['\u00A0maria@one.example\u00A0', 'maria@one.example'],
    ['maria@padaria-são-joão.example', 'maria@xn--padaria-so-joo-yhbe.example'],
    ['maria@padaria-sa\u0303o-joa\u0303o.example', 'maria@xn--padaria-so-joo-yhbe.example'],
    ['joão@one.example', 'joão@one.example'],
    ['joa\u0303o@one.example', 'joão@one.example'],
  ])('%j is read as %j', (text, address) => {
    expect(readEmailAddress(text)).toBe(address);
    expect(emailAddress.parse(text)).toBe(address);
    expect(isEmailAddress(address)).toBe(true);
  });

  test.each([
    [''],
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
    ['ada@[127.0.0.1]'],
    ['ada(comment)@one.example'],
    ['group:ada@one.example'],
    ['ada@one.example%0d%0aBcc:eve@evil.example'],
    ['ada@one.example\u0000'],
    ['ada@one.example\u0085Bcc:eve@evil.example'],
    ['ada@one.example/eve'],
    ['ada@são.example/eve'],
    ['"ada b"@one.example'],
    ['"ada@one.example eve"@evil.example'],
    ['ådа@one.example'], // a Cyrillic letter that looks like a Latin one
    [`${'a'.repeat(65)}@one.example`],
    [`a@${'b.'.repeat(130)}example`],
    [`a@${'b'.repeat(64)}.example`],
    ['ada@one.example, ben@one.example'],
    ['ada@one.example Ada'],
  ])('%j is not one address, and stays as it was typed', (text) => {
    expect(readEmailAddress(text)).toBeUndefined();
    expect(emailAddressOrText(` ${text} `)).toBe(text.trim());
    expect(emailAddress.safeParse(text).success).toBe(false);
  });
});

describe('a list of addresses', () => {
  test.each([
    [
      'ada@one.example, ben@one.example;cleo@one.example\ndan@one.example eve@one.example',
      ['ada@one.example', 'ben@one.example', 'cleo@one.example', 'dan@one.example', 'eve@one.example'],
    ],
    ['  ada@one.example ;; , ', ['ada@one.example']],
    [
      '"Silva, Maria" <maria@one.example>; João Souza <joao@one.example>',
      ['maria@one.example', 'joao@one.example'],
    ],
    [
      'Silva, Maria <maria@one.example>, Souza, João <joao@one.example>',
      ['maria@one.example', 'joao@one.example'],
    ],
    ['ada@one.example, Ben Bell <ben@one.example>', ['ada@one.example', 'ben@one.example']],
    ['maria@one.example，joao@one.example', ['maria@one.example', 'joao@one.example']],
    ['ada@one.example, ADA@one.example <ada@ONE.example>', ['ada@one.example']],
    ['', []],
  ])('%j is read', (list, addresses) => {
    expect(readEmailAddresses(list)).toMatchObject({ addresses, wrong: [] });
  });

  test.each([
    ['ada@one.example, nobody', ['nobody']],
    ['nobody; Ada <ada@one.example>', ['nobody']],
    ['ada@one.example a..b@one.example', ['a..b@one.example']],
    ['Ada <ada@one.example> Bcc: eve', ['Bcc:', 'eve']],
  ])('what is no address is named: %j', (list, wrong) => {
    expect(readEmailAddresses(list)).toMatchObject({ addresses: ['ada@one.example'], wrong });
  });

  test('a parsed address never contains characters that could break a mail header', () => {
    const parts = ['ada@one.example', '\r\n', ',', ' ', '"', '<', '>', ':', '\u0085', '\u2029', 'Bcc', '＠'];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: 'binary', maxLength: 8 })), {
          maxLength: 12,
        }),
        (texts) => {
          for (const address of readEmailAddresses(texts.join('')).addresses)
            expect(address).toMatch(/^[^\s\p{C}"(),:;<>@[\\\]]+@[a-z0-9.-]+$/iu);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each([
    [`${'a-'.repeat(500_000)}@${'b-'.repeat(500_000)}`],
    ['"'.repeat(500_001)],
    ['<'.repeat(500_000)],
    ['a@x.example <'.repeat(50_000)],
    [`${'?'.repeat(500_000)}@`],
    [`a@${'é'.repeat(300_000)}.example`],
  ])('a list of any length is read at once', async (list) => {
    const spent = await cpuTimeOf(() => void readEmailAddresses(list));
    expect(spent).toBeLessThan(1500);
  });
});

test.each([
  ['Jane Doe <jane@bank.example>', 'Jane Doe'],
  ['"Doe, Jane" <jane@bank.example>', 'Doe, Jane'],
  ['Doe, Jane <jane@bank.example>; other@bank.example', 'Doe, Jane'],
  ['x@y.example, José Núñez <jane@bank.example>', 'José Núñez'],
  ['jane@bank.example', ''],
  ['jane@bank.example <jane@bank.example>', ''],
  ['jane@bank.example, Jane <JANE@bank.example>', 'Jane'],
  [`${'x'.repeat(121)} <jane@bank.example>`, ''],
])('the name before an address is kept: %s', (list, name) => {
  const { named } = readEmailAddresses(list);
  expect(named.find(({ emailAddress }) => /^jane@/i.test(emailAddress))?.name).toBe(name);
});
