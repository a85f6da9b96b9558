import { z } from 'zod';
import { setCookie } from './cookies.server.ts';
import { isNamespace, type Namespace } from '../text/translations.server.ts';

const MAX_ITEMS = 50;
const MAX_BYTES = 3000;

/** A flash message: a translation key of a namespace with its values, and a list for 'more details'. */
const flash = z.object({
  type: z.enum(['success', 'info', 'warning', 'danger']),
  namespace: z.custom<Namespace>((name) => typeof name === 'string' && isNamespace(name)),
  key: z.string().max(100),
  vars: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  /** A sentence after it, such as who is notified. */
  then: z
    .object({
      namespace: z.custom<Namespace>((name) => typeof name === 'string' && isNamespace(name)),
      key: z.string().max(100),
      vars: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .optional(),
  items: z
    .array(z.object({ name: z.string(), codes: z.array(z.string()) }))
    .max(MAX_ITEMS)
    .default([]),
  /** Ids of deleted documents: the message offers to undo it. */
  undo: z.array(z.string()).max(MAX_ITEMS).optional(),
  /** Ids of moved items, each with that of the container it came from, `id/from`: the message offers to undo it. */
  undoMove: z.array(z.string()).max(MAX_ITEMS).optional(),
});
export type Flash = z.infer<typeof flash>;

/** The cookie with the flash message for the next page, valid for a minute. */
export const flashCookie = (message: Omit<Flash, 'vars' | 'items'> & Partial<Flash>): string =>
  setCookie('flash', packFlash({ vars: {}, items: [], ...message }), 60);

/**
 * The value of the flash cookie. A list that does not fit is truncated; undo is offered only for all
 * items or not at all.
 */
export function packFlash({ undo, undoMove, ...message }: Flash): string {
  const ids = undo ?? undoMove ?? [];
  const whole = ids.length > 0 && ids.length <= MAX_ITEMS ? pack({ ...message, undo, undoMove }) : '';
  if (whole !== '' && whole.length <= MAX_BYTES) return whole;
  let items = message.items.slice(0, MAX_ITEMS);
  let packed = pack({ ...message, items });
  while (packed.length > MAX_BYTES && items.length > 0) {
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
    return undefined; // a tampered cookie is ignored
  }
}
