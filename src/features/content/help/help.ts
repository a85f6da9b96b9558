import { z } from 'zod';
import {
  ACCESS_CONTROLS,
  FLAGS,
  PARTS,
  PERMISSIONS,
  type AccessControl,
  type Flag,
  type Part,
  type Permission,
} from '#features/base/people/people.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';

/** For whom an article is; those who are signed in also see the articles for visitors, and staff those for contacts. */
const ROLES = ['visitor', 'contact', 'staff', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** What a person must be able to use for an article to be of use; `shown` is a control that hides it. */
export type Need =
  | { kind: 'part'; name: Part }
  | { kind: 'flag'; name: Flag }
  | { kind: 'permission'; name: Permission }
  | { kind: 'control'; name: AccessControl }
  | { kind: 'shown'; name: AccessControl };

const id = z.string().regex(/^[a-z]+(?:-[a-z]+)*$/);
const line = z.string().trim().min(1).max(200);
/** A list in one line, separated by commas. */
const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).min(1));
const namesOf = <Name extends string>(names: Readonly<Record<Name, unknown>>) =>
  z.enum(Object.keys(names) as [Name, ...Name[]]);

const need = z
  .string()
  .transform((text) => {
    const [kind, name] = text.split(' ');
    return { kind, name };
  })
  .pipe(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('part'), name: namesOf(PARTS) }),
      z.strictObject({ kind: z.literal('flag'), name: namesOf(FLAGS) }),
      z.strictObject({ kind: z.literal('permission'), name: z.enum(PERMISSIONS) }),
      z.strictObject({ kind: z.literal('control'), name: z.enum(ACCESS_CONTROLS) }),
      z.strictObject({ kind: z.literal('shown'), name: z.enum(ACCESS_CONTROLS) }),
    ]),
  );

/** What is said of an article in its own language, above its text. */
export const articleHead = z.strictObject({
  title: line,
  summary: line,
  /** Other words that people search for, common misspellings included. */
  keywords: listOf(z.string().min(2).max(40)),
  /** When somebody last compared it with the pages that it describes. */
  reviewed: z.iso.date(),
});

/** What is said of an article in all languages, in the English file. */
export const articlePlace = z.strictObject({
  /** Patterns of the pages for which it is suggested, without base and language. */
  pages: listOf(z.string().min(1)),
  roles: listOf(z.enum(ROLES)),
  needs: listOf(need).default([]),
  related: listOf(id).default([]),
});

/** The subjects under which articles are listed, and their articles in order. */
export const SUBJECTS = {
  start: [
    'five-minutes',
    'home',
    'arrange-home',
    'install',
    'offline',
    'plain-words',
    'news',
    'tax-calendar',
    'companies',
    'search',
    'messages',
    'report-problem',
  ],
  account: [
    'sign-in',
    'first-password',
    'forgot',
    'two-step',
    'lost-phone',
    'locked',
    'accounts',
    'terms',
    'notifications',
    'push',
    'mail-missing',
    'is-it-real',
  ],
  documents: [
    'documents',
    'upload',
    'upload-fails',
    'scan',
    'view',
    'download-many',
    'folders',
    'trash',
    'comments',
  ],
  sharing: ['share', 'my-shares', 'open-share'],
  tasks: [
    'tasks',
    'task',
    'questionnaire',
    'task-returned',
    'not-applicable',
    'ask-someone',
    'promise',
    'sign',
    'pay',
    'requests',
  ],
  records: ['confirmations', 'cnd', 'activity', 'fiscal', 'manifest', 'privacy'],
  team: [
    'staff-start',
    'staff-inbox',
    'staff-overview',
    'staff-clients',
    'staff-people',
    'staff-publish',
    'staff-tasks',
    'staff-requests',
    'staff-requests-many',
    'staff-mails',
    'staff-settings',
    'practice',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Subject = keyof typeof SUBJECTS;

/** Part of a line. */
export type Inline =
  | { kind: 'text'; text: string }
  /** A label of the portal, with its text for the search; it may contain the name of the firm. */
  | { kind: 'label'; label: Text; text: string }
  | { kind: 'strong'; content: readonly Inline[] }
  | { kind: 'icon'; name: IconName }
  | { kind: 'page' | 'article'; to: string; content: readonly Inline[] };

/** Part of an article, from top to bottom. */
export type Block =
  | { kind: 'heading'; level: 2 | 3; content: readonly Inline[] }
  | { kind: 'paragraph' | 'note'; content: readonly Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: readonly (readonly Inline[])[] }
  | {
      kind: 'table';
      head: readonly (readonly Inline[])[];
      rows: readonly (readonly (readonly Inline[])[])[];
    };

export type Article = z.output<typeof articleHead> &
  z.output<typeof articlePlace> & { id: string; subject: Subject; readonly blocks: readonly Block[] };
