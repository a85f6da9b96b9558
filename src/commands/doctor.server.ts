import '#platform/runtime/startup.server.ts';
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { readArguments } from '#platform/runtime/arguments.server.ts';
import { demoFault } from '#features/demo/demo/demo.server.ts';
import { fixityOfInstallation } from '#features/brazil/fiscal-documents/fixity.server.ts';
import { inspectFolder } from '#features/brazil/fiscal-intake/watched-folder.server.ts';
import { countUnscanned } from '#features/documents/antivirus/antivirus.server.ts';
import { countFirms } from '#features/base/firms/lookup.server.ts';
import { anchorsFile } from '#platform/security/audit-anchors.server.ts';
import { isSignInRefused, verifyMailbox } from '#platform/mail/imap.server.ts';
import { pingTimestampAuthority } from '#features/documents/seals/sealing.server.ts';
import { isScanningEnabled, pingScanner } from '#platform/storage/clamd.server.ts';
import { DAY, HOUR, MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import {
  config,
  isSecureOrigin,
  misspelledAtStartup,
  secretFilesAtStartup,
} from '#platform/runtime/config.server.ts';
import { connectionProblem, isUntrusted } from '#platform/http/connection-problems.server.ts';
import { keyIds } from '#platform/security/crypto.server.ts';
import {
  closeDatabase,
  databaseClock,
  db,
  ping,
  schemaState,
  serverLimits,
} from '#platform/database/database.server.ts';
import { jobBacklog, failedJobsSince } from '#platform/jobs/jobs.server.ts';
import { assertStoreWorks } from '#platform/runtime/readiness.server.ts';
import { verifyMailServer } from '#platform/mail/mail.server.ts';
import {
  assertKeyMatches,
  assertKeyFileExists,
  assertRestored,
  foreignProxyAt,
} from '#platform/runtime/settings.server.ts';
import { databaseFile } from '#platform/database/sqlite.server.ts';
import { verify } from '#platform/database/verification.server.ts';
import { VERSION } from '#platform/runtime/version.server.ts';
import '../app.server.ts';

const USAGE = `npm run doctor             says what is wrong with this installation, and what to do
npm run doctor -- --deep   also reads every file`;

/*
 * It changes nothing (in the file store it writes and removes one small object), and works whether or not the portal is running.
 */
const { values } = readArguments(USAGE, { deep: { type: 'boolean' } });

type Level = 'good' | 'warn' | 'WRONG';
let problems = 0;
const WEEK = 7 * DAY;
const LARGEST_PART = 9_000_000;
const MAX_NAMED = 5;

function report(word: Level, what: string, sentence: string): void {
  if (word === 'WRONG') problems += 1;
  process.stdout.write(`${word.padEnd(6)} ${what.padEnd(9)} ${sentence}\n`);
}

/** Why another program could not be reached, or the first line of an error. */
const reason = (error: unknown): string =>
  connectionProblem(error) ??
  (
    (error instanceof Error && (error.message || ('code' in error && String(error.code)))) ||
    String(error)
  ).split('\n', 1)[0] ??
  '';

/** Runs one check; reports an error in it as WRONG. */
async function check(what: string, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    report('WRONG', what, reason(error));
  }
}

/** Returns true when the database responds; without it there is little else to check. */
async function isDatabaseUp(): Promise<boolean> {
  return ping().then(
    () => true,
    (error: unknown) => {
      report(
        'WRONG',
        'database',
        `The database does not answer. Check that PostgreSQL runs, that it lets this machine in, and DATABASE_URL. (${reason(error)})`,
      );
      return false;
    },
  );
}

report('good', 'version', `This is version ${VERSION}.`);
const isNew = config.databaseUrl === undefined && !existsSync(databaseFile(config.dataDir));
if (isNew) {
  report(
    'warn',
    'data',
    `There is no portal in ${config.dataDir} yet. npm start makes one; or set DATA_DIR to where it is.`,
  );
} else if (await isDatabaseUp()) {
  await check('database', database);
  await check('server', databaseServer);
  await check('store', fileStore);
  await check('demo', demo);
  await check('key', key);
  await check('anchors', anchors);
  await check('disk', disk);
  if (await isUpToDate()) {
    await check('files', files);
    await check('clock', clock);
    await check('mail', mail);
    await check('bounces', bounces);
    await check('fiscal', fiscalFiles);
    await check('folder', fiscalFolder);
    await check('mailbox', fiscalMailbox);
    await check('scanner', scanner);
    await check('payments', payments);
    await check('time', timestamps);
    await check('proxy', untrustedProxies);
  }
}
await check('address', address);
await check('proxy', proxy);
for (const { name, path: file } of secretFilesAtStartup)
  report('good', 'variable', `${name} is read from the file ${file}.`);
