import { z } from 'zod';
import { pageAddress } from '#features/base/logging/logging.ts';
import { REFERENCE_CODE } from './codes.ts';

/*
 * A problem that somebody reports (spec 2, section 3, issue log entry). `id` is the reference code, which the page makes.
 */

export const MAX_DESCRIPTION = 4000;
const MAX_LINES = 50;
export const MAX_LINE = 300;

/** Whom it is about: the firm, for its documents and tasks, or the portal itself. */
export const ABOUT = ['firm', 'portal'] as const;
export type About = (typeof ABOUT)[number];

/** Control characters, but for tabs and breaks of lines: they come with text that was copied from elsewhere. */
const UNREADABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** A description of one line or more, stored without control characters. */
export const description = z
  .string()
  .overwrite((text) => text.replaceAll(UNREADABLE, ''))
  .trim()
  .min(1)
  .max(MAX_DESCRIPTION);

/**
 * Lines of the log of a page: the first fifty, so that a long log does not lose the report. They are cut again once they are
 * redacted, since what is cut in two is not known for what it is.
 */
export const details = z
  .array(z.string().overwrite((line) => line.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 2 * MAX_LINE)))
  .overwrite((lines) => lines.slice(0, MAX_LINES));

const issue = z.strictObject({
  specversion: z.literal('1.0'),
  type: z.literal('issue'),
  source: z.string().regex(pageAddress),
  id: z.string().regex(REFERENCE_CODE),
  time: z.iso.datetime(),
  contenttype: z.literal('application/json'),
  data: z.strictObject({ description, logs: details }),
});

export const issueRequest = z.strictObject({ version: z.literal(1), items: z.array(issue).length(1) });

/** The result: how many entries were taken, and the code of the report. */
export const issueLogged = z.strictObject({ logged: z.int(), code: z.string().optional() });

/**
 * The spec's call for the email that confirms a report. Only `referenceCode` is used: the email is built from the report,
 * and goes to nobody but its author.
 */
export const confirmation = z.strictObject({
  recipient: z.string().max(320),
  variables: z.strictObject({
    referenceCode: z.string().max(20),
    firstName: z.string().max(200).optional(),
    issueDescription: z.string().max(MAX_DESCRIPTION).optional(),
    date: z.string().max(100).optional(),
  }),
});
export const confirmed = z.strictObject({ sent: z.boolean() });

export type IssueState = 'new' | 'answered' | 'closed';

/** A report as its author and the firm see it. */
export interface IssueReport {
  code: string;
  about: About;
  state: IssueState;
  /** Words in the address of the page, such as `/documents/*`. */
  source: string;
  description: string;
  /** What was sent with it, a line each. */
  details: string[];
  createdAt: number;
  answer: string | undefined;
  answeredAt: number | undefined;
}

/** A report in the firm's list. */
export interface ListedReport extends Pick<IssueReport, 'code' | 'about' | 'state' | 'createdAt'> {
  author: string;
  /** Its first line. */
  summary: string;
}
