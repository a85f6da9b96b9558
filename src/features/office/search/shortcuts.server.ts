import { z } from 'zod';
import { contributed } from '#platform/runtime/feature.server.ts';
import { defineForm, useForm, type Page } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { dropCookie, readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

const OFF = 'off';
const YEAR = 31_536_000;

/** Whether the keys of the firm's side act in this browser. */
export const hasShortcuts = (request: Request): boolean =>
  readCookie(request.headers.get('cookie'), 'shortcuts') !== OFF;

const shortcutsForm = defineForm('search', () => ({
  id: 'shortcuts',
  title: 'shortcutsTitle',
  problemTitle: 'shortcutsNotSaved',
  submit: 'shortcutsSave',
  schema: z.object({ isOn: z.boolean() }),
  fields: { isOn: { kind: 'checkbox', label: 'shortcutsOn', hint: 'shortcutsHint' } },
}));

/** The form that turns the keys off and on; the cookie is of this browser, since not every keyboard is the same. */
export const shortcutsPage = (
  page: Page & { locals: Pick<App.Locals, 'lang' | 'pathTo'> },
): Promise<FormView | Response> =>
  useForm(page, shortcutsForm, {
    values: { isOn: hasShortcuts(page.request) },
    submit: ({ isOn }) =>
      Promise.resolve({
        to: page.locals.pathTo('profile/shortcuts'),
        flash: { type: 'success', namespace: 'search', key: isOn ? 'shortcutsAreOn' : 'shortcutsAreOff' },
        cookies: [isOn ? dropCookie('shortcuts') : setCookie('shortcuts', OFF, YEAR)],
      }),
  });

export interface Shortcut {
  keys: readonly string[];
  text: string;
}

/** The keys of the firm's side, those that lead to areas for those who may open them. */
export function shortcutsFor({
  lang,
  session,
  mayOpen,
}: Pick<App.Locals, 'lang' | 'session' | 'mayOpen'>): Shortcut[] {
  const t = translationsFor(lang, 'search');
  const areas = contributed('navigation')
    .flat()
    .filter(({ side, page, isFor }) => side === 'staff' && mayOpen(page) && (isFor?.(session) ?? true))
    .toSorted((a, b) => a.order - b.order)
    .flatMap(({ key, label }) =>
      key === undefined
        ? []
        : [{ keys: ['G', key.toUpperCase()], text: t('keyGo', { area: translate(lang, label) }) }],
    );
  return [
    { keys: ['/'], text: t('keySearch') },
    { keys: ['N'], text: t('keyNew') },
    ...areas,
    { keys: ['?'], text: t('keyList') },
  ];
}