for (const sentence of misspelledAtStartup) report('warn', 'variable', sentence);
process.stdout.write(
  problems === 0
    ? 'Nothing is wrong.\n'
    : `${problems} ${problems === 1 ? 'thing is' : 'things are'} wrong.\n`,
);
await closeDatabase();
process.exitCode = problems === 0 ? 0 : 1;

async function database(): Promise<void> {
  const { missing, unknown } = await schemaState();
  if (unknown.length > 0)
    return report(
      'WRONG',
      'schema',
      `The database was used by a newer version (${unknown.join(', ')}). Start that version, or restore a backup from before the upgrade.`,
    );
  if (missing.length > 0)
    return report(
      'warn',
      'schema',
      `The next start brings the schema up to date (${missing.join(', ')}). Make a backup before.`,
    );
  await assertRestored();
  const firms = await countFirms();
  const practice = firms.practice === 0 ? '' : `, and ${firms.practice} for practice`;
  report(
    'good',
    'database',
    `${config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'} answers; ${firms.real} ${firms.real === 1 ? 'firm' : 'firms'}${practice}; the schema is up to date.`,
  );
}

const MIN_PREDICATE_LOCKS = 256;

/** Reports what of the PostgreSQL server makes writes fail when there are many (docs/decisions/0083). */
async function databaseServer(): Promise<void> {
  const limits = await serverLimits();
  if (!limits) return;
  if (limits.predicateLocks < MIN_PREDICATE_LOCKS)
    report(
      'warn',
      'server',
      `max_pred_locks_per_transaction is ${limits.predicateLocks}: with many writes the server runs out of locks and refuses them. Set it to ${MIN_PREDICATE_LOCKS} in postgresql.conf and restart PostgreSQL.`,
    );
  if (limits.oldestTransaction > MINUTE)
    report(
      'warn',
      'server',
      `A transaction has been open on the database server for ${Math.round(limits.oldestTransaction / MINUTE)} minutes. While it is, locks and old rows are kept: end it (pg_stat_activity shows whose it is).`,
    );
}

/** Tries whether files can be stored, read and removed. */
async function fileStore(): Promise<void> {
  if (config.blobUrl === undefined) return;
  await assertStoreWorks();
  report('good', 'store', 'The file store takes, returns and removes files.');
}

async function demo(): Promise<void> {
  const fault = await demoFault();
  if (fault !== undefined) report('WRONG', 'demo', fault);
}

/** Returns true when no migration is pending; otherwise the tables of other checks may not exist yet. */
async function isUpToDate(): Promise<boolean> {
  const { missing, unknown } = await schemaState();
  return missing.length + unknown.length === 0;
}

function isInDataDir(file: string): boolean {
  return !path.relative(config.dataDir, file).startsWith('..');
}

async function key(): Promise<void> {
  assertKeyFileExists();
  await assertKeyMatches();
  if (isInDataDir(config.keyFile))
    return report(
      'WRONG',
      'key',
      'The key file lies in the data folder: who takes the one has the other. Move it out and set KEY_FILE.',
    );
  if ((statSync(config.keyFile).mode & 0o077) !== 0)
    return report(
      'WRONG',
      'key',
      `Others on this machine can read the key file. Run: chmod 600 ${config.keyFile}`,
    );
  if (keyIds().length > 1)
    return report(
      'warn',
      'key',
      'The key file holds old keys too: a change of keys was broken off. Run npm run rotate-key again.',
    );
  report('good', 'key', 'The key file fits this data and only this user can read it.');
}

/**
 * Reports anchors inside the data folder: the portal falls back to it when it cannot write elsewhere, and
 * only logs that.
 */
function anchors(): void {
  const file = anchorsFile();
  if (!existsSync(file) || !isInDataDir(file)) return;
  const remedy =
    'Move the file to where the portal can write to it, best on another machine’s disk, set AUDIT_ANCHORS to it, and restart.';
  report(
    'warn',
    'anchors',
    `The anchors of the audit trail are kept in the data folder (${file}): who can change the one can change the other. ${remedy}`,
  );
}

