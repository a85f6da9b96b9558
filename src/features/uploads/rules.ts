import { isExecutable } from '#features/documents/rules.ts';
import { extensionOf, nameIsAcceptable } from '#features/folders/rules.ts';

/**
 * The rules for uploaded files, the same in the browser's uploader and on the server (spec 1, section 5
 * 'Upload').
 */

export type UploadReason = 'BAD_NAME' | 'TOO_LARGE' | 'EMPTY' | 'TYPE_NOT_ALLOWED';

export interface Constraints {
  /** Lower-case extensions with their dot. */
  types: string[];
  mostBytes: number;
}

/** Lists every reason why this file is refused, in the order name, size, type; empty if it is accepted. */
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
