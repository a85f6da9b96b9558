import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { AndroidApp } from '../http/app-links.server.ts';
import { distance } from '../text/distance.ts';
import { isTimeZone } from '../text/time-zones.ts';
import { ConfigurationError } from './startup.server.ts';

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .pipe(z.number().max(65535));
const flag = z.enum(['0', '1']).transform((value) => value === '1');
const origin = z
  .string()
  .refine(
    (value) => /^https?:/.test(value) && URL.parse(value)?.origin === value,
    'must be scheme, host and port only, without a path or a final slash',
  );
/** An integer within `min` and `max`. */
const between = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
const issuer = z
  .string()
  .refine(
    (value) =>
      /^https:/.test(value)
        ? URL.canParse(value)
        : /^http:/.test(value) && isLoopback(URL.parse(value)?.hostname ?? ''),
    'must be an https address; http is for an issuer on this machine only',
  );

const pushService = z
  .string()
  .refine(
    (value) =>
      value === 'none' ||
      /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(value) ||
      (/^http:/.test(value) &&
        URL.parse(value)?.origin === value &&
        isLoopback(URL.parse(value)?.hostname ?? '')),
    'must be hosts like push.example or *.push.example, separated by commas, or none; http:// is for a test server on this machine only',
  );

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const CHAT_HOURS = new RegExp(
  String.raw`^(${WEEKDAYS.join('|')})-(${WEEKDAYS.join('|')}) ([01]\d:[0-5]\d|2[0-3]:[0-5]\d)-([01]\d:[0-5]\d|2[0-3]:[0-5]\d) (\S+)$`,
);

function chatHoursOf(value: string): ChatHours {
  const [, first = '', last = '', from = '', to = '', timeZone = 'UTC'] = CHAT_HOURS.exec(value) ?? [];
  const [begin, end] = [WEEKDAYS.indexOf(first) + 1, WEEKDAYS.indexOf(last) + 1];
  const days = [1, 2, 3, 4, 5, 6, 7].filter((day) =>
    begin <= end ? day >= begin && day <= end : day >= begin || day <= end,
  );
  return { days, from, to, timeZone };
}

const mailbox = z
  .url({ protocol: /^imaps?$/ })
  .refine(
    (value) => /^imaps?:\/\/[^/@:]+:[^/@]+@[^/]+\/?$/.test(value),
    'must look like imaps://USER:PASSWORD@host',
  );

