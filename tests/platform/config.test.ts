import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { misspelledVariables, readConfig, SECRETS } from '#platform/runtime/config.server.ts';

test('a portal without configuration listens on this machine only and stores everything in ./data', () => {
  expect(readConfig({})).toEqual({
    port: 4321,
    hsts: 'subdomains',
    host: '127.0.0.1',
    origin: 'http://127.0.0.1:4321',
    originIsOurs: true,
    base: 'clientcenter',
    dataDir: path.resolve('data'),
    keyFile: path.resolve('data.key'),
    auditAnchors: path.resolve('data.anchors.log'),
    auditAnchorsAreOurs: true,
    databaseUrl: undefined,
    smtpUrl: undefined,
    smtpTls: 'required',
    mailFrom: 'portal@localhost.localdomain',
    oidc: undefined,
    appleAppIds: [],
    androidApps: [],
    trustedProxies: [],
    stripeApi: 'https://api.stripe.com',
    paymentSandbox: false,
    mobileOrigins: [],
    logoutHosts: [],
    privacyUrl: undefined,
    supportEmails: new Map(),
    chatUrl: undefined,
    chatHours: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00', timeZone: 'America/New_York' },
    securityContacts: [],
    demo: undefined,
    sessionIdleMinutes: 30,
    sessionHours: 12,
    drainSeconds: 1,
    trashDays: 30,
    firmQuota: 500_000_000_000,
    clamd: undefined,
    timestampUrl: undefined,
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    monitoringSampleRate: 100,
    liveStreams: 1000,
    serviceWorker: true,
    pushServices: [
      'fcm.googleapis.com',
      '*.push.services.mozilla.com',
      '*.notify.windows.com',
      '*.push.apple.com',
    ],
    moveTo: undefined,
    moveBlobs: undefined,
    logLevel: 'info',
  });
});

test('an empty environment variable counts as unset', () => {
  const names = [
    'PORT',
    'HOST',
    'PUBLIC_ORIGIN',
    'BASE',
    'DATA_DIR',
    'KEY_FILE',
    'DATABASE_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'MOBILE_ORIGINS',
    'DEMO',
    'SESSION_IDLE_MINUTES',
    'SESSION_HOURS',
    'TRASH_DAYS',
    'FIRM_QUOTA_GB',
    'CLAMD',
    'TIMESTAMP_URL',
    'TAX_AUTHORITY',
    'TAX_AUTHORITY_URL',
    'TAX_AUTHORITY_ROOTS',
    'METRICS_PORT',
    'METRICS_HOST',
    'MONITORING_SAMPLE_RATE',
    'LIVE_STREAMS',
    'SERVICE_WORKER',
    'PUSH_SERVICES',
    'LOG_LEVEL',
    'LOGOUT_HOSTS',
    'PRIVACY_URL',
    'SUPPORT_EMAILS',
    'CHAT_URL',
    'CHAT_HOURS',
    'SECURITY_CONTACT',
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}));
});