async function disk(): Promise<void> {
  // with the data in PostgreSQL and S3 the folder is made for the first upload that is staged on the way
  if (config.databaseUrl !== undefined && config.blobUrl !== undefined && !existsSync(config.dataDir)) return;
  const { bavail, blocks, bsize } = await statfs(config.dataDir);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const floor = Math.min(1024 ** 3, all / 20);
  const summary = `${(free / 1024 ** 3).toFixed(1)} GiB of ${(all / 1024 ** 3).toFixed(1)} GiB are free`;
  if (free < floor)
    return report(
      'WRONG',
      'disk',
      `${summary}: uploads are refused. Make room, or move the files to S3 (npm run move).`,
    );
  report(free < all / 10 ? 'warn' : 'good', 'disk', `${summary}.`);
}

async function files(): Promise<void> {
  if (!existsSync(config.keyFile)) return; // already reported; verifying would create a new key
  const { documents, faults } = await verify(values.deep === true);
  for (const fault of faults.slice(0, 20)) report('WRONG', 'files', fault);
  if (faults.length > 20)
    report('WRONG', 'files', `and ${faults.length - 20} more: npm run verify shows all.`);
  if (faults.length === 0)
    report('good', 'files', `${documents} documents have their bytes, and the audit trail holds.`);
  const open = await db()
    .selectFrom('blobs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('wrapped_key', 'is', null)
    .where('part_count', '=', 0)
    .executeTakeFirstOrThrow();
  if (open.count > 0) report('warn', 'files', `${open.count} files of an earlier version are not encrypted.`);
}

async function clock(): Promise<void> {
  const apart = Math.abs((await databaseClock()) - now());
  if (apart > 5 * SECOND)
    return report(
      'WRONG',
      'clock',
      `This machine and the database are ${Math.round(apart / SECOND)} s apart. Set both by NTP.`,
    );
  const latest = await db()
    .selectFrom('audit')
    .select((e) => e.fn.max('at').as('at'))
    .executeTakeFirst();
  const ahead = (latest?.at ?? 0) - now();
  if (ahead > MINUTE)
    return report(
      'WRONG',
      'clock',
      `Something happened here ${Math.round(ahead / MINUTE)} minutes in the future: the clock was set back. Set it by NTP.`,
    );
  report('good', 'clock', `It is ${new Date(now()).toISOString()}.`);
}

async function mail(): Promise<void> {
  const { waiting, overdue, failing } = await jobBacklog('mail');
  if (overdue > HOUR)
    report(
      'WRONG',
      'mail',
      `${waiting} mails wait, the oldest for ${Math.round(overdue / HOUR)} hours, after ${failing} tries.`,
    );
  const refused = await failedJobsSince('mail', now() - WEEK);
  if (refused > 0)
    report(
      'warn',
      'mail',
      `${refused} mails of the last seven days were refused for good, or given up after three days. Their invitations and shares say so; the log names each job (job.failed with givenUp).`,
    );
  if (config.smtpUrl === undefined)
    return report(
      'warn',
      'mail',
      'SMTP_URL is not set: mails wait in the outbox (a demo has a mailbox of its own).',
    );
  if (!isLoopback() && /@(?:localhost|.*\.localdomain)$/i.test(config.mailFrom))
    report(
      'WRONG',
      'mail',
      `Mails come from ${config.mailFrom}, an address that no mail server takes. Set MAIL_FROM to an address of your domain.`,
    );
  await verifyMailServer().then(
    () =>
      report(
        'good',
        'mail',
        `The mail server answers; ${waiting} mails wait. Mails come from ${config.mailFrom}.`,
      ),
    (error: unknown) =>
      report('WRONG', 'mail', `The mail server does not take our mails: ${reason(error)}. Check SMTP_URL.`),
  );
}

function bounces(): Promise<void> {
  return readable('bounces', config.bounceImapUrl, {
    what: 'The mailbox for reports of undelivered emails',
    variable: 'BOUNCE_IMAP_URL',
  });
}

function fiscalMailbox(): Promise<void> {
  return readable('mailbox', config.fiscalMailbox?.url, {
    what: 'The mailbox of fiscal documents',
    variable: 'FISCAL_IMAP_URL',
  });
}

/** Reports whether a mailbox can be read, if there is one. */
async function readable(
  name: string,
  url: string | undefined,
  { what, variable }: { what: string; variable: string },
): Promise<void> {
  if (url === undefined) return;
  await verifyMailbox(url).then(
    () => report('good', name, `${what} can be read.`),
    (error: unknown) =>
      report(
        'WRONG',
        name,
        `${what} cannot be read: ${isSignInRefused(error) ? 'its user name or password is wrong' : reason(error)}. Check ${variable}.`,
      ),
  );
}

/** What the regular check of stored files has found about fiscal documents, which are kept for eleven years. */
async function fiscalFiles(): Promise<void> {
  const { files, packs, checkedSince, damagedPacks } = await fixityOfInstallation();
  if (packs === 0) return;
  const stored = `Files of fiscal documents: ${files}, in packs: ${packs}`;
  if (damagedPacks > 0)
    return report(
      'WRONG',
      'fiscal',
      `${stored}, of which ${damagedPacks} are damaged or gone. Restore these from a backup; each firm sees its files under Fiscal documents, Stored files.`,
    );
  const since = new Date(checkedSince ?? 0).toISOString().slice(0, 10);
  report('good', 'fiscal', `${stored}; all of them were read through since ${since}, and none differs.`);
}

async function fiscalFolder(): Promise<void> {
  const folder = config.fiscalFolder;
  if (folder === undefined) return;
  const findings = await inspectFolder(folder).catch((error: unknown) => reason(error));
  if (typeof findings === 'string')
    return report(
      'WRONG',
      'folder',
      `The watched folder of fiscal documents cannot be used: ${findings}. Check FISCAL_FOLDER, and that the portal may read and write there.`,
    );
  const { clients, denied } = findings;
  if (denied.length > 0)
    report(
      'WRONG',
      'folder',
      `The portal may not read or move what is in ${namesOf(denied)} of the watched folder. Give its user the right to read and write there.`,
    );
  for (const [names, sentence] of [
    [findings.unknown, 'No client that stores fiscal documents has this number or CNPJ'],
    [findings.ambiguous, 'Several clients have this number or CNPJ'],
    [findings.links, 'Symbolic links are not followed'],
  ] as const)
    if (names.length > 0)
      report(
        'warn',
        'folder',
        `${sentence}: ${namesOf(names)} in the watched folder. Nothing is read there.`,
      );
  if (denied.length === 0)
    report(
      'good',
      'folder',
      `The watched folder of fiscal documents can be used; folders of clients: ${clients}.`,
    );
}

/** The first of some names, and how many more there are. */
function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}