const environment = z.object({
  PORT: port.default(4321),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_ORIGIN: origin.optional(),
  HSTS: z.enum(['host', 'subdomains', 'preload']).default('subdomains'),
  BASE: z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes')
    .default('clientcenter'),
  DATA_DIR: z.string().min(1).default('./data'),
  KEY_FILE: z.string().min(1).optional(),
  AUDIT_ANCHORS: z.string().min(1).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  BLOB_URL: z
    .url({ protocol: /^s3(\+http)?$/ })
    .refine(
      (value) => /^s3(\+http)?:\/\/[^/@:]+:[^/@]+@[^/]+\/[^/?]+/.test(value),
      'must look like s3://KEY:SECRET@host/bucket',
    )
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  SMTP_TLS: z.enum(['required', 'optional']).default('required'),
  MAIL_FROM: z.email().default('portal@localhost.localdomain'),
  MAIL_RETURN_PATH: z.email().optional(),
  BOUNCE_IMAP_URL: mailbox.optional(),
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().min(1).default('portal'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_LINK_BY_EMAIL: flag.default(false),
  OIDC_MFA_ACR: list.default([]),
  OIDC_LOGOUT: z.enum(['issuer', 'local']).default('issuer'),
  OIDC_LOGOUT_URL: issuer.optional(),
  TRUSTED_PROXIES: list.default([]),
  MOBILE_ORIGINS: list.pipe(z.array(origin)).default([]),
  LOGOUT_HOSTS: list.default([]),
  PRIVACY_URL: z.url({ protocol: /^https$/ }).optional(),
  SUPPORT_EMAILS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^([a-z]{2}|\*)=[^\s@=]+@[^\s@=]+$/,
            'must be like br=ajuda@portal.example,*=help@portal.example, by country',
          ),
      ),
    )
    .default([]),
  CHAT_URL: z.url({ protocol: /^https$/ }).optional(),
  CHAT_HOURS: z
    .string()
    .regex(CHAT_HOURS, { error: 'must be like Mon-Fri 09:00-17:00 America/New_York', abort: true })
    .refine((value) => isTimeZone(CHAT_HOURS.exec(value)?.[5] ?? ''), 'must end with a time zone')
    .default('Mon-Fri 09:00-17:00 America/New_York'),
  SECURITY_CONTACT: list
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+[\d-]+)$/,
            'must be like mailto:security@firm.example or https://firm.example/report, separated by commas',
          ),
      ),
    )
    .default([]),
  DEMO: flag.optional(),
  DEMO_BEYOND_LOOPBACK: flag.default(false),
  APPLE_APP_IDS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[A-Z0-9]{10}\.[A-Za-z0-9.-]+$/,
            'must be like ABCDE12345.com.example.portal, separated by commas',
          ),
      ),
    )
    .default([]),
  ANDROID_APPS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[a-zA-Z][\w.]*=(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/,
            'must be like com.example.portal=AB:CD:… with the SHA-256 fingerprint, separated by commas',
          ),
      ),
    )
    .default([]),
  SESSION_IDLE_MINUTES: between(5, 60).default(30),
  SESSION_HOURS: between(1, 24).default(12),
  DRAIN_SECONDS: between(0, 10).default(1),
  TRASH_DAYS: between(1, 3650).default(30),
  FIRM_QUOTA_GB: between(1, 9999).default(500),
  CLAMD: z
    .string()
    .regex(
      /^(unix:\/.+|[^\s:[\]]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5})$/,
      'must be like 127.0.0.1:3310 or unix:/run/clamav/clamd.ctl',
    )
    .optional(),
  TIMESTAMP_URL: z.url({ protocol: /^https?$/ }).optional(),
  FISCAL_FOLDER: z.string().min(1).optional(),
  FISCAL_IMAP_URL: mailbox.optional(),
  FISCAL_MAIL_ADDRESS: z.email().optional(),
  TAX_AUTHORITY: z.enum(['off', 'production', 'test']).default('off'),
  TAX_AUTHORITY_URL: z.url({ protocol: /^https$/ }).optional(),
  TAX_AUTHORITY_ROOTS: z.string().min(1).optional(),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: issuer.default('https://api.stripe.com'),
  PAYMENT_SANDBOX: flag.default(false),
  METRICS_PORT: port
    .refine((value) => value > 0, 'must be a number from 1 to 65535; leave it out to disable metrics')
    .optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  MONITORING_SAMPLE_RATE: between(0, 100).default(100),
  LIVE_STREAMS: between(0, 3000).default(1000),
  SERVICE_WORKER: flag.default(true),
  PUSH_SERVICES: list
    .pipe(z.array(pushService))
    .default([
      'fcm.googleapis.com',
      '*.push.services.mozilla.com',
      '*.notify.windows.com',
      '*.push.apple.com',
    ]),
  MOVE_TO: z.string().min(1).optional(),
  MOVE_BLOBS: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
});

/**
 * Settings that contain a password or a secret. Each can be given as `NAME_FILE` instead: the path of a file
 * with the value, such as a secret of Docker or a credential of systemd, which no list of processes shows.
 */
export const SECRETS = [
  'DATABASE_URL',
  'BLOB_URL',
  'SMTP_URL',
  'BOUNCE_IMAP_URL',
  'FISCAL_IMAP_URL',
  'OIDC_CLIENT_SECRET',
  'TIMESTAMP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'MOVE_TO',
  'MOVE_BLOBS',
] as const satisfies (keyof typeof environment.shape)[];

/** When the operator's chat is answered: days from 1 for Monday, and times of the day in a time zone. */
interface ChatHours {
  days: number[];
  from: string;
  to: string;
  timeZone: string;
}