test('configured values override the defaults', () => {
  const env = {
    PORT: '8080',
    HSTS: 'host',
    HOST: '0.0.0.0',
    PUBLIC_ORIGIN: 'https://portal.firm.example',
    BASE: 'my-portal-2',
    DATA_DIR: '/srv/portal',
    KEY_FILE: '/etc/portal/key',
    DATABASE_URL: 'postgres://portal@db/portal',
    SMTP_TLS: 'optional',
    MOVE_TO: 'postgres://new',
    MOVE_BLOBS: 's3://new',
    SMTP_URL: 'smtps://mail.firm.example:465',
    MAIL_FROM: 'portal@firm.example',
    OIDC_ISSUER: 'https://id.firm.example/realms/firm',
    AUDIT_ANCHORS: '/mnt/elsewhere/anchors.log',
    OIDC_CLIENT_ID: 'client',
    OIDC_LINK_BY_EMAIL: '1',
    OIDC_MFA_ACR: 'urn:firm:two, phr',
    OIDC_LOGOUT: 'local',
    OIDC_LOGOUT_URL: 'https://id.firm.example/v2/logout',
    OIDC_CLIENT_SECRET: 'secret',
    TRUSTED_PROXIES: ' 10.0.0.0/8, ,::1 ',
    MOBILE_ORIGINS: 'https://app.firm.example, https://localhost',
    LOGOUT_HOSTS: 'www.firm.example, Other.Example:8443',
    PRIVACY_URL: 'https://www.firm.example/{language}/privacy',
    SUPPORT_EMAILS: 'br=ajuda@portal.example, *=help@portal.example',
    CHAT_URL: 'https://chat.firm.example/{language}?code={code}',
    CHAT_HOURS: 'Sat-Mon 08:30-20:00 America/Sao_Paulo',
    SECURITY_CONTACT: 'mailto:security@firm.example',
    SESSION_IDLE_MINUTES: '10',
    SESSION_HOURS: '8',
    DRAIN_SECONDS: '3',
    TRASH_DAYS: '90',
    FIRM_QUOTA_GB: '20',
    CLAMD: '127.0.0.1:3310',
    TIMESTAMP_URL: 'https://timestamp.example/rfc3161',
    TAX_AUTHORITY: 'test',
    TAX_AUTHORITY_URL: 'https://authority.example/',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.5',
    MONITORING_SAMPLE_RATE: '20',
    LIVE_STREAMS: '200',
    SERVICE_WORKER: '0',
    PUSH_SERVICES: 'push.example, *.push.example',
    LOG_LEVEL: 'warn',
  };
  expect(readConfig(env)).toEqual({
    port: 8080,
    hsts: 'host',
    host: '0.0.0.0',
    origin: 'https://portal.firm.example',
    originIsOurs: false,
    base: 'my-portal-2',
    dataDir: '/srv/portal',
    keyFile: '/etc/portal/key',
    auditAnchors: '/mnt/elsewhere/anchors.log',
    auditAnchorsAreOurs: false,
    databaseUrl: 'postgres://portal@db/portal',
    smtpUrl: 'smtps://mail.firm.example:465',
    smtpTls: 'optional',
    moveTo: 'postgres://new',
    moveBlobs: 's3://new',
    mailFrom: 'portal@firm.example',
    oidc: {
      issuer: 'https://id.firm.example/realms/firm',
      clientId: 'client',
      clientSecret: 'secret',
      linkByEmail: true,
      mfaAcr: ['urn:firm:two', 'phr'],
      logout: 'local',
      logoutUrl: 'https://id.firm.example/v2/logout',
    },
    appleAppIds: [],
    androidApps: [],
    trustedProxies: ['10.0.0.0/8', '::1'],
    mobileOrigins: ['https://app.firm.example', 'https://localhost'],
    logoutHosts: ['www.firm.example', 'other.example:8443'],
    privacyUrl: 'https://www.firm.example/{language}/privacy',
    supportEmails: new Map([
      ['br', 'ajuda@portal.example'],
      ['*', 'help@portal.example'],
    ]),
    chatUrl: 'https://chat.firm.example/{language}?code={code}',
    chatHours: { days: [1, 6, 7], from: '08:30', to: '20:00', timeZone: 'America/Sao_Paulo' },
    securityContacts: ['mailto:security@firm.example'],
    demo: false,
    sessionIdleMinutes: 10,
    sessionHours: 8,
    drainSeconds: 3,
    trashDays: 90,
    firmQuota: 20_000_000_000,
    clamd: '127.0.0.1:3310',
    timestampUrl: 'https://timestamp.example/rfc3161',
    taxAuthority: {
      environment: 'test',
      url: 'https://authority.example',
      roots: undefined,
      timeout: 30_000,
    },
    stripeApi: 'https://api.stripe.com',
    paymentSandbox: false,
    metricsPort: 9464,
    metricsHost: '10.0.0.5',
    monitoringSampleRate: 20,
    liveStreams: 200,
    serviceWorker: false,
    pushServices: ['push.example', '*.push.example'],
    logLevel: 'warn',
  });
});

test('push notifications can be turned off', () => {
  expect(readConfig({ PUSH_SERVICES: 'none' }).pushServices).toEqual([]);
});

test('the key file is next to the data folder, never in it', () => {
  const { dataDir, keyFile } = readConfig({ DATA_DIR: '/srv/portal/data' });
  expect(path.relative(dataDir, keyFile)).toMatch(/^\.\./);
});

