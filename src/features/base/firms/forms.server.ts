import { z } from 'zod';
import { defineForm, type Field } from '#platform/forms/forms.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { firmDetails } from './firm-details.server.ts';
import { LOGIN_BACKGROUNDS, themeInput } from './theme.ts';

const colour = (label: 'fillColour' | 'textColour'): Field<KeysOf<'shell'>> => ({
  kind: 'text',
  type: 'color',
  label,
  wrong: 'colourWrong',
});
const image = (kind: 'logo' | 'banner'): Field<KeysOf<'shell'>> => ({
  kind: 'file',
  label: kind,
  hint: kind === 'logo' ? 'logoHint' : 'bannerHint',
  optional: true,
  accept: 'image/png,image/jpeg,image/webp',
});

/** What a firm tells its clients about itself. `version` detects concurrent changes. */
export const firmForm = defineForm('firms', () => ({
  id: 'firm',
  title: 'title',
  problemTitle: 'errorTitle',
  submit: 'save',
  busy: 'saving',
  schema: firmDetails.extend({ version: z.string() }),
  fields: {
    version: { kind: 'hidden' },
    name: {
      kind: 'text',
      label: 'name',
      missing: 'nameMissing',
      autocomplete: 'organization',
      maxlength: 120,
    },
    contactPerson: {
      kind: 'text',
      label: 'contactPerson',
      hint: 'contactPersonHint',
      optional: true,
      maxlength: 120,
    },
    phone: { kind: 'text', type: 'tel', label: 'phone', wrong: 'phoneWrong', optional: true, maxlength: 40 },
    email: { kind: 'text', type: 'email', label: 'email', wrong: 'emailWrong', maxlength: 254 },
    address: { kind: 'address', label: 'address', optional: true },
    language: { kind: 'select', label: 'language', hint: 'languageHint' },
    openingHours: {
      kind: 'textarea',
      label: 'openingHours',
      hint: 'openingHoursHint',
      optional: true,
      rows: 3,
      maxlength: 500,
    },
    holidays: {
      kind: 'group',
      label: 'holidays',
      hint: 'holidaysHint',
      optional: true,
      max: 30,
      add: 'holidayAdd',
      remove: 'holidayRemove',
      fields: {
        date: { kind: 'date', label: 'holidayDate', optional: true },
        name: { kind: 'text', label: 'holidayName', optional: true, maxlength: 80 },
      },
    },
  },
  refusals: { STALE: 'stale' },
}));

/** The theme, time zone and announcement of a firm. `version` detects concurrent changes of the theme. */
export const themeForm = defineForm('shell', () => {
  const file = z.array(z.instanceof(File));
  return {
    id: 'theme',
    title: 'themeTitle',
    problemTitle: 'themeErrorTitle',
    submit: 'save',
    busy: 'saving',
    schema: themeInput.extend({
      version: z.string(),
      logo: file,
      noLogo: z.boolean(),
      banner: file,
      noBanner: z.boolean(),
    }),
    fields: {
      version: { kind: 'hidden', label: 'themeTitle' },
      headerFillColor: colour('fillColour'),
      headerTextColor: colour('textColour'),
      buttonFillColor: colour('fillColour'),
      buttonTextColor: colour('textColour'),
      headerLine1: {
        kind: 'text',
        label: 'headerLine1',
        hint: 'headerLine1Hint',
        missing: 'headerLine1Missing',
        wrong: 'lookTextWrong',
        maxlength: 80,
      },
      logo: image('logo'),
      noLogo: { kind: 'checkbox', label: 'removeLogo' },
      banner: image('banner'),
      noBanner: { kind: 'checkbox', label: 'removeBanner' },
      loginPageText: {
        kind: 'textarea',
        label: 'loginPageText',
        optional: true,
        wrong: 'lookTextWrong',
        rows: 3,
        maxlength: 500,
      },
      loginBackground: {
        kind: 'select',
        label: 'loginBackground',
        wrong: 'lookTextWrong',
        options: LOGIN_BACKGROUNDS.map((name) => [name, name] as const),
      },
      logoutUrl: {
        kind: 'text',
        label: 'logoutUrl',
        hint: 'logoutHint',
        optional: true,
        wrong: 'logoutWrong',
        inputmode: 'url',
        maxlength: 300,
      },
      announcement: {
        kind: 'textarea',
        label: 'announcementTitle',
        hint: 'announcementHint',
        optional: true,
        wrong: 'lookTextWrong',
        rows: 3,
        maxlength: 500,
      },
      timeZone: { kind: 'select', label: 'timeZone', hint: 'timeZoneHint', wrong: 'timeZoneWrong' },
    },
    refusals: {
      STALE: { field: 'headerFillColor', text: 'themeStale' },
      TYPE_NOT_ALLOWED: {
        field: ({ field }) => (field === 'banner' ? 'banner' : 'logo'),
        text: 'imageWrong',
      },
      TOO_LARGE: { field: ({ field }) => (field === 'banner' ? 'banner' : 'logo'), text: 'imageTooLarge' },
      INVALID: {
        field: 'logoutUrl',
        text: ({ field }) => (field === 'logoutUrl' ? 'logoutWrong' : undefined),
      },
    },
  };
});
