import { translationsFor } from '#platform/translations.server.ts';
import type { IconName } from '#ui/icons.ts';

/** The areas of the firm's side (docs/product.md, The firm's side), in the order of the navigation. */
export type StaffArea = 'inbox' | 'clients' | 'tasks' | 'publish' | 'people' | 'mails' | 'settings';

/** Lists the areas of the firm's side that exist and that this member of staff may open. */
export function staffAreasFor({ mayOpen, lang, pathTo }: Pick<App.Locals, 'mayOpen' | 'lang' | 'pathTo'>): {
  area: StaffArea;
  href: string;
  label: string;
  icon: IconName;
}[] {
  const t = translationsFor(lang, 'staff');
  const areas = [
    { area: 'inbox', icon: 'inbox', label: t('navInbox') },
    { area: 'clients', icon: 'building-2', label: t('navClients') },
    { area: 'tasks', icon: 'clipboard-list', label: t('navTasks') },
    { area: 'publish', icon: 'upload', label: t('navPublish') },
    { area: 'people', icon: 'users', label: t('navPeople') },
    { area: 'mails', icon: 'mail', label: t('navMails') },
    { area: 'settings', icon: 'settings', label: t('navSettings') },
  ] as const;
  return areas
    .filter(({ area }) => mayOpen(`staff/${area}`))
    .map((item) => ({ ...item, href: pathTo(`staff/${item.area}`) }));
}
