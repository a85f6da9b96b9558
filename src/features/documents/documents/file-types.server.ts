import { PortalError } from '#platform/runtime/errors.server.ts';
import { extensionOf } from '#features/documents/folders/rules.ts';

/**
 * An accepted file type: the type we serve it as, whether the viewer shows it, and whether the first bytes
 * match it.
 */
export interface AllowedType {
  mime: string;
  converted?: boolean;
  agrees: (head: Buffer) => boolean;
}

/**
 * Throws unless the first bytes (up to 4,100) match this extension: EMPTY, or TYPE_NOT_ALLOWED with reason
 * CONTENT, or EXTENSION for one that is not on the list. The table is our own, because sniffing libraries
 * miss markup and polyglots (threat-model.md F13).
 */
export function assertContentAgrees(extension: string, head: Buffer): void {
  if (head.length === 0) throw new PortalError('EMPTY');
  const type = Object.hasOwn(ALLOWED_TYPES, extension) ? ALLOWED_TYPES[extension] : undefined;
  if (!type) throw new PortalError('TYPE_NOT_ALLOWED', { reason: 'EXTENSION' });
  if (isProgram(head) || !type.agrees(head)) throw new PortalError('TYPE_NOT_ALLOWED', { reason: 'CONTENT' });
}

/**
 * The name of a file with these first bytes: a picture under the extension of another one, as messengers and phones
 * save them, gets its own. Throws as {@link assertContentAgrees}.
 */
export function agreedName(name: string, head: Buffer): string {
  const extension = extensionOf(name);
  const picture = PICTURES.find((known) => ALLOWED_TYPES[known]?.agrees(head));
  const isPicture = PICTURES.includes(OTHER_SPELLINGS[extension] ?? extension);
  if (isPicture && picture !== undefined && !ALLOWED_TYPES[extension]?.agrees(head))
    return name.slice(0, name.length - extension.length) + picture;
  assertContentAgrees(extension, head);
  return name;
}

const PICTURES = ['.jpg', '.png', '.gif', '.webp', '.bmp', '.avif', '.tif', '.heic'];
const OTHER_SPELLINGS: Partial<Record<string, string>> = {
  '.jpeg': '.jpg',
  '.jfif': '.jpg',
  '.tiff': '.tif',
  '.heif': '.heic',
};

/**
 * The response of GET /api/storage/v1/documents/constraints for the uploader: extensions without the dot
 * (spec 1, sections 5 and 7).
 */
export function constraints(): { convertedTypes: string[]; unconvertedTypes: string[] } {
  const types = Object.entries(ALLOWED_TYPES);
  const named = (converted: boolean): string[] =>
    types
      .filter(([, type]) => (type.converted ?? false) === converted)
      .map(([extension]) => extension.slice(1));
  return { convertedTypes: named(true), unconvertedTypes: named(false) };
}

/** Photos of iPhones, which convert them to JPEG where a chooser does not ask for these (decisions/0081). */
const CONVERTED_BY_PHONES = ['.heic', '.heif'];

/** What a file chooser offers: the extensions of the allowed types, but what phones convert. */
export const acceptedTypes = (): string =>
  Object.keys(ALLOWED_TYPES)
    .filter((extension) => !CONVERTED_BY_PHONES.includes(extension))
    .join(',');

/** Tells whether the viewer shows a file of this name in the page. */
export const isViewable = (name: string): boolean => ALLOWED_TYPES[extensionOf(name)]?.converted ?? false;

function isProgram(head: Buffer): boolean {
  // Text may begin with 'MZ', but the header of an executable is never text.
  if (head.toString('latin1', 0, 2) === 'MZ') return !isText(head);
  return PROGRAMS.some((agrees) => agrees(head)) && !amr(head);
}

/** Tells whether a file has one of these byte sequences, written as Latin-1 text, at `offset`. */
function starts(bytes: string[], offset = 0): (head: Buffer) => boolean {
  return (head) => bytes.some((each) => head.toString('latin1', offset, offset + each.length) === each);
}

