import { useActions } from '#platform/forms/actions.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FieldView, FormView } from '#platform/forms/forms.ts';
import type { Lang } from '#platform/text/languages.ts';
import { mailedPage } from '#platform/mail/mail-layout.server.ts';
import { timeZoneChoices } from '#platform/text/time-zone-choices.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { LOGIN_BACKGROUNDS } from './theme.ts';
import { areColors, colorsFrom, legibility, PAIRS } from './colors.ts';
import { themeForm } from './forms.server.ts';
import { previewUrl } from './firms.server.ts';
import { resetTheme, savedThemeOf, saveTheme } from './theme-settings.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'firm'>;
}

/**
 * The form for the theme of the firm. A preview shows this very page in the theme, and saves nothing. The answer to
 * what is posted saves or resets the theme.
 */
export async function themePage(page: Page) {
  const { locale, pathTo, session } = page.locals;
  const { actor } = session;
  const saved = await savedThemeOf(actor);
  const done = (key: KeysOf<'shell'>, type: 'success' | 'danger' = 'success') => ({
    to: pathTo('staff/theme'),
    flash: { type, namespace: 'shell' as const, key },
  });
  let isPreview = false;
  const form = await useForm(page, themeForm, {
    values: { ...saved.values, version: saved.version },
    vars: { hosts: config.logoutHosts.join(', ') },
    choices: { timeZone: await timeZoneChoices(locale, saved.values.timeZone) },
    submit: async ({ version, logo, noLogo, banner, noBanner, ...input }, action) => {
      isPreview = action === 'preview';
      if (isPreview) return undefined; // this page shows the theme, and saves nothing
      const images = { logo: await imageOf(logo, noLogo), banner: await imageOf(banner, noBanner) };
      await saveTheme(actor, input, { version, ...images });
      return done('themeSaved');
    },
  });
  if (form instanceof Response) return form;
  const response = await useActions(
    page,
    {
      reset: async (version) => {
        await resetTheme(actor, version);
        return done('themeReset');
      },
    },
    ({ code }) => (code === 'STALE' ? done('themeStale', 'danger') : undefined),
  );
  if (response) return response;
  const view = viewOfTheme(page.locals.lang, form);
  if (isPreview && view.isValid) showPreview(page, view);
  const signInLink = mailedPage(page.locals.lang, 'auth', { companyId: actor.companyId });
  return { ...view, form, isPreview, version: saved.version, signInLink };
}

const imageOf = async ([file]: File[], isRemoved: boolean): Promise<Buffer | 'none' | undefined> =>
  file ? Buffer.from(await file.arrayBuffer()) : isRemoved ? 'none' : undefined;

/** What the form holds, saved or typed, and how well its colours can be read. */
function viewOfTheme(lang: Lang, form: FormView) {
  const t = translationsFor(lang, 'shell');
  const field = (name: string): FieldView => {
    const found = form.fields.find((each) => each.name === name);
    if (!found) throw new Error(`The form has no field ${name}`);
    return name === 'logoutUrl' && config.logoutHosts.length === 0
      ? { ...found, hint: t('logoutNoHosts') }
      : found;
  };
  const value = (name: string): string => String(field(name).value);
  const colors = colorsFrom(value);
  const isValid = areColors(colors);
  return {
    field,
    value,
    colors,
    isValid,
    loginBackground: LOGIN_BACKGROUNDS.find((name) => name === value('loginBackground')) ?? 'plain',
    pairs: PAIRS.map(([fill, text]) => ({
      fill,
      text,
      verdict: isValid ? legibility(colors[fill], colors[text]) : undefined,
    })),
  };
}

function showPreview(
  { locals }: Page,
  { colors, value, loginBackground }: ReturnType<typeof viewOfTheme>,
): void {
  const { firm } = locals;
  if (!firm) return;
  locals.firm = {
    ...firm,
    theme: {
      ...firm.theme,
      stylesheetUrl: previewUrl(firm.companyId, colors),
      headerLine1: value('headerLine1'),
      loginBackground,
      loginPageText: value('loginPageText'),
    },
  };
}
