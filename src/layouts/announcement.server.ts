import type { Firm } from '#features/base/firms/firms.ts';
import type { Session } from '#features/base/people/people.ts';
import { sha256 } from '#platform/security/crypto.server.ts';

const MAX_MARKS = 8;

/**
 * The firm's announcement, unless this contact has closed it, with the mark that records that; a new text is
 * shown again.
 */
export function announcementFor(
  { actor }: Session,
  firm: Firm | undefined,
  closed: string | undefined,
): { text: string; mark: string } | undefined {
  if (!firm || firm.announcement === '' || !actor.access.controls.has('DisplayCOVIDAlert')) return undefined;
  const mark = sha256(`${actor.contactId}:${firm.announcement}`).slice(0, 16);
  return closed?.split('.').includes(mark) ? undefined : { text: firm.announcement, mark };
}

/** The cookie's value after closing another one; people who share a browser have separate marks. */
export const closing = (mark: string, closed = ''): string =>
  [mark, ...closed.split('.').filter((one) => /^[0-9a-f]{16}$/.test(one) && one !== mark)]
    .slice(0, MAX_MARKS)
    .join('.');