function either(...kinds: ((head: Buffer) => boolean)[]): (head: Buffer) => boolean {
  return (head) => kinds.some((agrees) => agrees(head));
}

function both(...kinds: ((head: Buffer) => boolean)[]): (head: Buffer) => boolean {
  return (head) => kinds.every((agrees) => agrees(head));
}

// voice notes of older phones: the one type that begins like a script
const amr = starts(['#!AMR\n', '#!AMR-WB\n']);

// #! script, ELF, Mach-O in both byte orders and fat (also Java classes), Dalvik, Windows shortcut.
const PROGRAMS = [
  starts(['#!', '\xef\xbb\xbf#!', '\x7fELF', 'dex\n', 'L\0\0\0\x01\x14\x02\0']),
  starts(['\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe']),
  starts(['\xca\xfe\xba\xbe', '\xca\xfe\xba\xbf', '\xbe\xba\xfe\xca', '\xbf\xba\xfe\xca']),
];

const CONTROLS = /[\0-\x08\x0e-\x19\x1b-\x1f\x7f]/; // not 0x1A, with which DOS and bank files end

/**
 * Decodes the head as text in UTF-16 with a byte order mark, UTF-8 or an old code page, in which every byte
 * is a character.
 */
function textOf(head: Buffer): string {
  if (starts(['\xff\xfe'])(head)) return head.toString('utf16le', 2, evenEnd(head));
  if (starts(['\xfe\xff'])(head))
    return Buffer.from(head.subarray(0, evenEnd(head)))
      .swap16()
      .toString('utf16le', 2);
  return head.toString('utf8').replace(/^\ufeff/, '');
}

function evenEnd(head: Buffer): number {
  return head.length - (head.length % 2);
}

function isText(head: Buffer): boolean {
  return !CONTROLS.test(textOf(head));
}

/** Some programs fill the end of a file with NUL. */
const withoutFill = (head: Buffer): Buffer => {
  const end = head.findLastIndex((byte) => byte !== 0) + 1;
  return end === 0 || starts(['\xff\xfe', '\xfe\xff'])(head) ? head : head.subarray(0, end);
};

// The signatures that browsers take for HTML (WHATWG MIME Sniffing, table of unknown types), and other
// formats that can contain scripts.
const MARKUP =
  /^\s*<(?:!doctype|!--|\?xml|\?php|(?:html|head|body|script|svg|math|iframe|object|embed|img|style|link|meta|base|form|title|table|font|div|h1|a|b|p|br|xml)(?:[\s/>]|$))/i;
const ACTIVE =
  /<!doctype|<!entity|<(?:[\w.-]+:)?(?:html|svg|script)(?:[\s/>]|$)|www\.w3\.org\/(?:1999\/xhtml|2000\/svg)/i;

const isPage = (head: Buffer): boolean => MARKUP.test(textOf(head));
// Other accepted types that text, or a proprietary format, may not have.
const FOREIGN = starts(['%PDF-', '%!PS', '{\\rtf', 'GIF8', '\x89PNG', '\xff\xd8\xff', '#!AMR']);
const plain = (head: Buffer): boolean => isText(head) && opaque(head);
// a proprietary format without documentation
const opaque = (head: Buffer): boolean => !isPage(head) && !FOREIGN(head);

/**
 * XML data: its root begins within the head, so nothing that may precede the root can hide behind padding.
 */
function xml(head: Buffer): boolean {
  const data = withoutFill(head);
  const text = textOf(data);
  const body = text.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->/g, '').trimStart();
  return isText(data) && /^\s*</.test(text) && /^<[\p{L}_]/u.test(body) && !ACTIVE.test(text);
}

const ofxHeader = (head: Buffer): boolean =>
  isText(head) && /^\s*OFXHEADER/i.test(textOf(head)) && !ACTIVE.test(textOf(head));

/**
 * PDF readers look for the header in the first 1,024 bytes: a byte order mark, line breaks or the headers of a download
 * may come before it (ISO 32000-2, annex I), but neither a page nor another file.
 */