export interface Config {
  port: number;
  host: string;
  /** The public origin: the start of every link, mail and redirect. */
  origin: string;
  originIsOurs: boolean;
  /** For which hosts browsers remember to use HTTPS only. */
  hsts: 'host' | 'subdomains' | 'preload';
  base: string;
  dataDir: string;
  keyFile: string;
  /**
   * The file of the audit anchors, outside the database; `auditAnchorsAreOurs` when the location is the
   * default.
   */
  auditAnchors: string;
  auditAnchorsAreOurs: boolean;
  databaseUrl: string | undefined;
  /** `s3://…`, or `s3+http://…` without TLS; undefined stores files in the data folder. */
  blobUrl: string | undefined;
  smtpUrl: string | undefined;
  /** Whether a remote mail server must support TLS (STARTTLS with `smtp://`). */
  smtpTls: 'required' | 'optional';
  mailFrom: string;
  /** The mailbox of bounces, to which each mail adds its id; without one they go to the sender. */
  mailReturnPath: string | undefined;
  /** The mailbox in which bounces arrive, with its user and password. */
  bounceImapUrl: string | undefined;
  oidc: ExternalIssuer | undefined;
  trustedProxies: string[];
  /** Origins of mobile app shells that may frame pages and exchange messages with them. */
  mobileOrigins: string[];
  /** Hosts that a firm may redirect people to after sign-out. */
  logoutHosts: string[];
  /** The privacy statement; `{language}` in it becomes es-ar, pt-br, nl-nl, fr-ca or en. */
  privacyUrl: string | undefined;
  /** The operator's support by country (`br`), for all others `*`. */
  supportEmails: ReadonlyMap<string, string>;
  /** The operator's live chat; `{language}` and `{code}` in it are those of the reader and of their report. */
  chatUrl: string | undefined;
  chatHours: ChatHours;
  /** Contacts for security reports, as URIs of RFC 9116: mailto:, https: or tel:. */
  securityContacts: string[];
  demo: boolean | undefined;
  /** The mobile apps that may open deep links of the portal. */
  appleAppIds: string[];
  androidApps: AndroidApp[];
  /** Idle timeout and maximum duration of sessions. */
  sessionIdleMinutes: number;
  sessionHours: number;
  /** How long requests are still taken after SIGTERM, while /readyz says no. */
  drainSeconds: number;
  /** How long a deleted document can be restored before it is purged. */
  trashDays: number;
  /** Storage quota per firm in bytes, trash included. */
  firmQuota: number;
  /** Address of ClamAV's clamd, `host:port` or `unix:/path`; nothing is scanned without it. */
  clamd: string | undefined;
  /** Address of the RFC 3161 timestamp authority for sealed documents, maybe with its user and password. */
  timestampUrl: string | undefined;
  /** The watched folder of fiscal documents, with a folder for each client. */
  fiscalFolder: string | undefined;
  /** The mailbox of fiscal documents with its user and password, and its address, to which a token of each client is added. */
  fiscalMailbox: { url: string; address: string } | undefined;
  /**
   * The tax authority of Brazil; undefined if people tell it by hand. `url` is another one that speaks the same, without a
   * final slash; `roots` are certificates (PEM) besides those of the system; a request takes up to `timeout` ms.
   */
  taxAuthority:
    | {
        environment: 'production' | 'test';
        url: string | undefined;
        roots: string | undefined;
        timeout: number;
      }
    | undefined;
  /** The account at Stripe of an installation with one firm; undefined unless both secrets are set. */
  stripe: { api: string; secretKey: string; webhookSecret: string } | undefined;
  /** The address of Stripe's API, without a final slash. */
  stripeApi: string;
  /** Whether firms may use the payment sandbox, where nobody pays real money, outside a demo. */
  paymentSandbox: boolean;
  /** Port of the Prometheus metrics; disabled when undefined. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** The share of page views whose load time is measured where there are metrics, in percent. */
  monitoringSampleRate: number;
  /** How many pages a node tells at once when their counts change; the others ask each minute. */
  liveStreams: number;
  /** Whether browsers get the service worker; if not, they remove the one that they have, and what it keeps. */
  serviceWorker: boolean;
  /** The hosts of push services to which the portal sends: names, `*.` for all below one, or origins on this machine. */
  pushServices: string[];
  /** Targets of `npm run move`: database and blob store. */
  moveTo: string | undefined;
  moveBlobs: string | undefined;
  logLevel: string;
}

