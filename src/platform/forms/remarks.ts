import { z } from 'zod';

/*
 * What people write to each other about something in the portal: comments on a document, messages on a task. Plain
 * text, of the same length everywhere.
 */

/** Maximum length of a remark, in UTF-16 code units. */
export const MAX_REMARK = 2000;

/** Plain text: line breaks are `\n`, other control characters are removed. */
const plain = (typed: string): string =>
  typed
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();

/** A remark in a call. */
export const remark = z.string().overwrite(plain).min(1).max(MAX_REMARK);

/** A remark in a form, with its messages; that of a long one may name the limit as `most` and the excess as `over`. */
export const typedRemark = (messages: { missing: { error: string }; tooLong: { error: string } }) =>
  z
    .string()
    .overwrite(plain)
    .min(1, messages.missing)
    .superRefine((text, context) => {
      const over = text.length - MAX_REMARK;
      if (over > 0)
        context.addIssue({
          code: 'custom',
          message: messages.tooLong.error,
          params: { vars: { most: MAX_REMARK, over } },
        });
    });