function pdf(head: Buffer): boolean {
  const at = head.subarray(0, 1024 + 5).indexOf('%PDF-');
  if (at <= 0) return at === 0;
  const before = head.subarray(0, at);
  return isText(before) && !isPage(before) && !FOREIGN(before) && !ACTIVE.test(textOf(before));
}

const zip = starts(['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08']);
const compound = starts(['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1']);
const rtf = starts(['{\\rtf']);
const ooxml = either(zip, compound); // Office wraps a file with a password in the old container format
const gzip = starts(['\x1f\x8b\x08']);
// A bare worksheet, which simple exporters still write: Excel 2, 3, 4, 5 and 97.
// What banks and tax offices call a workbook or a document: a table in HTML, XML or text, which is only downloaded.
const officeText = (head: Buffer): boolean =>
  isText(head) && !FOREIGN(head) && !SCRIPT.test(textOf(head)) && /\S/.test(textOf(head));
const SCRIPT = /<(?:script|iframe|object|embed|svg|!entity)\b|javascript:/i;
const oldSheet = starts(['\t\0\x04\0', '\t\x02\x06\0', '\t\x04\x06\0', '\t\x08\x08\0', '\t\x08\x10\0']);

const iso = starts(['ftyp'], 4);
const anyPicture = starts(['mif1', 'msf1'], 8); // then the compatible brands after it decide
const avifBrand = either(
  starts(['avif', 'avis'], 8),
  (head) => anyPicture(head) && head.toString('latin1', 16, 64).includes('avif'),
);
const heicBrand = either(anyPicture, starts(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis'], 8));
const avif = both(iso, avifBrand);
const heic = (head: Buffer): boolean => iso(head) && heicBrand(head) && !avifBrand(head);
const media = (head: Buffer): boolean => iso(head) && !heicBrand(head) && !avifBrand(head);
const quickTime = either(media, starts(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'], 4));
const riff = (kind: string): ((head: Buffer) => boolean) => both(starts(['RIFF', 'RF64']), starts([kind], 8));
const asf = starts(['\x30\x26\xb2\x75\x8e\x66\xcf\x11']);
const matroska = starts(['\x1a\x45\xdf\xa3']);
const mpeg = starts(['\0\0\x01\xba', '\0\0\x01\xb3']);
const mp3 = starts(['ID3', '\xff\xfb', '\xff\xfa', '\xff\xf3', '\xff\xf2', '\xff\xe3', '\xff\xe2']);
const aac = starts(['ID3', 'ADIF', '\xff\xf1', '\xff\xf9', '\xff\xf0', '\xff\xf8']);
const ogg = starts(['OggS']);
const aiff = both(starts(['FORM']), starts(['AIFF', 'AIFC'], 8));
const jpeg = starts(['\xff\xd8\xff']);
const tiff = starts(['II*\0', 'MM\0*', 'II+\0', 'MM\0+']);
// 'BM' alone begins many texts, but the size of the header after it is one of a few.
const bmp = both(
  starts(['BM']),
  starts(['\x0c', '\x10', '\x28', '\x34', '\x38', '\x40', '\x6c', '\x7c'], 14),
  starts(['\0\0\0'], 15),
);

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';
const BINARY = 'application/octet-stream';

/**
 * The files the firm takes, by lower-case extension with its dot (spec 2, section 5). The type we serve is
 * ours, never the sender's. SVG, HTML and MHT are missing on purpose: they run scripts. `converted` is what
 * the viewer shows in the page.
 */
export const ALLOWED_TYPES: Record<string, AllowedType> = {
  // documents
  '.pdf': { mime: 'application/pdf', converted: true, agrees: pdf },
  '.doc': { mime: 'application/msword', agrees: either(compound, rtf, officeText) },
  '.dot': { mime: 'application/msword', agrees: compound },
  '.docx': { mime: `${OOXML}.wordprocessingml.document`, agrees: ooxml },
  '.dotx': { mime: `${OOXML}.wordprocessingml.template`, agrees: ooxml },
  '.odt': { mime: `${ODF}.text`, agrees: zip },
  '.rtf': { mime: 'application/rtf', agrees: rtf },
  '.txt': { mime: 'text/plain', converted: true, agrees: plain },
  '.log': { mime: 'text/plain', converted: true, agrees: plain },
  '.md': { mime: 'text/plain', converted: true, agrees: plain },
  '.xml': { mime: 'application/xml', converted: true, agrees: xml },
  '.wpd': { mime: 'application/vnd.wordperfect', agrees: starts(['\xffWPC']) },
  '.wps': { mime: 'application/vnd.ms-works', agrees: compound },
  '.pages': { mime: 'application/vnd.apple.pages', agrees: zip },
  '.xps': { mime: 'application/vnd.ms-xpsdocument', agrees: zip },
  '.oxps': { mime: 'application/oxps', agrees: zip },
  '.p7s': {
    mime: 'application/pkcs7-signature',
    agrees: either(starts(['\x30\x80', '\x30\x81', '\x30\x82', '\x30\x83', '\x30\x84']), plain),
  },
  '.eml': { mime: 'message/rfc822', agrees: plain },
  '.msg': { mime: 'application/vnd.ms-outlook', agrees: compound },
  '.ics': { mime: 'text/calendar', agrees: plain },
  '.vcf': { mime: 'text/vcard', agrees: plain },
  '.vsd': { mime: 'application/vnd.visio', agrees: compound },
  '.vsdx': { mime: 'application/vnd.ms-visio.drawing', agrees: ooxml },
  // spreadsheets
  '.xls': { mime: 'application/vnd.ms-excel', agrees: either(compound, oldSheet, zip, officeText) },
  '.xlt': { mime: 'application/vnd.ms-excel', agrees: either(compound, oldSheet) },
  '.xlsx': { mime: `${OOXML}.spreadsheetml.sheet`, agrees: ooxml },
  '.xltx': { mime: `${OOXML}.spreadsheetml.template`, agrees: ooxml },
  '.xlsm': { mime: 'application/vnd.ms-excel.sheet.macroenabled.12', agrees: ooxml },
  '.xlsb': { mime: 'application/vnd.ms-excel.sheet.binary.macroenabled.12', agrees: ooxml },
  '.ods': { mime: `${ODF}.spreadsheet`, agrees: zip },
  '.csv': { mime: 'text/csv', converted: true, agrees: plain },
  '.tsv': { mime: 'text/tab-separated-values', converted: true, agrees: plain },
  '.numbers': { mime: 'application/vnd.apple.numbers', agrees: zip },
  // presentations
  '.ppt': { mime: 'application/vnd.ms-powerpoint', agrees: compound },
  '.pps': { mime: 'application/vnd.ms-powerpoint', agrees: compound },
  '.pptx': { mime: `${OOXML}.presentationml.presentation`, agrees: ooxml },
  '.ppsx': { mime: `${OOXML}.presentationml.slideshow`, agrees: ooxml },
  '.odp': { mime: `${ODF}.presentation`, agrees: zip },
  '.key': { mime: 'application/vnd.apple.keynote', agrees: zip },
  // images; sharp reads neither BMP nor HEIC, so those are only downloaded
  '.jpg': { mime: 'image/jpeg', converted: true, agrees: jpeg },
  '.jpeg': { mime: 'image/jpeg', converted: true, agrees: jpeg },
  '.jfif': { mime: 'image/jpeg', converted: true, agrees: jpeg },
  '.png': { mime: 'image/png', converted: true, agrees: starts(['\x89PNG\r\n\x1a\n']) },
  '.gif': { mime: 'image/gif', converted: true, agrees: starts(['GIF87a', 'GIF89a']) },
  '.webp': { mime: 'image/webp', converted: true, agrees: riff('WEBP') },
  '.bmp': { mime: 'image/bmp', agrees: bmp },
  '.avif': { mime: 'image/avif', converted: true, agrees: avif },
  '.tif': { mime: 'image/tiff', converted: true, agrees: tiff },
  '.tiff': { mime: 'image/tiff', converted: true, agrees: tiff },
  '.heic': { mime: 'image/heic', agrees: heic },
  '.heif': { mime: 'image/heif', agrees: heic },
  // archives
  '.zip': { mime: 'application/zip', agrees: zip },
  '.rar': { mime: 'application/vnd.rar', agrees: starts(['Rar!\x1a\x07']) },
  '.7z': { mime: 'application/x-7z-compressed', agrees: starts(['7z\xbc\xaf\x27\x1c']) },
  '.gz': { mime: 'application/gzip', agrees: gzip },
  '.tgz': { mime: 'application/gzip', agrees: gzip },
  '.tar': { mime: 'application/x-tar', agrees: starts(['ustar'], 257) },
  // audio
  '.mp3': { mime: 'audio/mpeg', agrees: mp3 },
  '.m4a': { mime: 'audio/mp4', agrees: media },
  '.wav': { mime: 'audio/wav', agrees: riff('WAVE') },
  '.aac': { mime: 'audio/aac', agrees: aac },
  '.ogg': { mime: 'audio/ogg', agrees: ogg },
  '.opus': { mime: 'audio/ogg', agrees: ogg },
  '.flac': { mime: 'audio/flac', agrees: starts(['fLaC']) },
  '.wma': { mime: 'audio/x-ms-wma', agrees: asf },
  '.amr': { mime: 'audio/amr', agrees: amr },
  '.aif': { mime: 'audio/aiff', agrees: aiff },
  '.aiff': { mime: 'audio/aiff', agrees: aiff },
  // video
  '.mp4': { mime: 'video/mp4', agrees: media },
  '.m4v': { mime: 'video/mp4', agrees: media },
  '.mov': { mime: 'video/quicktime', agrees: quickTime },
  '.3gp': { mime: 'video/3gpp', agrees: media },
  '.avi': { mime: 'video/x-msvideo', agrees: riff('AVI ') },
  '.wmv': { mime: 'video/x-ms-wmv', agrees: asf },
  '.mkv': { mime: 'video/x-matroska', agrees: matroska },
  '.webm': { mime: 'video/webm', agrees: matroska },
  '.mpg': { mime: 'video/mpeg', agrees: mpeg },
  '.mpeg': { mime: 'video/mpeg', agrees: mpeg },
  // accounting software: bank statements, ledgers
  '.ofx': { mime: 'application/x-ofx', converted: true, agrees: either(ofxHeader, xml) },
  '.qfx': { mime: 'application/x-ofx', agrees: either(ofxHeader, xml) },
  '.qbo': { mime: 'application/x-ofx', agrees: either(ofxHeader, xml) },
  '.xbrl': { mime: 'application/xml', agrees: xml },
  '.qif': { mime: 'text/plain', converted: true, agrees: plain },
  '.iif': { mime: 'text/plain', agrees: plain },
  '.rem': { mime: 'text/plain', converted: true, agrees: plain }, // CNAB, to and from a Brazilian bank
  '.ret': { mime: 'text/plain', converted: true, agrees: plain },
  ...filesOf('qbw qbb qbm qba qbx qby qdf qel'), // QuickBooks, Quicken
  ...filesOf('ptb sai mny'), // Sage, Money
  '.gnucash': { mime: BINARY, agrees: either(gzip, xml, starts(['SQLite format 3\0'])) },
  ...filesOf('tax tax2018 tax2019 tax2020 tax2021 tax2022 tax2023 tax2024 tax2025 tax2026'), // TurboTax
  ...filesOf('dec rec dbk'), // programs of the Brazilian tax authority
};

function filesOf(extensions: string): Record<string, AllowedType> {
  return Object.fromEntries(
    extensions.split(' ').map((extension) => [`.${extension}`, { mime: BINARY, agrees: opaque }]),
  );
}
