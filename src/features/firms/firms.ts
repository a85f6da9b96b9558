/** What a person sees of a firm: its name, how to reach it, and its look (spec 1 section 3, Theme). */
export interface Firm {
  companyId: string;
  name: string;
  phone: string;
  email: string;
  locked: boolean;
  theme: Theme;
}

interface Theme {
  headerLine1: string;
  loginPageText: string;
  /** Same-origin address of the logo, or null: then the firm's line of text stands there. */
  logoUrl: string | null;
  /** Same-origin address of the stylesheet that sets the firm's colours. */
  stylesheetUrl: string;
  buttonFillColor: string;
  buttonTextColor: string;
}

/** Default theme (spec 1, section 9). */
export const DEFAULT_COLORS = { headerFillColor: '#003565', headerTextColor: '#ffffff', buttonFillColor: '#003565', buttonTextColor: '#ffffff' };