test.each([
  ['PORT', 'abc'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', ' '],
  ['PRIVACY_URL', 'http://www.firm.example/privacy'],
  ['SUPPORT_EMAILS', 'help@portal.example'],
  ['SUPPORT_EMAILS', 'brazil=help@portal.example'],
  ['CHAT_URL', 'http://chat.firm.example'],
  ['CHAT_HOURS', '9-5'],
  ['PUSH_SERVICES', 'https://push.example'],
  ['PUSH_SERVICES', 'http://push.example:8080'],
  ['PUSH_SERVICES', '*'],
  ['PUSH_SERVICES', 'push.*'],
  ['SERVICE_WORKER', 'off'],
  ['CHAT_HOURS', 'Mon-Fri 09:00-25:00 UTC'],
  ['CHAT_HOURS', 'Mon-Fri 09:00-17:00 Nowhere/Town'],
  ['PUBLIC_ORIGIN', 'portal.firm.example'],
  ['PUBLIC_ORIGIN', 'https://portal.firm.example/'],
  ['PUBLIC_ORIGIN', 'https://portal.firm.example/clientcenter'],
  ['PUBLIC_ORIGIN', 'https://portal.firm.example?a=b'],
  ['PUBLIC_ORIGIN', 'https://user@portal.firm.example'],
  ['PUBLIC_ORIGIN', 'ftp://portal.firm.example'],
  ['PUBLIC_ORIGIN', 'javascript:alert(1)'],
  ['BASE', 'ClientCenter'],
  ['BASE', 'c'],
  ['BASE', 'client/center'],
  ['BASE', '2portal'],
  ['BASE', '../..'],
  ['BASE', 'a'.repeat(42)],
  ['DATABASE_URL', 'mysql://db/portal'],
  ['DATABASE_URL', 'portal'],
  ['SMTP_URL', 'mail.firm.example'],
  ['SMTP_URL', 'https://mail.firm.example'],
  ['MAIL_FROM', 'The Firm'],
  ['MAIL_FROM', 'portal@firm.example\r\nBcc: a@b.example'],
  ['OIDC_ISSUER', 'id.firm.example'],
  ['MOBILE_ORIGINS', 'https://app.firm.example/shell'],
  ['MOBILE_ORIGINS', '*'],
  ['OIDC_ISSUER', 'http://id.firm.example'],
  ['OIDC_LOGOUT', 'both'],
  ['OIDC_LOGOUT_URL', 'id.firm.example/v2/logout'],
  ['OIDC_LOGOUT_URL', 'http://id.firm.example/v2/logout'],
  ['DEMO', '2'],
  ['DEMO', 'true'],
  ['DEMO_BEYOND_LOOPBACK', 'yes'],
  ['SESSION_IDLE_MINUTES', '4'],
  ['SESSION_IDLE_MINUTES', '61'],
  ['SESSION_HOURS', '25'],
  ['SESSION_HOURS', 'long'],
  ['CLAMD', 'localhost'],
  ['CLAMD', 'unix:clamd'],
  ['FIRM_QUOTA_GB', '0'],
  ['TRASH_DAYS', '0'],
  ['TRASH_DAYS', '3651'],
  ['METRICS_PORT', '0'],
  ['METRICS_PORT', '70000'],
  ['LOG_LEVEL', 'loud'],
])('%s=%j is refused with an error that names the variable and the reason', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(
    new RegExp(
      `^${name}=${JSON.stringify(value).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')} cannot be used: \\S.{8,}\\.$`,
    ),
  );
});

test.each(['DATABASE_URL', 'SMTP_URL'])(
  'the password in a wrong %s is not shown on the terminal or in its log',
  (name) => {
    expect(() => readConfig({ [name]: 'http://portal:swordfish@host.example' })).toThrow(name);
    expect(() => readConfig({ [name]: 'http://portal:swordfish@host.example' })).not.toThrow('swordfish');
  },
);

test.each([
  ['BLOB_URL', 's3:/KEY:swordfish@host/bucket'],
  ['DATABASE_URL', 'portal:sword@fish@host'],
])('the password in a %s that is hardly a URL is not shown either', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(name);
  expect(() => readConfig({ [name]: value })).not.toThrow(/sword|fish/);
});