/** Reports a configuration with which nobody pays real money. */
async function payments(): Promise<void> {
  if (config.paymentSandbox)
    report(
      'warn',
      'payments',
      'PAYMENT_SANDBOX=1: firms can offer a page where clients choose that they have paid. Remove it where invoices are real.',
    );
  if (!config.stripe) return;
  if (!isSecureOrigin())
    return report(
      'WRONG',
      'payments',
      'Stripe sends its messages to https addresses only, so that no payment is confirmed. Set PUBLIC_ORIGIN to https://…',
    );
  const firms = await db()
    .selectFrom('firms')
    .select('company_id')
    .where('practice_of', 'is', null)
    .limit(2)
    .execute();
  if (firms.length > 1)
    return report(
      'warn',
      'payments',
      'STRIPE_SECRET_KEY is not used, since the portal has several firms: each enters its own keys under Settings, Payments. Keep it while payments that began with it may still arrive.',
    );
  const isTest = config.stripe.secretKey.includes('_test_');
  report(
    isTest ? 'warn' : 'good',
    'payments',
    isTest
      ? 'STRIPE_SECRET_KEY is a test key: nobody pays real money.'
      : 'Firms can offer online payment by Stripe.',
  );
}

async function timestamps(): Promise<void> {
  if (config.timestampUrl === undefined) return;
  const { host } = new URL(config.timestampUrl);
  await pingTimestampAuthority().then(
    () => report('good', 'time', `The timestamp authority ${host} answers.`),
    () =>
      report(
        'WRONG',
        'time',
        `The timestamp authority ${host} gives no timestamp: signed documents wait to be sealed. Check TIMESTAMP_URL.`,
      ),
  );
}

