import { PLAIN, type PageExamples, type Walk } from './page-example.ts';
import { submitEmpty } from './steps.ts';

/** Pages with a single narrow column: sign-in, messages and what people without an account see. */
const columnPages: PageExamples = {
  '/[base]/[lang]/auth': { budget: PLAIN, checkedBy: 'the single-column pages, signed out' },
  '/[base]/[lang]/auth/logout': { budget: PLAIN, checkedBy: 'the single-column pages, signed out' },
  '/[base]/[lang]/auth/signin-error': { budget: PLAIN, states: [['sign-in error', 'auth/signin-error']] },
  '/[base]/[lang]/auth/continue': {
    budget: PLAIN,
    states: [['an expired sign-in link', 'auth/continue']],
  },
  '/[base]/[lang]/kept-form': { budget: PLAIN, states: [['no saved draft', 'kept-form']] },
  '/[base]/[lang]/auth/firm-locked': { budget: PLAIN, states: [['firm locked', 'auth/firm-locked']] },
  '/[base]/[lang]/auth/mfa-required': { budget: PLAIN, states: [['second step', 'auth/mfa-required']] },
  '/[base]/[lang]/auth/confirm': {
    budget: PLAIN,
    states: [['step-up authentication', 'auth/confirm']],
  },
  '/[base]/[lang]/auth/leaving': {
    budget: PLAIN,
    states: [['leaving for another site, without a redirect', 'auth/leaving']], // with one: e2e/issuer.spec.ts
  },
  '/[base]/[lang]/auth/second-step': {
    budget: PLAIN,
    states: [['second step, none pending', 'auth/second-step']], // and the walk of the second step
  },
  '/[base]/[lang]/auth/forgot': {
    budget: PLAIN,
    states: [
      ['password reset', 'auth/forgot'],
      ['password reset, requested', 'auth/forgot?sent'],
    ],
  },
  '/[base]/[lang]/auth/reset/[token]': {
    budget: PLAIN,
    states: [['password reset, link expired', 'auth/reset/none']],
  },
  '/[base]/[lang]/auth/rescue': {
    budget: PLAIN,
    states: [
      ['rescue code', 'auth/rescue'],
      ['rescue code with errors', 'auth/rescue', submitEmpty],
    ],
  },
  '/[base]/[lang]/auth/invitation/[token]': {
    budget: PLAIN,
    states: [['invitation, link expired', 'auth/invitation/none']],
  },
  '/[base]/[lang]/auth/first-owner/[token]': {
    budget: PLAIN,
    states: [['first owner, link expired', 'auth/first-owner/none']],
  },
  '/[base]/[lang]/language': { budget: PLAIN, states: [['language', 'language']] },
  '/[base]/[lang]/task-link/[token]': {
    budget: PLAIN,
    states: [['an unknown link to a task', 'task-link/none']], // task-requests.spec.ts opens one
  },
  '/[base]/[lang]/clearance/[token]': {
    budget: { ...PLAIN, total: 17 }, // a list, and a QR code
    states: [['an unknown link to certificates', 'clearance/none']], // clearance-passport.spec.ts opens one
  },
  '/[base]/[lang]/share/[token]': {
    budget: PLAIN,
    states: [['an unknown share link', 'share/none']], // and the walk of share links
  },
  '/[base]/[lang]/share/[token]/[documentId]': {
    budget: { total: 26, script: 2.7 }, // the viewer, with its search, zoom and links of the page
    states: [['a document of an unknown share link', 'share/none/none']], // and shares.spec.ts
  },
  '/[base]/[lang]/sign/[token]': {
    budget: PLAIN,
    states: [['an unknown link to sign', 'sign/none']], // and e2e/signing.spec.ts
  },
  '/[base]/[lang]/sandbox-checkout/[token]': {
    budget: PLAIN,
    states: [['an unknown checkout', 'sandbox-checkout/none']], // and e2e/payments.spec.ts
  },
  '/[base]/[lang]/not-authorized': {
    budget: PLAIN,
    states: [
      ['not authorized', 'not-authorized'],
      ['not authorized, for staff', 'not-authorized?because=staff'],
      ['the theme settings, without permission', 'staff/theme'],
      ['the terms of the firm, without permission', 'staff/terms'],
      ['a client by address, of nobody', 'company/1'],
    ],
  },
  '/[base]/[lang]/notfound': { budget: PLAIN, states: [['not found', 'notfound']] },
  '/404': { budget: PLAIN, noMarkup: 'shown at unknown addresses: notfound' },
  '/500': { budget: PLAIN, noMarkup: 'shown at failed addresses: e2e/budget.spec.ts' },
};

export const walks: readonly Walk[] = [
  { title: 'the single-column pages', person: 'ana', pages: columnPages },
];
