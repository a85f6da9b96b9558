import { describe, expect, test } from 'vitest';
import { isExecutable } from '#features/documents/documents/rules.ts';
import {
  acceptedTypes,
  ALLOWED_TYPES,
  agreedName,
  assertContentAgrees,
  constraints,
} from '#features/documents/documents/file-types.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const filler = '\0\x01\x02\x03'.repeat(16);

const PDF = latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n');
const ZIP = latin(`PK\x03\x04\x14\0${filler}`);
const COMPOUND = latin(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${filler}`);
const RTF = latin('{\\rtf1\\ansi Hello}');
const JPEG = latin(`\xff\xd8\xff\xe0\0\x10JFIF\0${filler}`);
const PNG = latin(`\x89PNG\r\n\x1a\n${filler}`);
const GIF = latin(`GIF89a${filler}`);
const WEBP = latin(`RIFF\x24\0\0\0WEBPVP8 ${filler}`);
const WAV = latin(`RIFF\x24\0\0\0WAVEfmt ${filler}`);
const AVI = latin(`RIFF\x24\0\0\0AVI LIST${filler}`);
const BMP = latin(`BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0${filler}`);
const TIFF = latin(`II*\0\x08\0\0\0${filler}`);
const HEIC = latin('\0\0\0\x18ftypheic\0\0\0\0mif1heic');
const HEIF = latin('\0\0\0\x18ftypmif1\0\0\0\0mif1heic');
const AVIF = latin('\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf');
const MP4 = latin('\0\0\0\x18ftypmp42\0\0\0\0isommp42');
const MOV = latin('\0\0\0\x14ftypqt  \0\0\0\0qt  ');
const OLD_MOV = latin(`\0\0\0\x08wide${filler}`);
const M4A = latin('\0\0\0\x18ftypM4A \0\0\0\0M4A mp42');
const MP3 = latin(`ID3\x04\0\0${filler}`);
const GZIP = latin(`\x1f\x8b\x08\0${filler}`);
const RAR = latin(`Rar!\x1a\x07\x01\0${filler}`);
const SEVEN = latin(`7z\xbc\xaf\x27\x1c\0\x04${filler}`);
const TAR = latin(`statement.pdf${'\0'.repeat(244)}ustar\x0000${filler}`);
const EBML = latin(`\x1a\x45\xdf\xa3${filler}`);
const OGG = latin(`OggS\0\x02${filler}`);
const ASF = latin(`\x30\x26\xb2\x75\x8e\x66\xcf\x11${filler}`);
const TEXT = Buffer.from('Data;Descrição;Valor\r\n01/02/2025;Café;10,00\r\n');
const NFE = Buffer.from(
  '<?xml version="1.0" encoding="UTF-8"?><nfeProc xmlns="http://www.portalfiscal.inf.br/nfe"><NFe/></nfeProc>',
);
const OFX = latin('OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX><SIGNONMSGSRSV1>');
const OFX2 = latin('<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?>\n<OFX><SIGNONMSGSRSV1>');
const EXE = latin(`MZ\x90\0\x03\0\0\0${filler}`);
const HTML = latin('<!DOCTYPE html><html><script>alert(1)</script></html>');
const SVG = latin('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
const QUICKBOOKS = latin(`\x45\x86\0\0\x06\0${filler}`);

/** A valid beginning for each extension on the list. */
const RIGHT: [Buffer, string][] = [
  [PDF, '.pdf'],
  [COMPOUND, '.doc .dot .wps .msg .vsd .xls .xlt .ppt .pps'],
  [
    ZIP,
    '.docx .dotx .odt .pages .xps .oxps .vsdx .xlsx .xltx .xlsm .xlsb .ods .numbers .pptx .ppsx .odp .key .zip',
  ],
  [RTF, '.rtf'],
  [TEXT, '.txt .log .md .csv .tsv .eml .ics .vcf .qif .iif .rem .ret .tax .dec .rec .dbk'],
  [NFE, '.xml .xbrl'],
  [OFX, '.ofx .qfx .qbo'],
  [latin(`\xffWPC${filler}`), '.wpd'],
  [JPEG, '.jpg .jpeg .jfif'],
  [PNG, '.png'],
  [GIF, '.gif'],
  [WEBP, '.webp'],
  [BMP, '.bmp'],
  [TIFF, '.tif .tiff'],
  [HEIC, '.heic .heif'],
  [AVIF, '.avif'],
  [latin('\x30\x80\x06\x09\x2a\x86\x48'), '.p7s'],
  [RAR, '.rar'],
  [SEVEN, '.7z'],
  [GZIP, '.gz .tgz .gnucash'],
  [TAR, '.tar'],
  [MP3, '.mp3 .aac'],
  [M4A, '.m4a'],
  [WAV, '.wav'],
  [OGG, '.ogg .opus'],
  [latin(`fLaC\0\0\0\x22${filler}`), '.flac'],
  [latin(`FORM\0\0\0\x24AIFFCOMM${filler}`), '.aif .aiff'],
  [latin(`#!AMR\n${filler}`), '.amr'],
  [ASF, '.wma .wmv'],
  [MP4, '.mp4 .m4v .3gp'],
  [MOV, '.mov'],
  [AVI, '.avi'],
  [EBML, '.mkv .webm'],
  [latin(`\0\0\x01\xba${filler}`), '.mpg .mpeg'],
  [QUICKBOOKS, '.qbw .qbb .qbm .qba .qbx .qby .qdf .qel .ptb .sai .mny'],
  [QUICKBOOKS, '.tax2018 .tax2019 .tax2020 .tax2021 .tax2022 .tax2023 .tax2024 .tax2025 .tax2026'],
];
const right = RIGHT.flatMap(([head, extensions]) =>
  extensions.split(' ').map((extension) => ({ extension, head })),
);
const everyExtension = Object.keys(ALLOWED_TYPES);