/** An external OpenID Connect issuer, used instead of the embedded one. */
export interface ExternalIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Whether the first sign-in links to the one user with the same verified e-mail address. */
  linkByEmail: boolean;
  /** Values of `acr` that prove a second factor, besides `mfa` in `amr`. */
  mfaAcr: string[];
  /** Whether sign-out also ends the session at the issuer. */
  logout: 'issuer' | 'local';
  /** Logout URL of an issuer whose metadata has none; called with client_id and returnTo. */
  logoutUrl: string | undefined;
}

/** The host to open in a local browser, by the listening address. */
const BROWSER_HOST: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
};

/** A host as written in a URL. */
const urlHost = (host: string): string => BROWSER_HOST[host] ?? (host.includes(':') ? `[${host}]` : host);

/**
 * Reports environment variables that look like misspelled settings, which would otherwise be ignored
 * silently: a sentence each.
 */
export function misspelledVariables(env: NodeJS.ProcessEnv): string[] {
  const settings = Object.keys(environment.shape);
  const known = [...settings, ...SECRETS.map(fileVariable)];
  return Object.keys(env)
    .filter((name) => name.length >= 6 && !known.includes(name))
    .flatMap((name) => {
      const reason = settings.some((setting) => name === fileVariable(setting))
        ? ': only passwords and secrets are read from files.'
        : suggestionFor(name, settings);
      return reason === undefined ? [] : [`${name} is not a setting of the portal and is ignored${reason}`];
    });
}

/** The setting that was probably meant; of a variable that ends with `_FILE` the rest is compared, too. */
function suggestionFor(name: string, settings: readonly string[]): string | undefined {
  const [, secret] = /^(.{6,})_FILE$/.exec(name) ?? [];
  const secretMeant = secret === undefined ? undefined : nearest(secret, SECRETS);
  const meant = nearest(name, settings) ?? (secretMeant && fileVariable(secretMeant));
  return meant === undefined ? undefined : `. Did you mean ${meant}?`;
}

/** The word that differs least, if it is alike enough to be a misspelling. */
function nearest(name: string, words: readonly string[]): string | undefined {
  const alike = words
    .filter((word) => isComparable(name, word))
    .map((word) => ({ word, apart: distance(name, word) }))
    .filter(({ word, apart }) => apart <= limitFor(name, word))
    .toSorted((one, other) => one.apart - other.apart);
  return alike[0]?.word;
}

const limitFor = (name: string, word: string): number => Math.max(name.length, word.length) / 3;

/** The distance is never less than the difference of the lengths, which costs nothing at every start. */
const isComparable = (name: string, word: string): boolean =>
  word.length >= 6 && Math.abs(name.length - word.length) <= limitFor(name, word);

