import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { audit } from '#platform/security/audit.server.ts';
import { commitBlob, putBlob, readBlob } from '#platform/storage/blobs.server.ts';
import { HEX_COLOUR, readableOn } from '#platform/text/contrast.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { isTimeZone, timeZoneFor } from '#platform/text/time-zones.ts';
import { colorProperties, type Colors } from './colors.ts';
import { DEFAULT_COLORS, type Firm, type SecondStepRule } from './firms.ts';
import { detailsIn } from './internal/details.server.ts';
import { LOGIN_BACKGROUNDS } from './theme.ts';
import { allowedLogout, versionOf } from './theme-settings.server.ts';
import { firmById, onlyFirm, type FirmRow } from './internal/store.server.ts';

interface NewFirm {
  name: string;
  phone: string;
  email: string;
  language: string;
  /** The default time zone by language: that of most people who speak it. */
  timeZone?: string | undefined;
  locked?: boolean;
  colors?: Partial<typeof DEFAULT_COLORS>;
  loginPageText?: string;
  /** What pages show in place of a logo; by default the name. */
  headerLine?: string;
  announcement?: string;
  logo?: { bytes: Readable; type: 'image/png' | 'image/jpeg' };
  /**
   * Who needs a second factor by default: staff, unless an external issuer signs people in, which has its own
   * rules.
   */
  secondStep?: SecondStepRule['who'];
  /** The firm whose people try things in this one. */
  practiceOf?: string;
}

export async function createFirm(input: NewFirm): Promise<string> {
  const companyId = newId('firm');
  const colors = { ...DEFAULT_COLORS, ...input.colors };
  if (!Object.values(colors).every((color) => HEX_COLOUR.test(color)))
    throw new PortalError('INVALID', { field: 'colors' });
  const timeZone = input.timeZone ?? timeZoneFor(input.language);
  if (!isTimeZone(timeZone)) throw new PortalError('INVALID', { field: 'timeZone' });
  const logo = input.logo && (await putBlob(input.logo.bytes, MAX_LOGO_BYTES));
  await inTransaction(async () => {
    if (logo) await commitBlob(logo);
    const { name, phone, email, language, secondStep = config.oidc ? 'nobody' : 'staff' } = input;
    const practiceOf = input.practiceOf ?? null;
    const locked = input.locked ? 1 : 0;
    await db()
      .insertInto('firms')
      .values({
        company_id: companyId,
        name,
        phone,
        email,
        language,
        locked,
        second_step: secondStep,
        time_zone: timeZone,
        practice_of: practiceOf,
      })
      .execute();
    await db()
      .insertInto('themes')
      .values({
        company_id: companyId,
        header_fill_color: colors.headerFillColor,
        header_text_color: colors.headerTextColor,
        button_fill_color: colors.buttonFillColor,
        button_text_color: colors.buttonTextColor,
        header_line1: input.headerLine ?? input.name,
        login_page_text: input.loginPageText ?? '',
        logo_key: logo?.key ?? null,
        logo_type: input.logo?.type ?? null,
        announcement: input.announcement ?? '',
        version: versionOf(colors, logo?.key),
      })
      .execute();
  });
  return companyId;
}

/**
 * Locks a firm's portal, or unlocks it: the next request of its people is refused, their links end, its mails
 * wait, and transfers in flight are aborted within seconds (threat-model.md T36). `by` is recorded in the
 * audit log. NOT_FOUND for an unknown firm.
 */
export async function lockFirm(companyId: string, locked: boolean, by: string): Promise<void> {
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('firms')
      .set({ locked: locked ? 1 : 0 })
      .where('company_id', '=', companyId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound();
    await audit({ companyId, actor: by, action: locked ? 'firm.lock' : 'firm.unlock', target: companyId });
  });
}

/** Returns who needs a second factor at a firm. */
export async function secondStepOf(companyId: string): Promise<SecondStepRule> {
  const row = await db()
    .selectFrom('firms')
    .select(['second_step', 'second_step_from'])
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return { who: row.second_step, from: row.second_step_from };
}

/** Sets who needs a second factor at a firm; the caller checks the permission. */
export async function setSecondStep(companyId: string, { who, from }: SecondStepRule): Promise<void> {
  await db()
    .updateTable('firms')
    .set({ second_step: who, second_step_from: from })
    .where('company_id', '=', companyId)
    .execute();
}

/** Records when a test mail was sent, or when an owner closed the checklist of the first day. */
export async function noteFirstDay(
  companyId: string,
  change: { mail_tested_at: number } | { first_day_done_at: number },
): Promise<void> {
  await db().updateTable('firms').set(change).where('company_id', '=', companyId).execute();
}

/** Lists the locked firms. */
export const lockedFirmIds = async (): Promise<string[]> =>
  (await db().selectFrom('firms').select('company_id').where('locked', '=', 1).execute()).map(
    (row) => row.company_id,
  );