describe('secrets in files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
  const fileOf = (content: string): string => {
    const file = path.join(mkdtempSync(path.join(folder, 'each-')), 'secret');
    writeFileSync(file, content);
    return file;
  };
  const VALUES: Record<(typeof SECRETS)[number], string> = {
    DATABASE_URL: 'postgres://portal:swordfish@db/portal',
    BLOB_URL: 's3://KEY:swordfish@host/bucket',
    SMTP_URL: 'smtp://portal:swordfish@mail.firm.example:587',
    BOUNCE_IMAP_URL: 'imaps://bounces:swordfish@mail.firm.example',
    FISCAL_IMAP_URL: 'imaps://xml%40firm.example:swordfish@mail.firm.example',
    OIDC_CLIENT_SECRET: 'swordfish',
    TIMESTAMP_URL: 'https://portal:swordfish@timestamp.example/',
    STRIPE_SECRET_KEY: 'sk_live_swordfish',
    STRIPE_WEBHOOK_SECRET: 'whsec_swordfish',
    MOVE_TO: 'postgres://portal:swordfish@new/portal',
    MOVE_BLOBS: 's3://KEY:swordfish@new/bucket',
  };
  // what a secret needs beside it
  const BESIDE = {
    OIDC_ISSUER: 'https://id.firm.example',
    STRIPE_SECRET_KEY: 'sk_live',
    STRIPE_WEBHOOK_SECRET: 'whsec',
  };

  test.each(SECRETS)('%s can be the path of a file, whose final line break does not count', (name) => {
    const { [name as keyof typeof BESIDE]: _, ...beside } = BESIDE;
    const direct = readConfig({ ...beside, [name]: VALUES[name] });
    expect(JSON.stringify(direct)).toContain(VALUES[name]);
    for (const end of ['', '\n', '\r\n'])
      expect(readConfig({ ...beside, [`${name}_FILE`]: fileOf(VALUES[name] + end) })).toEqual(direct);
  });

  test('a secret given twice stops the start', () => {
    const env = { SMTP_URL: VALUES.SMTP_URL, SMTP_URL_FILE: fileOf(VALUES.SMTP_URL) };
    expect(() => readConfig(env)).toThrow(/^SMTP_URL and SMTP_URL_FILE are both set\. Remove one of them\.$/);
    expect(readConfig({ ...env, SMTP_URL: '' }).smtpUrl).toBe(VALUES.SMTP_URL);
    expect(readConfig({ ...env, SMTP_URL_FILE: '' }).smtpUrl).toBe(VALUES.SMTP_URL);
  });

  test('a file that is missing, empty or no file stops the start, with all other mistakes', () => {
    const missing = path.join(folder, 'nothing');
    const empty = fileOf('\n');
    expect(() =>
      readConfig({
        SMTP_URL_FILE: missing,
        DATABASE_URL_FILE: empty,
        BLOB_URL_FILE: folder,
        PORT: 'abc',
      }),
    ).toThrow(
      [
        `DATABASE_URL_FILE="${empty}" cannot be used: the file is empty.`,
        `BLOB_URL_FILE="${folder}" cannot be read (EISDIR). Check its path, and that the portal's user may read it.`,
        `SMTP_URL_FILE="${missing}" cannot be read (ENOENT). Check its path, and that the portal's user may read it.`,
        'PORT="abc" cannot be used: must be a number from 0 to 65535.',
      ].join('\n'),
    );
  });

  test('an invalid secret from a file is reported by its file, never by its content', () => {
    const file = fileOf('swordfish');
    const read = () => readConfig({ SMTP_URL_FILE: file });
    expect(read).toThrow(`SMTP_URL in the file ${file} cannot be used: `);
    expect(read).not.toThrow('swordfish');
  });

  test('variables with files are known, and misspelled or needless ones reported', () => {
    expect(misspelledVariables({ SMTP_URL_FILE: '/run/secrets/smtp', KEY_FILE: '/etc/key' })).toEqual([]);
    expect(misspelledVariables({ SMPT_URL_FILE: '/run/secrets/smtp' })).toEqual([
      'SMPT_URL_FILE is not a setting of the portal and is ignored. Did you mean SMTP_URL_FILE?',
    ]);
    expect(misspelledVariables({ MAIL_FROM_FILE: '/run/secrets/from' })).toEqual([
      'MAIL_FROM_FILE is not a setting of the portal and is ignored: only passwords and secrets are read from files.',
    ]);
  });
});

