import { html } from 'hono/html';
import type { Firm } from '#features/base/firms/firms.ts';
import type { Actor } from '#features/base/people/people.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { firmMail, mailedPage, paragraph } from '#platform/mail/mail-layout.server.ts';
import type { Mail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { ToldTask } from './told-tasks.server.ts';

/** Lines in a mail. */
const MAX_LINES = 20;

/** A heading with lines, such as a client with tasks. */
export interface Section {
  heading: string;
  lines: string[];
}

export const readerLang = (reader: Actor): Lang => languageOf(reader.language) ?? DEFAULT_LANG;

export const dateText = (lang: Lang, date: string): string => formatDate(LANGUAGES[lang], date, 'UTC');

/** The subject of the mail about one new task. */
export const newTaskSubject = (lang: Lang, firm: string): string =>
  translationsFor(lang, 'reminders')('newTitle', { count: 1, firm });

/** Says that the firm asks for tasks. */
export function newTasksMail(firm: Firm, reader: Actor, tasks: readonly ToldTask[]): Mail {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  return taskMail(firm, reader, {
    kind: 'task',
    tasks,
    title: t('newTitle', { count: tasks.length, firm: firm.name }),
    intro: t('newText', { firm: firm.name }),
    sections: byClient(tasks, ({ title, dueOn }) =>
      dueOn === null ? title : t('lineDue', { title, date: dateText(lang, dueOn) }),
    ),
  });
}

/** Says that the firm returned a task, and why. */
export function returnedMail(firm: Firm, reader: Actor, task: ToldTask, reason: string): Mail {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  const intro = t('returnedText', { firm: firm.name, client: task.client });
  const due = task.dueOn === null ? [] : [t('returnedDue', { date: dateText(lang, task.dueOn) })];
  return firmMail({
    about: {
      kind: 'task',
      contactId: reader.contactId,
      clientId: task.clientId,
      targets: [`task:${task.taskId}`],
    },
    firm,
    to: reader.emailAddress,
    lang,
    title: t('returnedTitle', { title: task.title }),
    body: html`${paragraph(intro)}
      <p style="margin:0 0 16px;padding:12px 16px;border-left:3px solid #c9c4bb;white-space:pre-line">
        ${reason}
      </p>
      ${due.map(paragraph)}`,
    text: [intro, reason, ...due],
    button: buttonTo(firm, reader, [task]),
    reason: t('reason', { firm: firm.name }),
  });
}

/** Tells staff what clients submitted, or say that it does not apply. */
export function submittedMail(firm: Firm, reader: Actor, tasks: readonly ToldTask[]): Mail {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  return taskMail(firm, reader, {
    kind: 'task',
    tasks,
    title: t('submittedTitle', { count: tasks.length }),
    intro: t(tasks.every(({ status }) => status === 'Done') ? 'submittedDoneText' : 'submittedText'),
    sections: byClient(tasks, ({ title, status }) =>
      status === 'Cancelled' ? t('lineNotApplicable', { title }) : title,
    ),
  });
}

/** Groups tasks by their clients, in the order of the first of each. */
export const byClient = <Task extends ToldTask>(
  tasks: readonly Task[],
  line: (task: Task) => string,
): Section[] =>
  [...Map.groupBy(tasks, ({ clientId }) => clientId).values()].map((ofClient) => ({
    heading: ofClient[0]?.client ?? '',
    lines: ofClient.map(line),
  }));

/** A mail with tasks as lines under headings, of which the first 20 are shown. */
export function taskMail(
  firm: Firm,
  reader: Actor,
  {
    kind,
    tasks,
    title,
    intro,
    sections,
    links = [],
  }: {
    kind: 'task' | 'task-reminder';
    tasks: readonly ToldTask[];
    title: string;
    intro: string;
    sections: readonly Section[];
    /** Less important links, after the button. */
    links?: readonly { label: string; link: string }[];
  },
): Mail {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  const { shown, more } = firstLines(sections);
  const rest = more > 0 ? [t('more', { count: more })] : [];
  const clients = new Set(tasks.map(({ clientId }) => clientId));
  return firmMail({
    about: {
      kind,
      contactId: reader.contactId,
      clientId: clients.size === 1 ? tasks[0]?.clientId : undefined,
      targets: reader.staff ? [] : tasks.map(({ taskId }) => `task:${taskId}`),
    },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    body: html`${paragraph(intro)}
    ${shown.map(
      ({ heading, lines }) =>
        html`<h2 style="margin:0 0 8px;font-size:16px;line-height:1.3">${heading}</h2>
          <ul style="margin:0 0 16px;padding-left:20px">
            ${lines.map((line) => html`<li style="margin:0 0 4px">${line}</li>`)}
          </ul>`,
    )}
    ${rest.map(paragraph)}`,
    text: [
      intro,
      ...shown.map(({ heading, lines }) => [heading, ...lines.map((line) => `- ${line}`)].join('\n')),
      ...rest,
    ],
    button: buttonTo(firm, reader, tasks),
    links,
    reason: reader.staff ? t('reasonStaff', { firm: firm.name }) : t('reason', { firm: firm.name }),
  });
}

/** The first 20 lines, and how many are left. */
function firstLines(sections: readonly Section[]): { shown: Section[]; more: number } {
  let left = MAX_LINES;
  const shown: Section[] = [];
  for (const { heading, lines } of sections) {
    if (left > 0) shown.push({ heading, lines: lines.slice(0, left) });
    left -= lines.length;
  }
  return { shown, more: Math.max(0, -left) };
}

/** Leads to the task, or to the list of tasks if there are several. */
function buttonTo(firm: Firm, reader: Actor, tasks: readonly ToldTask[]): { label: string; link: string } {
  const lang = readerLang(reader);
  const t = translationsFor(lang, 'reminders');
  const [first, ...others] = tasks;
  const { companyId } = firm;
  if (!first || others.length > 0)
    return {
      label: t('openTasks'),
      link: mailedPage(lang, reader.staff ? 'staff/tasks' : 'tasks', { companyId }),
    };
  const { taskId, clientId } = first;
  return {
    label: t('openTask'),
    link: reader.staff
      ? mailedPage(lang, `staff/tasks/${taskId}`, { companyId })
      : mailedPage(lang, `tasks/clients/${clientId}/task/${taskId}`, { companyId, clientId }),
  };
}