function refusalOf(
  extension: string,
  head: Buffer,
): { code: string; details: Record<string, unknown> } | undefined {
  try {
    assertContentAgrees(extension, head);
    return undefined;
  } catch (error) {
    if (!(error instanceof PortalError)) throw error;
    return { code: error.code, details: error.details };
  }
}

const byContent = { code: 'TYPE_NOT_ALLOWED', details: { reason: 'CONTENT' } };

describe('files whose content matches their extension', () => {
  test('every extension on the list has an example here', () => {
    expect(right.map(({ extension }) => extension).sort()).toEqual(everyExtension.toSorted());
  });

  test.each(right)(
    'a file whose content matches its extension is accepted: $extension',
    ({ extension, head }) => {
      expect(refusalOf(extension, head)).toBeUndefined();
      expect(
        refusalOf(extension, Buffer.concat([head, Buffer.alloc(4100, 'a')]).subarray(0, 4100)),
      ).toBeUndefined();
    },
  );

  test.each([
    ['a PDF after a space', '.pdf', Buffer.concat([latin(' '), PDF])],
    ['a PDF after a byte order mark', '.pdf', Buffer.concat([latin('\xef\xbb\xbf'), PDF])],
    [
      'a PDF after the headers of its download',
      '.pdf',
      Buffer.concat([latin('HTTP/1.1 200 OK\r\n\r\n'), PDF]),
    ],
    ['a table in HTML called XLS', '.xls', latin('<html><table><tr><td>1</td></tr></table>')],
    ['a table in text called XLS', '.xls', latin('Data\tValor\r\n01/02\t10,00')],
    ['a table in XML called XLS', '.xls', latin('<?xml version="1.0"?><Workbook xmlns="urn:schemas"/>')],
    ['a page called DOC', '.doc', latin('<html><body>Contrato</body></html>')],
    ['XML filled with NUL', '.xml', latin('<?xml version="1.0"?><NFe/>\0\0')],
    ['a signature in PEM', '.p7s', latin('-----BEGIN PKCS7-----\nMIIB')],
    ['a workbook with a password', '.xlsx', COMPOUND],
    ['a letter that Word saved as rich text', '.doc', RTF],
    ['a bare sheet from an exporter', '.xls', latin(`\t\x08\x10\0\0\x06${filler}`)],
    ['an empty archive', '.zip', latin(`PK\x05\x06${'\0'.repeat(18)}`)],
    ['a photo of an iPhone', '.heic', HEIF],
    ['a film without its type box', '.mov', OLD_MOV],
    ['music without a title', '.mp3', latin(`\xff\xfb\x90\x64${filler}`)],
    ['a Motorola TIFF', '.tif', latin(`MM\0*${filler}`)],
    ['a list in Latin-1', '.csv', latin('Descri\xe7\xe3o;\x80 10')],
    ['a list with a byte order mark', '.csv', Buffer.from('\ufeffData;Valor')],
    ['a list in UTF-16', '.csv', utf16le('Data;Descrição')],
    ['a list in UTF-16, the other way round', '.csv', utf16be('Data;Descrição')],
    ['a bank file with the end mark of DOS', '.rem', latin('02RETORNO01\r\n\x1a')],
    ['a text of a firm called MZ', '.txt', latin('MZ Consultoria Ltda')],
    ['a text that quotes a page', '.txt', latin('Write <html> at the top')],
    ['a text that begins with an address', '.txt', latin('<a@b.com> wrote:')],
    ['a text cut within a letter', '.txt', Buffer.from('Descriç').subarray(0, 8)],
    ['fiscal XML with a byte order mark', '.xml', Buffer.concat([Buffer.from('\ufeff\n'), NFE])],
    ['fiscal XML in UTF-16', '.xml', utf16le('<?xml version="1.0" encoding="UTF-16"?><NFe/>')],
    ['fiscal XML after a comment', '.xml', latin('<!-- made by ERP --><NFe/>')],
    ['fiscal XML with a prefix', '.xml', latin('<ns2:NFe xmlns:ns2="http://www.portalfiscal.inf.br/nfe"/>')],
    ['fiscal XML with a field called htmlDescricao', '.xml', latin('<NFe><htmlDescricao/></NFe>')],
    ['a statement in the newer form', '.ofx', OFX2],
    ['a statement without a header', '.ofx', latin('\r\n<OFX><BANKMSGSRSV1>')],
    ['uncompressed books', '.gnucash', latin('<?xml version="1.0"?><gnc-v2></gnc-v2>')],
  ])('a file whose content matches its extension is accepted: %s', (_, extension, head) => {
    expect(refusalOf(extension, head)).toBeUndefined();
  });
});

