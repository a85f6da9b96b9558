import type { Template } from './questionnaires.ts';
import { questionAt } from './rules.ts';

/** Whether the path names a question of the template, or the rows of one of its groups. */
export function isPathOf(template: Template, path: string): boolean {
  if (!path.endsWith('#order')) return questionAt(template, path) !== undefined;
  const [sectionKey, itemKey, ...rest] = path.replace(/#order$/, '').split('.');
  const section = template.sections.find(({ key }) => key === sectionKey);
  const isGroup = section?.items.some(({ key, kind }) => key === itemKey && kind === 'group') === true;
  return isGroup && rest.length === 0;
}