test('all configuration errors are reported at once, a sentence each', () => {
  expect(() => readConfig({ PORT: 'abc', BASE: 'X', DEMO: '2' })).toThrow(
    /^PORT="abc".+\.\nBASE="X".+\.\nDEMO="2".+\.$/,
  );
});

test('a demo is refused where others can reach it unless explicitly allowed', () => {
  expect(() => readConfig({ DEMO: '1', HOST: '0.0.0.0' })).toThrow(
    /^DEMO="1" cannot be used with HOST="0\.0\.0\.0": .+ Set DEMO_BEYOND_LOOPBACK=1 /,
  );
  expect(() => readConfig({ DEMO: '1', HOST: '192.168.1.5' })).toThrow(
    'DEMO="1" cannot be used with HOST="192.168.1.5"',
  );
  expect(readConfig({ DEMO: '1', HOST: '0.0.0.0', DEMO_BEYOND_LOOPBACK: '1' }).demo).toBe(true);
});

test.each([
  ['nobody says so', {}, undefined],
  ['the owner asks for one', { DEMO: '1' }, true],
  ['the owner asks for none', { DEMO: '0' }, false],
  ['the portal listens to the network', { HOST: '0.0.0.0' }, false],
  ['the portal listens to one network address', { HOST: '10.1.2.3' }, false],
  ['the portal has a public address', { PUBLIC_ORIGIN: 'https://portal.firm.example' }, false],
  ['the portal listens to localhost', { HOST: 'localhost' }, undefined],
  ['the portal listens to ::1', { HOST: '::1' }, undefined],
])('whether a demo may start automatically when %s', (_, env: Record<string, string>, demo) => {
  expect(readConfig(env).demo).toBe(demo);
});

test.each(['127.0.0.1', 'localhost', '0.0.0.0', '192.168.1.5', '::1', '::', 'fd00::5'])(
  'a portal with HOST=%s announces an address that a browser can open',
  (host) => {
    const { origin } = readConfig({ HOST: host, PORT: '4321' });
    expect(URL.parse(origin)?.origin).toBe(origin);
  },
);

test.each(['::1', '127.0.0.2'])('a portal that listens only on %s announces that address', (host) => {
  expect(readConfig({ HOST: host, PORT: '4321' }).origin).toBe(
    host === '::1' ? 'http://[::1]:4321' : `http://${host}:4321`,
  );
});

test.each([
  ['TRUST_PROXY', 'TRUSTED_PROXIES'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['SMTP_URI', 'SMTP_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['PUBLIC_ORIGINS', 'PUBLIC_ORIGIN'],
])('an unknown variable %s is reported with the suggestion %s', (set, meant) => {
  expect(misspelledVariables({ [set]: 'x' })).toEqual([
    `${set} is not a setting of the portal and is ignored. Did you mean ${meant}?`,
  ]);
});

test('common environment variables are not reported as misspelled', () => {
  const usual = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'LOGNAME',
    'SESSION_MANAGER',
    'XDG_DATA_DIRS',
    'NODE_ENV',
    'NODE_OPTIONS',
    'INVOCATION_ID',
    'JOURNAL_STREAM',
    'REDIS_URL',
    'SSH_AUTH_SOCK',
    'PORTAL_USER',
  ];
  expect(misspelledVariables(Object.fromEntries(usual.map((name) => [name, 'x'])))).toEqual([]);
  expect(
    misspelledVariables({ DATA_DIR: '/srv', TRUSTED_PROXIES: '10.0.0.1', MOVE_TO: 'postgres://db' }),
  ).toEqual([]);
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:4321'],
  ['::', 'http://[::1]:4321'],
])('a portal that listens on all addresses (%s) announces one that works', (HOST, origin) => {
  expect(readConfig({ HOST }).origin).toBe(origin);
});
