import type { LoginBackground } from './theme.ts';

export { LOGIN_BACKGROUNDS, themeInfo, themeInput, type ThemeInfo, type ThemeInput } from './theme.ts';

/** What a person sees of a firm: its name, how to reach it, and its look (spec 1 section 3, Theme). */
export interface Firm {
  companyId: string;
  name: string;
  phone: string;
  email: string;
  locked: boolean;
  /** The IANA name of the zone in which mails and receipts state times. */
  timeZone: string;
  /** What the firm tells its contacts once; empty when there is nothing. */
  announcement: string;
  theme: Theme;
}

/** Whose sign-in must have a second step, and from when (epoch ms). */
export interface SecondStepRule {
  who: 'nobody' | 'staff' | 'everybody';
  from: number;
}

interface Theme {
  headerLine1: string;
  loginPageText: string;
  loginBackground: LoginBackground;
  /** Where people go after signing out, or null: then they stay here. */
  leaveFor: string | null;
  /** Same-origin address of the image that stands in the header instead of the logo, or null. */
  bannerUrl: string | null;
  /** Same-origin address of the logo, or null: then the firm's line of text stands there. */
  logoUrl: string | null;
  /** Same-origin address of the stylesheet that sets the firm's colours. */
  stylesheetUrl: string;
  headerFillColor: string;
  headerTextColor: string;
  buttonFillColor: string;
  buttonTextColor: string;
}

/** Default theme (spec 1, section 9). */
export const DEFAULT_COLORS = {
  headerFillColor: '#003565',
  headerTextColor: '#ffffff',
  buttonFillColor: '#003565',
  buttonTextColor: '#ffffff',
};
