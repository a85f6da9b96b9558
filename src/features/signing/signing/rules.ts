import type { FieldKind, PageSize, PlacedField, SignerState } from './signing.ts';

/*
 * The rules of signing, for server and browser: whose turn it is, where fields are placed, and what is wrong with
 * where they are. Pure.
 */

/** The width and the height of a page in the units of placed fields. */
export const WHOLE = 100_000;

interface Turn {
  place: number;
  state: SignerState;
}

/** The place whose signers sign now: the lowest one with somebody who has not signed; undefined when all have. */
export function currentPlace(signers: readonly Turn[]): number | undefined {
  const waiting = signers.filter(({ state }) => state !== 'signed').map(({ place }) => place);
  return waiting.length === 0 ? undefined : Math.min(...waiting);
}

export const isTurnOf = (signer: Turn, signers: readonly Turn[]): boolean =>
  signer.state === 'waiting' && signer.place === currentPlace(signers);

/** The initials of a name: José da Silva is JDS. At most four. */
export const initialsOf = (name: string): string =>
  name
    .split(/[\s-]+/u)
    .flatMap((word) => /\p{L}/u.exec(word)?.[0] ?? [])
    .slice(0, 4)
    .join('')
    .toUpperCase();

/** An access code as it is read aloud and typed: 1234 5678. */
export const groupedCode = (code: string): string => `${code.slice(0, 4)} ${code.slice(4)}`;

/** The size of a new field in points. */
const SIZES: Record<FieldKind, { width: number; height: number }> = {
  signature: { width: 180, height: 40 },
  initials: { width: 60, height: 30 },
  date: { width: 110, height: 20 },
  text: { width: 180, height: 20 },
  checkbox: { width: 16, height: 16 },
};

const clamp = (value: number, max: number): number => Math.round(Math.min(Math.max(value, 0), max));

/** A field of the usual size with its upper left corner there, moved to be on the page. */
export function fieldAt(
  { kind, signer, page, x, y }: Pick<PlacedField, 'kind' | 'signer' | 'page' | 'x' | 'y'>,
  size: PageSize,
): PlacedField {
  const width = clamp((SIZES[kind].width / size.width) * WHOLE, WHOLE);
  const height = clamp((SIZES[kind].height / size.height) * WHOLE, WHOLE);
  return {
    kind,
    signer,
    page,
    x: clamp(x, WHOLE - width),
    y: clamp(y, WHOLE - height),
    width,
    height,
    required: true,
  };
}

/** A signature and a date for each of these signers at the end of the last page, one below the other. */
export function fieldsAtEnd(signers: readonly number[], pages: readonly PageSize[]): PlacedField[] {
  const [page, size] = [pages.length, pages.at(-1)];
  if (!size) return [];
  const row = Math.min(WHOLE / 14, (WHOLE * 0.6) / Math.max(1, signers.length));
  const top = WHOLE * 0.93 - row * signers.length;
  return signers.flatMap((signer, index) => {
    const y = top + index * row;
    const signature = fieldAt({ kind: 'signature', signer, page, x: WHOLE * 0.1, y }, size);
    const x = signature.x + signature.width + WHOLE * 0.05;
    return [signature, fieldAt({ kind: 'date', signer, page, x, y }, size)];
  });
}

export type FieldWarning =
  | { kind: 'noSignature'; signer: number }
  | { kind: 'overlap'; first: number; second: number }
  | { kind: 'outside'; field: number };

/** What should be put right before a request is sent, by the places of the fields in the list. */
export function warningsAbout(fields: readonly PlacedField[], signers: number): FieldWarning[] {
  const missing = Array.from({ length: signers }, (_, index) => index + 1).filter(
    (number) =>
      !fields.some(({ kind, signer, required }) => kind === 'signature' && signer === number && required),
  );
  return [
    ...missing.map((signer): FieldWarning => ({ kind: 'noSignature', signer })),
    ...fields.flatMap((field, at): FieldWarning[] =>
      field.x + field.width > WHOLE || field.y + field.height > WHOLE ? [{ kind: 'outside', field: at }] : [],
    ),
    ...fields.flatMap((field, first) =>
      fields.flatMap((other, second): FieldWarning[] =>
        second > first && overlaps(field, other) ? [{ kind: 'overlap', first, second }] : [],
      ),
    ),
  ];
}

const overlaps = (a: PlacedField, b: PlacedField): boolean =>
  a.page === b.page &&
  a.x < b.x + b.width &&
  b.x < a.x + a.width &&
  a.y < b.y + b.height &&
  b.y < a.y + a.height;

/** The order in which a signer goes through the fields: by page, then from top to bottom. */
export const inReadingOrder = <F extends Pick<PlacedField, 'page' | 'x' | 'y'>>(fields: readonly F[]): F[] =>
  fields.toSorted((a, b) => a.page - b.page || a.y - b.y || a.x - b.x);
