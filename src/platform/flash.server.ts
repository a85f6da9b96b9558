import { z } from 'zod';
import { setCookie } from './cookies.server.ts';

const MOST_ITEMS = 50;
const MOST_BYTES = 3000;

/** What a form's answer says on the page it leads to: a words key of a room, its values, and a list for 'more details'. */
const flash = z.object({
  type: z.enum(['success', 'info', 'warning', 'danger']),
  room: z.enum(['documents', 'sharing', 'clients', 'portal', 'shell', 'staff', 'security', 'access', 'exports', 'shares', 'trash', 'tree', 'scan', 'notes']),
  key: z.string().max(100),
  vars: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  items: z.array(z.object({ name: z.string(), codes: z.array(z.string()) })).max(MOST_ITEMS).default([]),
  /** Ids of documents that were deleted: the message offers to take it back. */
  undo: z.array(z.string()).max(MOST_ITEMS).optional(),
});
export type Flash = z.infer<typeof flash>;

/** The cookie that lets the next page say what happened; it waits a minute for that page. */
export const flashCookie = (message: Omit<Flash, 'vars' | 'items'> & Partial<Flash>): string => setCookie('flash', packFlash({ vars: {}, items: [], ...message }), 60);

/** The value of the flash cookie. A list too long for a cookie is cut; what cannot be taken back whole is not offered. */
export function packFlash({ undo, ...message }: Flash): string {
  const whole = undo && undo.length > 0 && undo.length <= MOST_ITEMS ? pack({ ...message, undo }) : '';
  if (whole !== '' && whole.length <= MOST_BYTES) return whole;
  let items = message.items.slice(0, MOST_ITEMS);
  let packed = pack({ ...message, items });
  while (packed.length > MOST_BYTES && items.length > 0) {
    items = items.slice(0, -1);
    packed = pack({ ...message, items });
  }
  return packed;
}

const pack = (message: Flash): string => Buffer.from(JSON.stringify(message)).toString('base64url');

export function unpackFlash(value: string | undefined): Flash | undefined {
  if (!value) return undefined;
  try {
    return flash.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
  } catch {
    return undefined; // a cookie that somebody changed says nothing
  }
}
