import path from 'node:path';
import { z } from 'zod';
import type { AndroidApp } from './app-links.server.ts';
import { ConfigurationError } from './startup.server.ts';

const port = z.string().regex(/^\d{1,5}$/, 'must be a number from 0 to 65535').transform(Number).pipe(z.number().max(65535));
const flag = z.enum(['0', '1']).transform((value) => value === '1');
const origin = z.string().refine((value) => /^https?:/.test(value) && URL.parse(value)?.origin === value, 'must be scheme, host and port only, without a path or a final slash');
/** A whole number of these limits. */
const between = (least: number, most: number) => z.string().regex(/^\d{1,4}$/, `must be a whole number from ${least} to ${most}`).transform(Number).refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);
const list = z.string().transform((value) => value.split(',').map((part) => part.trim()).filter(Boolean));

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
const issuer = z.string().refine((value) => /^https:/.test(value) ? URL.canParse(value) : /^http:/.test(value) && isLoopback(URL.parse(value)?.hostname ?? ''), 'must be an https address; http is for an issuer on this machine only');

const environment = z.object({
  PORT: port.default(4321),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_ORIGIN: origin.optional(),
  BASE: z.string().regex(/^[a-z][a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes').default('clientcenter'),
  DATA_DIR: z.string().min(1).default('./data'),
  KEY_FILE: z.string().min(1).optional(),
  AUDIT_ANCHORS: z.string().min(1).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  BLOB_URL: z.url({ protocol: /^s3(\+http)?$/ }).refine((value) => /^s3(\+http)?:\/\/[^/@:]+:[^/@]+@[^/]+\/[^/?]+/.test(value), 'must look like s3://KEY:SECRET@host/bucket').optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.email().default('portal@localhost.localdomain'),
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
  DEMO: flag.optional(),
  DEMO_BEYOND_LOOPBACK: flag.default(false),
  APPLE_APP_IDS: list.pipe(z.array(z.string().regex(/^[A-Z0-9]{10}\.[A-Za-z0-9.-]+$/, 'must be like ABCDE12345.com.example.portal, separated by commas'))).default([]),
  ANDROID_APPS: list.pipe(z.array(z.string().regex(/^[a-zA-Z][\w.]*=(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/, 'must be like com.example.portal=AB:CD:… with the SHA-256 fingerprint, separated by commas'))).default([]),
  SESSION_IDLE_MINUTES: between(5, 60).default(30),
  SESSION_HOURS: between(1, 24).default(12),
  TRASH_DAYS: between(1, 3650).default(30),
  CLAMD: z.string().regex(/^(unix:\/.+|[^\s:[\]]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5})$/, 'must be like 127.0.0.1:3310 or unix:/run/clamav/clamd.ctl').optional(),
  METRICS_PORT: port.refine((value) => value > 0, 'must be a number from 1 to 65535; leave it out to have no figures').optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
});

export interface Config {
  port: number;
  host: string;
  /** What people type and what every link, mail and redirect starts with. */
  origin: string;
  originIsOurs: boolean;
  base: string;
  dataDir: string;
  keyFile: string;
  /** Where the heads of the audit trails are noted, outside the database. */
  auditAnchors: string;
  databaseUrl: string | undefined;
  /** `s3://…`, or `s3+http://…` without TLS; files in the data folder without it. */
  blobUrl: string | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  oidc: ExternalIssuer | undefined;
  trustedProxies: string[];
  /** Origins of mobile app shells that may hold pages in a frame and speak to them. */
  mobileOrigins: string[];
  /** Hosts that a firm may send people to when they have signed out. */
  logoutHosts: string[];
  /** The privacy statement; `{language}` in it becomes es-ar, pt-br, nl-nl, fr-ca or en. */
  privacyUrl: string | undefined;
  demo: boolean | undefined;
  /** The mobile apps that may open the portal's deep links. */
  appleAppIds: string[];
  androidApps: AndroidApp[];
  /** Sessions end so long after the last request, and so long after their start. */
  sessionIdleMinutes: number;
  sessionHours: number;
  /** So long after it was deleted a document can be restored; then it is removed for good. */
  trashDays: number;
  /** Where ClamAV's clamd listens, `host:port` or `unix:/path`; nothing is scanned without it. */
  clamd: string | undefined;
  /** Where the figures for Prometheus are answered; nowhere without a port. */
  metricsPort: number | undefined;
  metricsHost: string;
  logLevel: string;
}

/** The issuer that signs people in instead of the embedded one. */
export interface ExternalIssuer {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Whether somebody whose verified e-mail address exactly one user has becomes that user at the first sign-in. */
  linkByEmail: boolean;
  /** Values of `acr` that say a second factor was used, besides `mfa` in `amr`. */
  mfaAcr: string[];
  /** Whether signing out ends the sign-in at the issuer too. */
  logout: 'issuer' | 'local';
  /** The logout address of an issuer that describes none, called with client_id and returnTo. */
  logoutUrl: string | undefined;
}

/** A host as it stands in an address. */
const nameOf = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host);

/** The configuration of this process, from the environment only. Throws one sentence per wrong value, naming it and saying why. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.keys(environment.shape).map((name) => [name, env[name] === '' ? undefined : env[name]]));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => sentenceFor(String(issue.path[0]), given[String(issue.path[0])], issue.message));
    throw new ConfigurationError(sentences.join('\n'));
  }
  const value = parsed.data;
  if (value.DEMO === true && !isLoopback(value.HOST) && !value.DEMO_BEYOND_LOOPBACK) {
    throw new ConfigurationError(`DEMO="1" cannot be used with HOST="${value.HOST}": a demo shows its passwords and listens on this machine only. Set DEMO_BEYOND_LOOPBACK=1 to allow it all the same.`);
  }
  const dataDir = path.resolve(value.DATA_DIR);
  return {
    port: value.PORT,
    host: value.HOST,
    origin: value.PUBLIC_ORIGIN ?? `http://${nameOf(value.HOST)}:${value.PORT}`,
    originIsOurs: value.PUBLIC_ORIGIN === undefined,
    base: value.BASE,
    dataDir,
    keyFile: path.resolve(value.KEY_FILE ?? `${dataDir}.key`),
    auditAnchors: path.resolve(value.AUDIT_ANCHORS ?? path.join(dataDir, 'audit-anchors.log')),
    databaseUrl: value.DATABASE_URL,
    blobUrl: value.BLOB_URL,
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM,
    oidc: externalIssuer(value),
    trustedProxies: value.TRUSTED_PROXIES,
    mobileOrigins: value.MOBILE_ORIGINS,
    logoutHosts: value.LOGOUT_HOSTS.map((host) => host.toLowerCase()),
    privacyUrl: value.PRIVACY_URL,
    demo: value.DEMO ?? (isLoopback(value.HOST) && value.PUBLIC_ORIGIN === undefined ? undefined : false),
    appleAppIds: value.APPLE_APP_IDS,
    androidApps: value.ANDROID_APPS.map((app) => ({ package: app.split('=')[0] ?? '', fingerprint: app.split('=')[1] ?? '' })),
    sessionIdleMinutes: value.SESSION_IDLE_MINUTES,
    sessionHours: value.SESSION_HOURS,
    trashDays: value.TRASH_DAYS,
    clamd: value.CLAMD,
    metricsPort: value.METRICS_PORT,
    metricsHost: value.METRICS_HOST,
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

/** Says what is wrong with a value; a password in an address is not repeated. */
const sentenceFor = (name: string, value: string | undefined, message: string): string => `${name}=${JSON.stringify(value?.replace(/(:\/\/[^/@]*):[^@]*@/, '$1:…@'))} cannot be used: ${message}.`;

export const config: Config = readConfig(process.env);

/** True where the portal is opened on the machine it runs on (spec 1, section 2: there the language switch is only warned about). */
export const onLocalHost = (): boolean => isLoopback(new URL(config.origin).hostname);

/** True where cookies can and must be `Secure`. */
export const isSecureOrigin = (): boolean => config.origin.startsWith('https:');
