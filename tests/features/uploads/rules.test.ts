import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  extensionOf,
  freeName,
  nameIsAcceptable,
  numberedName,
  repairedName,
} from '#features/documents/folders/rules.ts';
import { isExecutable, MAX_BYTES } from '#features/documents/documents/rules.ts';
import { uploadReasons } from '#features/documents/uploads/rules.ts';
import names from '../../corpora/names.json' with { type: 'json' };

const constraints = {
  types: ['.pdf', '.jpg', '.png', '.docx', '.xlsx', '.csv', '.txt', '.xml', '.gz', '.zip'],
  mostBytes: MAX_BYTES,
};
const reasonsFor = (name: string, size = 1) => uploadReasons({ name, size }, constraints);

describe('the rules for uploaded files', () => {
  test.each(names)(
    'a file is accepted or refused by its name, repaired if necessary: $why',
    ({ name, reasons }) => {
      const repaired = repairedName(name);
      const isTaken = constraints.types.includes(extensionOf(repaired)) && !isExecutable(repaired);
      expect(reasonsFor(name)).toEqual(isTaken ? [] : ['TYPE_NOT_ALLOWED']);
      if (!reasons.includes('BAD_NAME')) expect(reasonsFor(name)).toEqual(reasons);
      expect(nameIsAcceptable(name)).toBe(!reasons.includes('BAD_NAME'));
      expect(nameIsAcceptable(repaired)).toBe(true);
      if (nameIsAcceptable(name)) expect(repaired).toBe(name.normalize());
    },
  );

  test('a file may have exactly 500 MB and not a byte more', () => {
    expect(reasonsFor('statement.pdf', MAX_BYTES)).toEqual([]);
    expect(reasonsFor('statement.pdf', MAX_BYTES + 1)).toEqual(['TOO_LARGE']);
  });

  test('an empty file is refused', () => {
    expect(reasonsFor('statement.pdf', 0)).toEqual(['EMPTY']);
  });

  test('all reasons for refusing a file are reported at once, in the order size, type', () => {
    expect(reasonsFor('../statement.exe', MAX_BYTES + 1)).toEqual(['TOO_LARGE', 'TYPE_NOT_ALLOWED']);
    expect(reasonsFor('what?.html', 0)).toEqual(['EMPTY', 'TYPE_NOT_ALLOWED']);
  });

  test.each(['empresa.pfx', 'Certificado A1.P12'])('%s is refused as a certificate', (name) => {
    expect(reasonsFor(name)).toEqual(['CERTIFICATE']);
  });

  test('an executable is refused even when the firm lists its extension', () => {
    expect(uploadReasons({ name: 'setup.exe', size: 1 }, { ...constraints, types: ['.exe'] })).toEqual([
      'TYPE_NOT_ALLOWED',
    ]);
    expect(isExecutable('setup.exe.pdf')).toBe(true);
    expect(isExecutable('setup.pdf')).toBe(false);
  });

  test.each([
    ['Statement.PDF', '.pdf'],
    ['archive.tar.gz', '.gz'],
    ['README', ''],
    ['.pdf', ''],
    ['statement.', ''],
    ['', ''],
  ])('%j has the extension %j', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});

describe('repairing names', () => {
  test.each([
    ['Holerite 11:2026.pdf', 'Holerite 11-2026.pdf'],
    ['Holerite 11/2026.pdf', 'Holerite 11-2026.pdf'],
    ['O que pagar?.pdf', 'O que pagar.pdf'],
    ['???.pdf', 'file.pdf'],
    [' Guia DAS.pdf', 'Guia DAS.pdf'],
    ['Guia DAS.pdf ', 'Guia DAS.pdf'],
    ['Guia DAS.pdf.', 'Guia DAS.pdf'],
    ['.holerite.pdf', 'holerite.pdf'],
    ['.pdf', 'file.pdf'],
    ['COM1.pdf', '_COM1.pdf'],
    ['Gui\u200Ba.pdf', 'Guia.pdf'],
    ['invoice\u202Efdp.pdf', 'invoicefdp.pdf'],
    ['Declarac\u0327a\u0303o IRPF.pdf', 'Declaração IRPF.pdf'],
    ['Nota; "fiscal", julho.pdf', "Nota; 'fiscal', julho.pdf"],
    ['a<b>|c*.pdf', 'a(b)-c-.pdf'],
    ['Folha\r\nde julho.pdf', 'Folha de julho.pdf'],
    ['تقرير.pdf', 'تقرير.pdf'],
    ['می\u200Cخواهم.pdf', 'می\u200Cخواهم.pdf'],
    ['C:\\Users\\ana\\Holerite.pdf', 'Holerite.pdf'],
    ['../../etc/passwd.pdf', 'passwd.pdf'],
    [`${'ç'.repeat(134)}.pdf`, `${'ç'.repeat(125)}.pdf`],
    [`${'👩‍💻'.repeat(30)}.pdf`, `${'👩‍💻'.repeat(22)}.pdf`],
  ])('%j is stored as %j', (name, repaired) => {
    expect(repairedName(name)).toBe(repaired);
    expect(repairedName(repaired)).toBe(repaired);
  });

  test('any name is repaired to one that can be stored, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => nameIsAcceptable(repairedName(name))),
      { numRuns: 2000 },
    );
    expect(nameIsAcceptable(repairedName('. '.repeat(20_000)))).toBe(true);
  });
});