const MAX_LOGO_BYTES = 1024 * 1024;

export async function firmOf(companyId: string): Promise<Firm> {
  const row = await firmById(companyId);
  if (!row) throw notFound();
  return present(row);
}

/**
 * Finds the firm whose theme a page without a session has: the one that its address names, the one in the theme
 * cookie, or the only one.
 */
export async function firmForVisitor(
  ...candidates: readonly (string | undefined)[]
): Promise<Firm | undefined> {
  for (const companyId of candidates) {
    const row = companyId === undefined ? undefined : await firmById(companyId);
    if (row) return present(row);
  }
  const only = await onlyFirm();
  return only && present(only);
}

function present(row: FirmRow): Firm {
  return {
    companyId: row.company_id,
    name: row.name,
    phone: row.phone,
    email: row.email,
    locked: row.locked === 1,
    isPractice: row.practice_of !== null,
    ...detailsIn(row),
    timeZone: row.time_zone,
    announcement: row.announcement,
    theme: {
      version: row.version,
      headerLine1: row.header_line1,
      loginPageText: row.login_page_text,
      loginBackground: LOGIN_BACKGROUNDS.find((name) => name === row.login_background) ?? 'clouds',
      leaveFor: allowedLogout(row.logout_url ?? ''),
      bannerUrl: row.banner_key === null ? null : `/theme/${row.company_id}/${row.version}/banner`,
      logoUrl: row.logo_key === null ? null : `/theme/${row.company_id}/${row.version}/logo`,
      stylesheetUrl: `/theme/${row.company_id}/${row.version}/theme.css`,
      headerFillColor: row.header_fill_color,
      headerTextColor: readableOn(row.header_fill_color, row.header_text_color),
      buttonFillColor: row.button_fill_color,
      buttonTextColor: readableOn(row.button_fill_color, row.button_text_color),
    },
  };
}

/**
 * The firm's colours as custom properties, each readable where it is used, in the light and the dark colour
 * scheme.
 */
export async function themeStylesheet(companyId: string): Promise<string> {
  const row = await firmById(companyId);
  if (!row) throw notFound();
  return stylesheetOf({
    headerFillColor: row.header_fill_color,
    headerTextColor: row.header_text_color,
    buttonFillColor: row.button_fill_color,
    buttonTextColor: row.button_text_color,
  });
}

/** The same for the head of a page, with its digest for the content security policy. */
export function inlineTheme({ theme }: Firm): { css: string; digest: `sha256-${string}` } {
  const css = stylesheetOf(theme);
  return { css, digest: `sha256-${createHash('sha256').update(css).digest('base64')}` };
}

const IN_ADDRESS = /^try-([0-9a-f]{6})-([0-9a-f]{6})-([0-9a-f]{6})-([0-9a-f]{6})$/i;

/** Returns the URL of a stylesheet with preview colours, which are part of the URL. */
export const previewUrl = (companyId: string, colors: Colors): string =>
  `/theme/${companyId}/try-${[colors.headerFillColor, colors.headerTextColor, colors.buttonFillColor, colors.buttonTextColor].map((colour) => colour.slice(1)).join('-')}/theme.css`;

/** Returns the stylesheet of such a URL, or undefined if it is that of a version. */
export function previewStylesheet(version: string): string | undefined {
  const [, ...digits] = IN_ADDRESS.exec(version) ?? [];
  if (digits.length !== 4) return undefined;
  const [headerFillColor = '', headerTextColor = '', buttonFillColor = '', buttonTextColor = ''] = digits.map(
    (colour) => `#${colour}`,
  );
  return stylesheetOf({ headerFillColor, headerTextColor, buttonFillColor, buttonTextColor });
}

function stylesheetOf(colors: Colors): string {
  const { light, dark } = colorProperties(colors);
  const css = (properties: Record<string, string>): string =>
    Object.entries(properties)
      .map((property) => property.join(':'))
      .join(';');
  return `:root{${css(light)}}\n@media (prefers-color-scheme:dark){:root{${css(dark)}}}`;
}

export async function firmLogo(companyId: string): Promise<{ type: string; bytes: Readable }> {
  const row = await firmById(companyId);
  if (!row?.logo_key || !row.logo_type) throw notFound();
  return { type: row.logo_type, bytes: readBlob(row.logo_key) };
}

export async function firmBanner(companyId: string): Promise<{ type: string; bytes: Readable }> {
  const row = await firmById(companyId);
  if (!row?.banner_key || !row.banner_type) throw notFound();
  return { type: row.banner_type, bytes: readBlob(row.banner_key) };
}

/** The language of a firm, which says which country's templates its staff see first. */
export async function languageOfFirm(companyId: string): Promise<Lang> {
  const row = await db()
    .selectFrom('firms')
    .select('language')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return languageOf(row.language) ?? DEFAULT_LANG;
}