async function scanner(): Promise<void> {
  if (!isScanningEnabled()) return;
  const { waiting, overdue } = await jobBacklog('scan');
  if (overdue > HOUR)
    report(
      'WRONG',
      'scanner',
      `${waiting} documents wait to be scanned, the oldest for ${Math.round(overdue / HOUR)} hours.`,
    );
  const earlier = (await countUnscanned()) - waiting;
  if (earlier > 0)
    report(
      'warn',
      'scanner',
      `${earlier} documents were never scanned: they came in before CLAMD was set, or while clamd was away. The running portal scans them in the background.`,
    );
  await pingScanner().then(
    () => report('good', 'scanner', `clamd answers; ${waiting} documents wait to be scanned.`),
    (error: unknown) =>
      report(
        'WRONG',
        'scanner',
        `clamd does not answer: documents cannot be sent by link until it does. Check that it runs, and CLAMD. (${reason(error)})`,
      ),
  );
}

/**
 * Checks whether a proxy refuses the largest part of an upload because of its Content-Length; sends no body.
 */
function refusesLargeBodies(): Promise<boolean> {
  const { request: ask } = config.origin.startsWith('https:') ? https : http;
  const headers = { 'Content-Length': LARGEST_PART, Expect: '100-continue' };
  const probe = ask(`${config.origin}/api/storage/v1/clients/doctor/documents`, {
    method: 'POST',
    headers,
    timeout: 10 * SECOND,
  });
  return new Promise((resolve) => {
    const end = (isRefused: boolean): void => {
      probe.destroy();
      resolve(isRefused);
    };
    probe.on('continue', () => end(false));
    probe.on('response', ({ statusCode }) => end(statusCode === 413));
    probe.on('timeout', () => end(false));
    probe.on('error', () => resolve(false)); // the check of the address reports that nothing answers
    probe.flushHeaders();
  });
}

async function proxy(): Promise<void> {
  if (await refusesLargeBodies())
    report(
      'WRONG',
      'proxy',
      `The proxy in front of ${config.origin} refuses 9 MB, so larger files cannot be uploaded. Lift its limit: nginx client_max_body_size 0; see docs/proxies.md.`,
    );
}

async function untrustedProxies(): Promise<void> {
  if ((await foreignProxyAt()) < now() - DAY) return;
  report(
    // on this machine alone nobody is cut off by it
    isLoopback() ? 'warn' : 'WRONG',
    'proxy',
    'Within a day, requests came by a proxy that TRUSTED_PROXIES does not name: all people behind it count as one, and share the limits, so that some are refused. If it is yours, name its address there.',
  );
}

/** Whether only this machine reaches the portal. */
function isLoopback(): boolean {
  return /^https?:\/\/(127\.|localhost|\[::1\])/.test(config.origin);
}

async function address(): Promise<void> {
  if (!isLoopback() && !isSecureOrigin())
    report(
      'WRONG',
      'address',
      `People reach ${config.origin} without encryption. Put a proxy with TLS in front and set PUBLIC_ORIGIN=https://…`,
    );
  const answer = await fetch(`${config.origin}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => error);
  if (isUntrusted(answer))
    return report(
      'warn',
      'address',
      `What answers at ${config.origin} could not be looked at from here: ${reason(answer)}. Browsers may know that authority.`,
    );
  if (!(answer instanceof Response))
    return report(
      'warn',
      'address',
      `Nothing answers at ${config.origin} (${reason(answer)}): the portal does not run, or PUBLIC_ORIGIN is not how it is reached from here.`,
    );
  if (answer.status === 421)
    return report(
      'WRONG',
      'address',
      `${config.origin} reaches a portal that does not know this name: the proxy must pass the Host header on.`,
    );
  const isOurs = answer.ok && (await answer.text()).trim() === 'ok';
  const page = isOurs
    ? await fetch(`${config.origin}/${config.base}/en-us/auth`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(10_000),
      })
    : undefined;
  if (page?.status === 421)
    return report(
      'WRONG',
      'address',
      `The portal at ${config.origin} is asked under another name: the proxy must pass the Host header on.`,
    );
  report(
    page?.ok ? 'good' : 'WRONG',
    'address',
    page?.ok
      ? `The portal answers at ${config.origin}/${config.base}/.`
      : `What answers at ${config.origin} is not the portal (status ${answer.status}).`,
  );
}
