import { Readable } from 'node:stream';
import type { Selectable } from 'kysely';
import { audit } from '#platform/security/audit.server.ts';
import { commitBlob, putBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { DEFAULT_COLORS } from './firms.ts';
import { LOGIN_BACKGROUNDS, themeInput, type ThemeInfo, type ThemeInput } from './theme.ts';
import { acceptImage } from './images.server.ts';
import { firmById, type FirmRow } from './internal/store.server.ts';

/** The actor of a theme change: declared here because the feature `firms` does not depend on people. */
export interface Decorator {
  companyId: string;
  contactId: string;
  access: { permissions: ReadonlySet<string> };
}

/** Refuses whoever may not manage the firm. */
export function assertManages({ access }: Decorator): void {
  if (!access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
}

/**
 * Returns the URL itself if people may be redirected there: https, a host of LOGOUT_HOSTS, without
 * credentials; else null.
 */
export function allowedLogout(address: string): string | null {
  if (address === '' || /[\s\\]/.test(address)) return null;
  const url = URL.parse(address);
  return url?.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    config.logoutHosts.includes(url.host)
    ? url.href
    : null;
}

/** A version that changes with everything on which a theme's files depend. */
export const versionOf = (...parts: readonly unknown[]): string => sha256(JSON.stringify(parts)).slice(0, 12);

/**
 * Returns the theme of the own firm (spec 1 section 7, theme by company id); NOT_FOUND for every other
 * company.
 */
export async function themeOf(actor: { companyId: string }, companyId: string): Promise<ThemeInfo> {
  const row = companyId === actor.companyId ? await firmById(companyId) : undefined;
  if (!row) throw notFound();
  const image = (name: 'logo' | 'banner', key: string | null): string | null =>
    key === null ? null : `/theme/${companyId}/${row.version}/${name}`;
  return {
    colors: {
      headerFillColor: row.header_fill_color,
      headerTextColor: row.header_text_color,
      buttonFillColor: row.button_fill_color,
      buttonTextColor: row.button_text_color,
      translucentColor: `${row.button_fill_color}1a`,
    },
    logoutUrl: allowedLogout(row.logout_url ?? ''),
    loginBackground: backgroundOf(row),
    loginPageText: row.login_page_text,
    headerImage: image('logo', row.logo_key),
    headerLine1: row.header_line1,
    bannerImage: image('banner', row.banner_key),
  };
}

const backgroundOf = (row: FirmRow) =>
  LOGIN_BACKGROUNDS.find((name) => name === row.login_background) ?? 'clouds';

interface Look {
  values: ThemeInput;
  version: string;
}

/** Returns the settings that the firm's staff can change, with the version that a change must name. */
export async function savedThemeOf(actor: Decorator): Promise<Look> {
  assertManages(actor);
  const row = await firmById(actor.companyId);
  if (!row) throw notFound();
  const values: ThemeInput = {
    headerFillColor: row.header_fill_color,
    headerTextColor: row.header_text_color,
    buttonFillColor: row.button_fill_color,
    buttonTextColor: row.button_text_color,
    headerLine1: row.header_line1,
    loginPageText: row.login_page_text,
    loginBackground: backgroundOf(row),
    logoutUrl: row.logout_url ?? '',
    announcement: row.announcement,
    timeZone: row.time_zone,
  };
  return { values, version: row.version };
}

/** An image: a new one, none from now on, or undefined to keep the current one. */
type ImageChange = Buffer | 'none' | undefined;

interface Changed {
  /** The version that the change is based on; STALE if it has been replaced (threat-model.md T79). */
  version: string;
  logo?: ImageChange;
  banner?: ImageChange;
}

/**
 * Changes the theme of the actor's firm. FORBIDDEN without the permission; INVALID with `field`;
 * TYPE_NOT_ALLOWED or TOO_LARGE with `field` for an image; STALE.
 */
export async function saveTheme(
  actor: Decorator,
  input: ThemeInput,
  { version, logo, banner }: Changed,
): Promise<void> {
  assertManages(actor);
  const parsed = themeInput.safeParse(input);
  if (!parsed.success)
    throw new PortalError('INVALID', { field: String(parsed.error.issues[0]?.path[0] ?? '') });
  const values = parsed.data;
  const logoutUrl = values.logoutUrl === '' ? null : allowedLogout(values.logoutUrl);
  if (values.logoutUrl !== '' && logoutUrl === null) throw new PortalError('INVALID', { field: 'logoutUrl' });
  const [newLogo, newBanner] = [await storeImage('logo', logo), await storeImage('banner', banner)];
  await write(
    actor,
    version,
    'theme.change',
    (row) => ({
      header_fill_color: values.headerFillColor.toLowerCase(),
      header_text_color: values.headerTextColor.toLowerCase(),
      button_fill_color: values.buttonFillColor.toLowerCase(),
      button_text_color: values.buttonTextColor.toLowerCase(),
      header_line1: values.headerLine1,
      login_page_text: values.loginPageText,
      login_background: values.loginBackground,
      logout_url: logoutUrl,
      announcement: values.announcement,
      time_zone: values.timeZone,
      ...(newLogo === undefined
        ? { logo_key: row.logo_key, logo_type: row.logo_type }
        : { logo_key: newLogo?.key ?? null, logo_type: newLogo && 'image/png' }),
      ...(newBanner === undefined
        ? { banner_key: row.banner_key, banner_type: row.banner_type }
        : { banner_key: newBanner?.key ?? null, banner_type: newBanner && 'image/png' }),
    }),
    [newLogo, newBanner],
  );
}

/**
 * Resets the theme of the firm to the default of the spec; its time zone, announcement and logout URL stay.
 */
export async function resetTheme(actor: Decorator, version: string): Promise<void> {
  assertManages(actor);
  await write(
    actor,
    version,
    'theme.reset',
    (row) => ({
      header_fill_color: DEFAULT_COLORS.headerFillColor,
      header_text_color: DEFAULT_COLORS.headerTextColor,
      button_fill_color: DEFAULT_COLORS.buttonFillColor,
      button_text_color: DEFAULT_COLORS.buttonTextColor,
      header_line1: row.name,
      login_page_text: '',
      login_background: 'clouds',
      logout_url: row.logout_url,
      announcement: row.announcement,
      time_zone: row.time_zone,
      logo_key: null,
      logo_type: null,
      banner_key: null,
      banner_type: null,
    }),
    [],
  );
}

/** Stores the re-encoded image; null for none from now on, undefined for no change. */
async function storeImage(
  kind: 'logo' | 'banner',
  change: ImageChange,
): Promise<StoredBlob | null | undefined> {
  if (change === undefined) return undefined;
  if (change === 'none') return null;
  const bytes = await acceptImage(kind, change).catch((error: unknown) => {
    throw error instanceof PortalError
      ? new PortalError(error.code, { ...error.details, field: kind })
      : error;
  });
  return putBlob(Readable.from([bytes]), MAX_STORED);
}

const MAX_STORED = 4 * 1024 * 1024;

type Columns = Omit<Selectable<Tables['themes']>, 'company_id' | 'version'> & Pick<FirmRow, 'time_zone'>;

async function write(
  actor: Decorator,
  version: string,
  action: 'theme.change' | 'theme.reset',
  columnsFrom: (row: FirmRow) => Columns,
  blobs: (StoredBlob | null | undefined)[],
): Promise<void> {
  const { companyId } = actor;
  await inTransaction(async () => {
    const row = await firmById(companyId);
    if (!row) throw notFound();
    for (const blob of blobs) if (blob) await commitBlob(blob);
    const columns = columnsFrom(row);
    const { time_zone, ...theme } = columns;
    const { numUpdatedRows } = await db()
      .updateTable('themes')
      .set({ ...theme, version: versionOf(columns) })
      .where('company_id', '=', companyId)
      .where('version', '=', version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new PortalError('STALE');
    await db().updateTable('firms').set({ time_zone }).where('company_id', '=', companyId).execute();
    const changed = (Object.keys(columns) as (keyof Columns)[]).filter((name) => columns[name] !== row[name]);
    const replaced = [row.logo_key, row.banner_key].filter(
      (key) => key !== null && key !== columns.logo_key && key !== columns.banner_key,
    );
    // the next sweep removes their bytes
    if (replaced.length > 0) await db().deleteFrom('blobs').where('blob_key', 'in', replaced).execute();
    await audit({
      companyId,
      actor: actor.contactId,
      action,
      target: companyId,
      details: { changed: changed.join(' ') },
    });
  });
}
