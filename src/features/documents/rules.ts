/**
 * The rules for a file that is handed in, the same in the browser's uploader and on the server (spec 1,
 * section 5 'Upload').
 */

/** 500 MB (spec 2, section 5 'Upload'). */
export const MAX_BYTES = 524_288_000;

export type UploadReason = 'BAD_NAME' | 'TOO_LARGE' | 'EMPTY' | 'TYPE_NOT_ALLOWED';

export interface Constraints {
  /** Lower-case extensions with their dot. */
  types: string[];
  mostBytes: number;
}

/** Every reason why this file is refused, in the order name, size, type; none when it may come in. */
export function uploadReasons(
  file: { name: string; size: number },
  { types, mostBytes }: Constraints,
): UploadReason[] {
  const reasons: UploadReason[] = [];
  if (!nameIsAcceptable(file.name)) reasons.push('BAD_NAME');
  if (file.size > mostBytes) reasons.push('TOO_LARGE');
  if (file.size === 0) reasons.push('EMPTY');
  if (isExecutable(file.name) || !types.includes(extensionOf(file.name))) reasons.push('TYPE_NOT_ALLOWED');
  return reasons;
}

/** The last extension, lower-case with its dot, or '' when there is none. */
export function extensionOf(name: string): string {
  return name.slice(dotOf(name)).toLowerCase();
}

/**
 * Whether any desk can keep this name and everybody reads it as it is. A Mac sends decomposed accents: judge,
 * and store, the NFC form.
 */
export function nameIsAcceptable(name: string): boolean {
  const composed = name.normalize();
  return (
    composed !== '' &&
    bytesOf(composed) <= MAX_NAME_BYTES &&
    !UNACCEPTABLE.test(composed) &&
    !RESERVED.test(composed)
  );
}

/**
 * Whether a program's extension stands anywhere behind a dot: `invoice.exe.pdf` is one click from running on
 * some desks.
 */
export function isExecutable(name: string): boolean {
  return name
    .toLowerCase()
    .split('.')
    .slice(1)
    .some(
      (part, i, parts) =>
        EXECUTABLE.includes(` ${part.trim()} `) &&
        (i === parts.length - 1 || !ORDINARY.includes(` ${part.trim()} `)),
    );
}

/**
 * The name for the second try after a conflict: ' (1)' before the extension, or a single digit there plus one
 * (spec 1, section 4).
 */
export function numberedName(name: string): string {
  return numbered(name, /\((\d)\)$/)(1);
}

/**
 * `name` itself, or with the first number that nobody has taken. '(2025)' is a year, not a count: it stays
 * and gets its own number.
 */
export function freeName(name: string, taken: (candidate: string) => boolean): string {
  const next = numbered(name, /\(([1-9]\d{0,2})\)$/);
  let candidate = name;
  for (let step = 1; taken(candidate); step += 1) candidate = next(step);
  return candidate;
}

const MAX_NAME_BYTES = 255;

// Controls, half characters, line separators, path and shell characters, what turns or hides text; dots and
// spaces at either end. Joiners (U+200C, U+200D) stay: Persian and emoji need them.
const UNACCEPTABLE =
  /[\p{Cc}\p{Cs}/\\:*?"<>|\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|^[.\s]|[.\s]$/u;

// Windows opens a device for these, whatever the extension.
const RESERVED = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

const EXECUTABLE =
  ' exe com scr pif cpl dll sys ocx drv bat cmd ps1 psm1 psd1 vbs vbe js jse mjs cjs wsf wsh wsc sct hta msi msp mst msix appx application gadget lnk reg scf inf jar jnlp class apk ipa dmg pkg app command deb rpm sh bash zsh csh ksh elf run desktop url website py pyc ';

// Words that people have in names, most of all the addresses of shops: `order at amazon.com.pdf`. At the end
// they are programs.
const ORDINARY = ' com run command application class website url desktop ';

function dotOf(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? dot : name.length;
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(name.normalize()).length;
}

function numbered(name: string, counter: RegExp): (step: number) => string {
  const stem = name.slice(0, dotOf(name));
  const [found, digits] = counter.exec(stem) ?? [];
  const base = found ? stem.slice(0, -found.length) : stem;
  return (step) =>
    fitting(base, `${found ? '' : ' '}(${Number(digits ?? 0) + step})${name.slice(stem.length)}`);
}

function fitting(base: string, ending: string): string {
  const characters = [...base];
  while (characters.length > 0 && bytesOf(characters.join('') + ending) > MAX_NAME_BYTES) characters.pop();
  return characters.join('') + ending;
}