describe('files whose content contradicts their extension', () => {
  test.each([
    ['a page called PDF', '.pdf', HTML],
    ['a page before a PDF', '.pdf', Buffer.concat([latin('<html>'), PDF])],
    ['a PDF after a page', '.pdf', Buffer.concat([latin('<html>'), PDF])],
    ['a PDF after an archive', '.pdf', Buffer.concat([ZIP, PDF])],
    ['a PDF after a script', '.pdf', Buffer.concat([latin('x<script>alert(1)</script>'), PDF])],
    ['a PDF after more than the first 1,024 bytes', '.pdf', Buffer.concat([Buffer.alloc(1025, ' '), PDF])],
    ['half a PDF mark', '.pdf', latin('%PD')],
    ['a photo called PDF', '.pdf', JPEG],
    ['a PNG called JPG', '.jpg', PNG],
    ['a WebP called JPG', '.jpg', WEBP],
    ['an iPhone photo called JPG', '.jpg', HEIC],
    ['an iPhone photo called MP4', '.mp4', HEIC],
    ['an AVIF called HEIC', '.heic', AVIF],
    ['a film called HEIC', '.heic', MP4],
    ['sound called WebP', '.webp', WAV],
    ['a picture called WAV', '.wav', WEBP],
    ['text called BMP', '.bmp', latin('BMW lease, monthly payment')],
    ['an archive called RAR', '.rar', ZIP],
    ['a RAR called ZIP', '.zip', RAR],
    ['a PDF called DOCX', '.docx', PDF],
    ['a page with a script called XLS', '.xls', HTML],
    ['a photo called XLS', '.xls', JPEG],
    ['a PDF called XLS', '.xls', PDF],
    ['a program called DOC', '.doc', EXE],
    ['NUL within XML', '.xml', latin('<a>\0</a>')],
    ['a photo called CSV', '.csv', PNG],
    ['a PDF called TXT', '.txt', latin('%PDF-1.4\n1 0 obj')],
    ['rich text called TXT', '.txt', RTF],
    ['an archive called TXT', '.txt', ZIP],
    ['NUL in a text', '.txt', latin('a\0b')],
    ['UTF-16 without its mark', '.csv', Buffer.from('Data;Valor', 'utf16le')],
    ['a page called TXT', '.txt', latin('<html>')],
    ['a page called TXT after space', '.txt', latin('\r\n \t<HTML>')],
    ['a page called TXT after a byte order mark', '.txt', Buffer.from('\ufeff<html>')],
    ['a page called TXT in UTF-16', '.txt', utf16le('<html>')],
    ['a page called TXT in UTF-16, the other way round', '.txt', utf16be('<html>')],
    ['a script called CSV', '.csv', latin('<script>alert(1)</script>')],
    ['a drawing called TXT', '.txt', SVG],
    ['a page called CSV', '.csv', HTML],
    ['a commented page called TXT', '.txt', latin('<!-- --><b>')],
    ['a PHP script called TXT', '.txt', latin('<?php system($_GET[0]);')],
    ['XHTML called TXT', '.txt', latin('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">')],
    ['a page called QBW', '.qbw', HTML],
    ['a PDF called QBW', '.qbw', PDF],
    ['a page called OFX', '.ofx', HTML],
    ['a script in an OFX', '.ofx', latin('OFXHEADER:100\n<OFX><script>alert(1)</script>')],
    ['text called XML', '.xml', latin('hello')],
    ['nothing but a declaration', '.xml', latin('<?xml version="1.0"?>')],
    ['an XML with a document type', '.xml', latin('<?xml version="1.0"?><!DOCTYPE NFe><NFe/>')],
    [
      'an XML with entities',
      '.xml',
      latin('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    ],
    ['an XML with a document type in small letters', '.xml', latin('<!doctype a><a/>')],
    [
      'an XML whose document type hides behind padding',
      '.xml',
      latin(`<?xml version="1.0"?>${' '.repeat(5000)}`).subarray(0, 4100),
    ],
    [
      'an XML whose document type hides behind a comment',
      '.xml',
      latin(`<!--${'x'.repeat(5000)}`).subarray(0, 4100),
    ],
    ['an XML with a document type in UTF-16', '.xml', utf16le('<!DOCTYPE a><a/>')],
    ['a page called XML', '.xml', latin('<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>')],
    ['a page with a prefix called XML', '.xml', latin('<x:a xmlns:x="http://www.w3.org/1999/xhtml"/>')],
    ['a drawing called XML', '.xml', SVG],
    ['a script within XML', '.xml', latin('<NFe><s:script xmlns:s="x">alert(1)</s:script></NFe>')],
    ['a PDF called XML', '.xml', PDF],
    ['a script that passes for a voice note', '.amr', latin('#!AMR/../bin/sh\n')],
  ])('a file whose content contradicts its extension is refused: %s', (_, extension, head) => {
    expect(refusalOf(extension, head)).toEqual(byContent);
  });

  test.each([
    ['Windows', EXE],
    ['Linux', latin(`\x7fELF\x02\x01\x01${filler}`)],
    ['a Mac', latin(`\xcf\xfa\xed\xfe\x07\0\0\x01${filler}`)],
    ['an old Mac', latin(`\xfe\xed\xfa\xce${filler}`)],
    ['two kinds of Mac, or Java', latin(`\xca\xfe\xba\xbe\0\0\0\x02${filler}`)],
    ['Android', latin(`dex\n035\0${filler}`)],
    ['a shell', latin('#!/bin/sh\nrm -rf /\n')],
    ['a shell, after a byte order mark', Buffer.from('\ufeff#!/bin/sh\n')],
    ['a shortcut', latin(`L\0\0\0\x01\x14\x02\0${filler}`)],
  ])('an executable for %s is refused under every extension', (_, head) => {
    expect(everyExtension.filter((extension) => refusalOf(extension, head) === undefined)).toEqual([]);
  });

  test('HTML and SVG are refused under every extension', () => {
    expect(
      everyExtension.filter((extension) => !refusalOf(extension, HTML) || !refusalOf(extension, SVG)),
    ).toEqual([]);
  });

  test('no file is accepted as another type with a distinct signature', () => {
    const marked = RIGHT.filter(
      ([head]) => ![TEXT, NFE, OFX, QUICKBOOKS].some((loose) => loose.equals(head)),
    );
    // types with more than one valid beginning, see above
    const shared = new Set(['.aac', '.mp3', '.gnucash', '.docx', '.doc', '.xls']);
    const mistakes = marked.flatMap(([head, own]) =>
      marked
        .flatMap(([, others]) => others.split(' '))
        .filter((extension) => !own.split(' ').includes(extension) && !shared.has(extension))
        .filter((extension) => refusalOf(extension, head) === undefined)
        .map((extension) => `${own.split(' ')[0] ?? ''} as ${extension}`),
    );
    expect(mistakes.filter((mistake) => !expectedOverlap.has(mistake))).toEqual([]);
  });
});

// Office wraps an encrypted file in the old container format, and MPEG-4 phone, video and audio types share
// one.
const ooxmlExtensions = ['.dotx', '.vsdx', '.xlsx', '.xltx', '.xlsm', '.xlsb', '.pptx', '.ppsx'];
const mpeg4 = ['.m4a', '.mp4', '.m4v', '.3gp', '.mov'];
const expectedOverlap = new Set([
  ...ooxmlExtensions.map((extension) => `.doc as ${extension}`),
  ...mpeg4.flatMap((one) => mpeg4.map((other) => `${one} as ${other}`)),
]);

describe('empty and unknown files', () => {
  test('an empty file is refused as empty, whatever its extension', () => {
    expect(new Set(everyExtension.map((extension) => refusalOf(extension, Buffer.alloc(0))?.code))).toEqual(
      new Set(['EMPTY']),
    );
  });

  test.each([
    '',
    '.svg',
    '.html',
    '.htm',
    '.mht',
    '.mhtml',
    '.exe',
    '.PDF',
    'pdf',
    '.constructor',
    'constructor',
    '__proto__',
  ])('a file with an unknown extension is refused: %j', (extension) => {
    expect(refusalOf(extension, PDF)).toEqual({ code: 'TYPE_NOT_ALLOWED', details: { reason: 'EXTENSION' } });
  });
});

describe('the list of file types shown to the uploader', () => {
  test('each extension is listed once, lower case and without a dot', () => {
    const { convertedTypes, unconvertedTypes } = constraints();
    const all = [...convertedTypes, ...unconvertedTypes];
    expect(new Set(all).size).toBe(everyExtension.length);
    expect(all.every((extension) => /^[a-z0-9]+$/.test(extension))).toBe(true);
  });

  test('the list separates types that the viewer shows from those that are only downloaded', () => {
    const { convertedTypes, unconvertedTypes } = constraints();
    expect(convertedTypes).toEqual([
      'pdf',
      'txt',
      'log',
      'md',
      'xml',
      'csv',
      'tsv',
      'jpg',
      'jpeg',
      'jfif',
      'png',
      'gif',
      'webp',
      'avif',
      'tif',
      'tiff',
      'ofx',
      'qif',
      'rem',
      'ret',
    ]);
    expect(unconvertedTypes).toEqual(
      expect.arrayContaining(['docx', 'xlsx', 'zip', 'mp4', 'qbw', 'bmp', 'qbo', 'heic']),
    );
  });

  test('the list contains nothing executable and nothing that a browser would run', () => {
    expect(everyExtension.filter((extension) => isExecutable(`a${extension}`))).toEqual([]);
    expect(Object.values(ALLOWED_TYPES).filter(({ mime }) => /html|svg|script|multipart/.test(mime))).toEqual(
      [],
    );
  });
});

test('a file chooser does not ask for HEIC, so that phones send a JPEG, but such a file is accepted', () => {
  const offered = acceptedTypes().split(',');
  expect(offered.filter((type) => /hei[cf]/.test(type))).toEqual([]);
  expect(offered).toEqual(expect.arrayContaining(['.jpg', '.jpeg', '.png', '.pdf']));
  expect(() => assertContentAgrees('.heic', HEIC)).not.toThrow();
});

describe('the name of a file by its content', () => {
  test.each([
    ['IMG.jpg', PNG, 'IMG.png'],
    ['IMG-WA0001.JPG', WEBP, 'IMG-WA0001.webp'],
    ['IMG_0001.jpeg', HEIC, 'IMG_0001.heic'],
    ['scan.tiff', JPEG, 'scan.jpg'],
    ['scan.jpeg', JPEG, 'scan.jpeg'],
    ['scan.tiff', TIFF, 'scan.tiff'],
    ['conta.pdf', PDF, 'conta.pdf'],
  ])('%s is stored as what it is', (name, head, stored) => {
    expect(agreedName(name, head)).toBe(stored);
  });

  test.each([
    ['a.jpg', PDF],
    ['a.jpg', HTML],
    ['a.png', EXE],
    ['a.pdf', PNG],
    ['a.gif', SVG],
  ])('no other file gets another name: %s', (name, head) => {
    expect(() => agreedName(name, head)).toThrow(PortalError);
  });
});
