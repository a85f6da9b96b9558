import type { Address } from '#platform/inputs/address.ts';
import type { LoginBackground } from './theme.ts';

/** The public data of a firm: its name, contact details and theme (spec 1 section 3, Theme). */
export interface Firm {
  companyId: string;
  name: string;
  phone: string;
  email: string;
  locked: boolean;
  /** True for a firm to try things in, from which nothing leaves the portal. */
  isPractice: boolean;
  /** The person to ask for; empty if there is none. */
  contactPerson: string;
  address: Address | null;
  /** A text of several lines; may be empty. */
  openingHours: string;
  holidays: readonly Holiday[];
  /** The IANA name of the time zone for mails and receipts. */
  timeZone: string;
  /** An announcement that each contact sees once; empty if there is none. */
  announcement: string;
  theme: Theme;
}

/** A day on which the firm is closed: `2026-12-25`. */
export interface Holiday {
  date: string;
  name: string;
}

/** Who needs a second factor, and from when (epoch ms). */
export interface SecondStepRule {
  who: 'nobody' | 'staff' | 'everybody';
  from: number;
}

interface Theme {
  /** Changes with everything on which its files depend. */
  version: string;
  headerLine1: string;
  loginPageText: string;
  loginBackground: LoginBackground;
  /** The page after signing out, or null for the portal's own. */
  leaveFor: string | null;
  /** Same-origin URL of the image shown in the header instead of the logo, or null. */
  bannerUrl: string | null;
  /** Same-origin URL of the logo; if null, the firm's header line is shown instead. */
  logoUrl: string | null;
  /** Same-origin URL of the stylesheet with the firm's colours. */
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
