import type { Contributions } from '#platform/runtime/feature.server.ts';
import { text, translate } from '#platform/text/texts.server.ts';
import type { IconName } from '#ui/icons.ts';

export interface NewTaskChoice {
  label: string;
  href: string;
  icon: IconName;
}

/** The kinds of tasks that a firm asks for, in the order of its menus, each with the page of its form. */
const KINDS = [
  { page: 'staff/tasks/new', icon: 'file-text', label: text('tasks', 'askDocuments') },
  {
    page: 'staff/tasks/new',
    query: { kind: 'questionnaire' },
    icon: 'clipboard-list',
    label: text('tasks', 'askQuestionnaire'),
  },
  { page: 'staff/tasks/sign', icon: 'pen-line', label: text('tasks', 'askSignatures') },
  { page: 'staff/tasks/review', icon: 'file-check', label: text('tasks', 'askReview') },
  { page: 'staff/tasks/payment', icon: 'receipt-text', label: text('tasks', 'askPayment') },
] as const;

/** The same in the menu of what can be begun. */
export const newTasks: Contributions['navigation'] = KINDS.map((kind, index) => ({
  side: 'new',
  group: 'client',
  order: 10 + index,
  ...kind,
}));

/**
 * The kinds of tasks that a member of staff may ask for, each with the address of its form: for a client, and about a
 * document of it, if they are named.
 */
export function newTaskChoices(
  { mayOpen, lang, pathTo }: Pick<App.Locals, 'mayOpen' | 'lang' | 'pathTo'>,
  { client: to, document }: { client?: string; document?: string } = {},
): NewTaskChoice[] {
  return KINDS.filter(({ page }) => mayOpen(page)).map(({ page, icon, label, ...kind }) => ({
    label: translate(lang, label),
    icon,
    href: pathTo(page, {
      to,
      ...('query' in kind && kind.query),
      ...(page !== 'staff/tasks/new' && { document }),
    }),
  }));
}
