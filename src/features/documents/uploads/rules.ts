import { isCertificate, isExecutable } from '#features/documents/documents/rules.ts';
import { extensionOf, repairedName } from '#features/documents/folders/rules.ts';

/**
 * The rules for uploaded files, the same in the browser's uploader and on the server (spec 1, section 5
 * 'Upload').
 */

export type UploadReason = 'TOO_LARGE' | 'EMPTY' | 'TYPE_NOT_ALLOWED' | 'CERTIFICATE';

export interface Constraints {
  /** Lower-case extensions with their dot. */
  types: string[];
  mostBytes: number;
}

/**
 * Lists every reason why this file is refused, in the order size, type; empty if it is accepted. A name that cannot be
 * stored is no reason: it is repaired.
 */
export function uploadReasons(
  file: { name: string; size: number },
  { types, mostBytes }: Constraints,
): UploadReason[] {
  const reasons: UploadReason[] = [];
  if (file.size > mostBytes) reasons.push('TOO_LARGE');
  if (file.size === 0) reasons.push('EMPTY');
  const name = repairedName(file.name);
  if (isCertificate(name)) reasons.push('CERTIFICATE');
  else if (isExecutable(name) || !types.includes(extensionOf(name))) reasons.push('TYPE_NOT_ALLOWED');
  return reasons;
}
