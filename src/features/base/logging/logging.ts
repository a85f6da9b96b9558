import { z } from 'zod';

/*
 * Uncaught errors and load times of pages (spec 1, section 7; the shape of log entries is that of spec 2, section 3). Every
 * text is a pattern that no name, address, token or input fits, because whatever is accepted is logged
 * (threat-model.md T76).
 */

/** A place in a script of the build. The name of the script contains a hash of its content. */
const frame = String.raw`\/_astro\/[\w.-]{1,100}\.js:\d{1,7}:\d{1,7}`;

/** The address of a page: words of routes, and `*` for everything else, such as ids and tokens. */
export const pageAddress = /^(?:\/(?:[a-z-]{1,24}|\*)){0,12}\/?$/;

const entry = {
  specversion: z.literal('1.0'),
  source: z.string().regex(pageAddress),
  /** Two random parts of five characters. */
  id: z.string().regex(/^[a-z0-9]{5}-[a-z0-9]{5}$/),
  time: z.iso.datetime(),
  contenttype: z.literal('application/json'),
};

const exception = z.strictObject({
  ...entry,
  type: z.literal('exception'),
  data: z.strictObject({
    /** The script. */
    module: z.string().regex(/^[\w.-]{1,100}\.js$/),
    /** The name of the error, such as TypeError: its message may quote what somebody typed. */
    message: z.string().regex(/^[A-Z]\w{0,49}$/),
    /** Up to 12 places, one per line. */
    stack: z.string().regex(new RegExp(`^${frame}(?:\\n${frame}){0,11}$`)),
  }),
});

/** How long a page took to load (ui/load-time.ts), on a device of one of three classes. */
const timing = z.strictObject({
  ...entry,
  type: z.literal('timing'),
  data: z.strictObject({
    loadMs: z.int().min(0).max(60_000),
    device: z.enum(['low', 'mid', 'high']),
  }),
});

export const logRequest = z.strictObject({
  version: z.literal(1),
  items: z
    .array(z.discriminatedUnion('type', [exception, timing]))
    .min(1)
    .max(5),
});
export type LogRequest = z.infer<typeof logRequest>;