/**
 * Reads the configuration from the environment. Throws a ConfigurationError with one sentence per invalid
 * value.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const files = secretFiles(env);
  const secrets = files.map((file) => readSecret(file, env));
  const raw = {
    ...Object.fromEntries(Object.keys(environment.shape).map((name) => [name, valueOf(env, name)])),
    ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
  };
  const parsed = environment.safeParse(raw);
  const problems = [
    ...secrets.flatMap(({ problem }) => problem ?? []),
    ...(parsed.error?.issues ?? []).map(({ path: [name], message }) => {
      const file = files.find((each) => each.name === name);
      return file
        ? `${file.name} in the file ${file.path} cannot be used: ${message}.`
        : sentenceFor(String(name), raw[String(name)], message);
    }),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems.join('\n'));
  const value = parsed.data;
  if (value.DEMO === true && !isLoopback(value.HOST) && !value.DEMO_BEYOND_LOOPBACK) {
    throw new ConfigurationError(
      `DEMO="1" cannot be used with HOST="${value.HOST}": a demo displays its passwords, so it listens on this machine only. Set DEMO_BEYOND_LOOPBACK=1 to allow it anyway.`,
    );
  }
  const dataDir = path.resolve(value.DATA_DIR);
  return {
    port: value.PORT,
    host: value.HOST,
    origin: value.PUBLIC_ORIGIN ?? `http://${urlHost(value.HOST)}:${value.PORT}`,
    originIsOurs: value.PUBLIC_ORIGIN === undefined,
    hsts: value.HSTS,
    base: value.BASE,
    dataDir,
    keyFile: path.resolve(value.KEY_FILE ?? `${dataDir}.key`),
    auditAnchors: path.resolve(value.AUDIT_ANCHORS ?? `${dataDir}.anchors.log`),
    auditAnchorsAreOurs: value.AUDIT_ANCHORS === undefined,
    databaseUrl: value.DATABASE_URL,
    blobUrl: value.BLOB_URL,
    smtpUrl: value.SMTP_URL,
    smtpTls: value.SMTP_TLS,
    mailFrom: value.MAIL_FROM,
    mailReturnPath: value.MAIL_RETURN_PATH,
    bounceImapUrl: value.BOUNCE_IMAP_URL,
    oidc: externalIssuer(value),
    trustedProxies: value.TRUSTED_PROXIES,
    mobileOrigins: value.MOBILE_ORIGINS,
    logoutHosts: value.LOGOUT_HOSTS.map((host) => host.toLowerCase()),
    privacyUrl: value.PRIVACY_URL,
    supportEmails: new Map(value.SUPPORT_EMAILS.map((entry) => entry.split('=') as [string, string])),
    chatUrl: value.CHAT_URL,
    chatHours: chatHoursOf(value.CHAT_HOURS),
    securityContacts: value.SECURITY_CONTACT,
    demo: value.DEMO ?? (isLoopback(value.HOST) && value.PUBLIC_ORIGIN === undefined ? undefined : false),
    appleAppIds: value.APPLE_APP_IDS,
    androidApps: value.ANDROID_APPS.map((app) => ({
      package: app.split('=')[0] ?? '',
      fingerprint: app.split('=')[1] ?? '',
    })),
    sessionIdleMinutes: value.SESSION_IDLE_MINUTES,
    sessionHours: value.SESSION_HOURS,
    drainSeconds: value.DRAIN_SECONDS,
    trashDays: value.TRASH_DAYS,
    firmQuota: value.FIRM_QUOTA_GB * 1_000_000_000,
    clamd: value.CLAMD,
    timestampUrl: value.TIMESTAMP_URL,
    fiscalFolder: value.FISCAL_FOLDER === undefined ? undefined : path.resolve(value.FISCAL_FOLDER),
    fiscalMailbox: fiscalMailboxOf(value),
    taxAuthority: taxAuthorityOf(value),
    stripe: stripeAccount(value),
    stripeApi: stripeApi(value),
    paymentSandbox: value.PAYMENT_SANDBOX,
    metricsPort: value.METRICS_PORT,
    metricsHost: value.METRICS_HOST,
    monitoringSampleRate: value.MONITORING_SAMPLE_RATE,
    liveStreams: value.LIVE_STREAMS,
    serviceWorker: value.SERVICE_WORKER,
    pushServices: value.PUSH_SERVICES.filter((host) => host !== 'none'),
    moveTo: value.MOVE_TO,
    moveBlobs: value.MOVE_BLOBS,
    logLevel: value.LOG_LEVEL,
  };
}

function externalIssuer(value: z.infer<typeof environment>): ExternalIssuer | undefined {
  if (value.OIDC_ISSUER === undefined) return undefined;
  return {
    issuer: value.OIDC_ISSUER,
    clientId: value.OIDC_CLIENT_ID,
    clientSecret: value.OIDC_CLIENT_SECRET,
    linkByEmail: value.OIDC_LINK_BY_EMAIL,
    mfaAcr: value.OIDC_MFA_ACR,
    logout: value.OIDC_LOGOUT,
    logoutUrl: value.OIDC_LOGOUT_URL,
  };
}

const stripeApi = (value: z.infer<typeof environment>): string => value.STRIPE_API_URL.replace(/\/$/, '');

/** The address of a mailbox is most often its user name. */
function fiscalMailboxOf(value: z.infer<typeof environment>): Config['fiscalMailbox'] {
  const url = value.FISCAL_IMAP_URL;
  if (url === undefined) return undefined;
  const address = value.FISCAL_MAIL_ADDRESS ?? decodeURIComponent(new URL(url).username);
  if (!z.email().safeParse(address).success)
    throw new ConfigurationError(
      'FISCAL_IMAP_URL has a user name that is no email address. Set FISCAL_MAIL_ADDRESS to the address of that mailbox.',
    );
  return { url, address: address.toLowerCase() };
}

