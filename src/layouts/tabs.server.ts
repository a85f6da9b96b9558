import { offeredActionsOf } from '#features/actions/actions.ts';
import { hasPart } from '#features/people/people.ts';
import type { IconName } from '#ui/icons.ts';
import { translationsFor } from '#platform/translations.server.ts';

export type Tab = 'home' | 'tasks' | 'documents' | 'actions';

/**
 * The areas that a session has access to (spec 1 section 2, tabs), and whether narrow screens have them in a
 * side menu. The spec has no side menu on the tasks page with the new task list; there they remain tabs, so
 * that people can navigate.
 */
export function tabsFor(
  { session, lang, pathTo }: Pick<App.Locals, 'session' | 'lang' | 'pathTo'>,
  current: Tab | 'other',
): {
  tabs: { page: Tab; href: string; label: string; icon: IconName }[];
  hasSideMenu: boolean;
} {
  const { access, staff } = session.actor;
  const t = translationsFor(lang, 'portal');
  const all = [
    { page: 'home', icon: 'house', label: t('tabHome'), isThere: !staff && hasPart(access, 'dashboards') },
    { page: 'tasks', icon: 'clipboard-list', label: t('tabTasks'), isThere: hasPart(access, 'tasks') },
    {
      page: 'documents',
      icon: 'file-text',
      label: translationsFor(lang, 'common')('tabDocuments'),
      isThere: true,
    },
    { page: 'actions', icon: 'layers', label: t('tabActions'), isThere: offeredActionsOf(access).length > 0 },
  ] as const;
  const tabs = all
    .filter(({ isThere }) => isThere)
    .map(({ page, icon, label }) => ({ page, icon, href: pathTo(page), label }));
  return {
    tabs,
    hasSideMenu:
      tabs.length > 1 && !(current === 'tasks' && access.controls.has('ShowClientCenterNewTaskList')),
  };
}
