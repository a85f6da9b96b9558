declare namespace App {
  interface Locals {
    /** Set by the front door. */
    session: import('#features/people/people.ts').Session | undefined;
    network: string;
    lockedOut: boolean | undefined;
    demo: boolean;
    /** Set by the middleware. */
    lang: import('#platform/languages.ts').Lang;
    locale: string;
    firm: import('#features/firms/firms.ts').Firm | undefined;
    flash: import('#platform/flash.server.ts').Flash | undefined;
  }
}
