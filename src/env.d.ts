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
    /** The firm's time zone: what a page states in it is replaced in the browser by the reader's own. */
    timeZone: string;
    /** The address of another site that a redirect led to. */
    leavingFor: string | undefined;
    /** Set for every page that another one leads to within the same request. */
    isRewritten: true | undefined;
    flash: import('#platform/flash.server.ts').Flash | undefined;
  }
}
