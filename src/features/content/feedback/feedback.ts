import { z } from 'zod';

/** How a person found something. */
export const RATINGS = ['good', 'bad'] as const;
export type Rating = (typeof RATINGS)[number];

/** What somebody thinks of a help article, or of the portal and the firm in general. */
export interface Feedback {
  feedbackId: string;
  /** Who gave it. */
  author: string;
  rating: Rating;
  message: string;
  /** The help article that it is about; null if it is about no article. */
  articleId: string | null;
  /** The page on which it was given, as its pattern without base and language. */
  page: string;
  createdAt: number;
  isSeen: boolean;
}

/** Where feedback is given: on an article, or from the menu of a page. */
export const feedbackPlace = z.object({
  article: z
    .string()
    .regex(/^[a-z-]{1,40}$/)
    .optional()
    .catch(undefined),
  page: z
    .string()
    .regex(/^[\w/[\].-]{1,100}$/)
    .default('')
    .catch(''),
});
export type FeedbackPlace = z.infer<typeof feedbackPlace>;