const TAX_AUTHORITY_TIMEOUT = 30_000;

function taxAuthorityOf(value: z.infer<typeof environment>): Config['taxAuthority'] {
  if (value.TAX_AUTHORITY === 'off') return undefined;
  return {
    environment: value.TAX_AUTHORITY,
    url: value.TAX_AUTHORITY_URL?.replace(/\/$/, ''),
    roots: value.TAX_AUTHORITY_ROOTS === undefined ? undefined : rootsIn(value.TAX_AUTHORITY_ROOTS),
    timeout: TAX_AUTHORITY_TIMEOUT,
  };
}

function rootsIn(file: string): string {
  const problem = (what: string): ConfigurationError =>
    new ConfigurationError(`TAX_AUTHORITY_ROOTS="${file}" ${what}: name a file with certificates in PEM.`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw problem('cannot be read');
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw problem('has no certificate');
  return text;
}

function stripeAccount(value: z.infer<typeof environment>): Config['stripe'] {
  const [secretKey, webhookSecret] = [value.STRIPE_SECRET_KEY, value.STRIPE_WEBHOOK_SECRET];
  if ((secretKey === undefined) !== (webhookSecret === undefined))
    throw new ConfigurationError(
      'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET belong together: without the second one, no payment could be confirmed. Set both, or neither.',
    );
  return secretKey === undefined || webhookSecret === undefined
    ? undefined
    : { api: stripeApi(value), secretKey, webhookSecret };
}

/** The value of a variable; an empty one counts as unset. */
const valueOf = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name] || undefined;

const fileVariable = (name: string): string => `${name}_FILE`;

interface SecretFile {
  name: (typeof SECRETS)[number];
  path: string;
}

/** The secrets that are read from files, and from which. */
const secretFiles = (env: NodeJS.ProcessEnv): SecretFile[] =>
  SECRETS.flatMap((name) => {
    const file = valueOf(env, fileVariable(name));
    return file === undefined ? [] : [{ name, path: path.resolve(file) }];
  });

/** Reads a secret without the line break at its end, or says in a sentence why that is not possible. */
function readSecret(
  { name, path: file }: SecretFile,
  env: NodeJS.ProcessEnv,
): { name: string; value?: string; problem?: string } {
  const variable = fileVariable(name);
  if (valueOf(env, name) !== undefined)
    return { name, problem: `${name} and ${variable} are both set. Remove one of them.` };
  try {
    const value = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
    return value === ''
      ? { name, problem: `${variable}=${JSON.stringify(file)} cannot be used: the file is empty.` }
      : { name, value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return {
      name,
      problem: `${variable}=${JSON.stringify(file)} cannot be read (${code}). Check its path, and that the portal's user may read it.`,
    };
  }
}

/** Describes an invalid value, without the password in a URL, or in what should have been one. */
const sentenceFor = (name: string, value: string | undefined, message: string): string =>
  `${name}=${JSON.stringify(value?.replace(/:(?!\/\/|\s).*@/s, ':…@'))} cannot be used: ${message}.`;

export const config: Config = readConfig(process.env);

export const misspelledAtStartup: readonly string[] = misspelledVariables(process.env);
export const secretFilesAtStartup: readonly SecretFile[] = secretFiles(process.env);

/**
 * True when the portal's origin is this machine (spec 1, section 2: there the language switch only warns).
 */
export const onLocalHost = (): boolean => isLoopback(new URL(config.origin).hostname);

/** True when cookies must be `Secure`. */
export const isSecureOrigin = (): boolean => config.origin.startsWith('https:');