describe('numbering names that are taken', () => {
  test.each([
    ['Statement.pdf', 'Statement (1).pdf'],
    ['Statement (1).pdf', 'Statement (2).pdf'],
    ['Statement(1).pdf', 'Statement(2).pdf'],
    ['Statement (9).pdf', 'Statement (10).pdf'],
    ['Statement (10).pdf', 'Statement (10) (1).pdf'],
    ['Statement (2025).pdf', 'Statement (2025) (1).pdf'],
    ['Statement (1) final.pdf', 'Statement (1) final (1).pdf'],
    ['archive.tar.gz', 'archive.tar (1).gz'],
    ['SCAN.PDF', 'SCAN (1).PDF'],
    ['README', 'README (1)'],
    [`${'a'.repeat(251)}.pdf`, `${'a'.repeat(247)} (1).pdf`],
  ])('the suggested name has one number: %j', (name, again) => {
    expect(numberedName(name)).toBe(again);
  });

  test('the suggested name has the next free number, also beyond nine', () => {
    const taken = new Set(['a.pdf', ...Array.from({ length: 11 }, (_, index) => `a (${index + 1}).pdf`)]);
    const isTaken = (name: string) => taken.has(name);
    expect(freeName('a.pdf', isTaken)).toBe('a (12).pdf');
    expect(freeName('a (9).pdf', isTaken)).toBe('a (12).pdf');
    expect(freeName('b.pdf', isTaken)).toBe('b.pdf');
  });

  test('a year in a name is not taken for a number: the second statement of 2025 is not called 2026', () => {
    expect(freeName('Statement (2025).pdf', (name) => name === 'Statement (2025).pdf')).toBe(
      'Statement (2025) (1).pdf',
    );
    expect(freeName('Payroll (01).pdf', (name) => name === 'Payroll (01).pdf')).toBe('Payroll (01) (1).pdf');
  });

  const acceptable = fc
    .tuple(
      fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 260 }),
        fc.string({ minLength: 1 }),
        fc.constant('a'.repeat(251)),
      ),
      fc.option(fc.nat({ max: 2000 }), { nil: undefined }),
      fc.constantFrom('.pdf', '.PDF', '.tar.gz', ''),
    )
    .map(([stem, count, extension]) => `${stem}${count === undefined ? '' : ` (${count})`}${extension}`)
    .filter(nameIsAcceptable);

  test('the suggested name is always a different acceptable name with the same extension', () => {
    fc.assert(
      fc.property(acceptable, (name) => {
        const again = numberedName(name);
        expect(again).not.toBe(name);
        expect(nameIsAcceptable(again)).toBe(true);
        expect(extensionOf(again)).toBe(extensionOf(name));
      }),
      { numRuns: 500 },
    );
  });

  test('the suggested name is always free and acceptable with the same extension, however many are taken', () => {
    fc.assert(
      fc.property(acceptable, fc.nat({ max: 30 }), (name, copies) => {
        const taken = new Set<string>();
        for (let copy = 0; copy <= copies; copy += 1) {
          const free = freeName(name, (candidate) => taken.has(candidate));
          expect(taken.has(free)).toBe(false);
          expect(nameIsAcceptable(free)).toBe(true);
          expect(extensionOf(free)).toBe(extensionOf(name));
          taken.add(free);
        }
      }),
    );
  });
});
