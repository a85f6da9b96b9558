import { config } from '#platform/runtime/config.server.ts';
import { db, inTransaction, retryWhileUnavailable } from '#platform/database/database.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { setting } from '#platform/runtime/settings.server.ts';
import { ConfigurationError } from '#platform/runtime/startup.server.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from './demo.ts';
import { offerSandbox } from '#features/payments/payments/providers/available.server.ts';
import { startMailbox, stopMailbox } from './mailbox.server.ts';
import { makeWorld } from './world.server.ts';

const SETTING = 'demo';
let demo = false;

/** Tells whether this instance was started as a demo, which lists its people and shows its mails. */
export const isDemo = (): boolean => demo;

const PLACE =
  config.databaseUrl === undefined ? `DATA_DIR=${config.dataDir}` : 'The database of DATABASE_URL';

/**
 * The error for demo data under a configuration that is not a demo's: the owners' password is in the source.
 */
const DEMO_DATA = `${PLACE} holds a demo, and everybody knows the password of its people: it does not start as a real portal. For yours, set DATA_DIR${config.databaseUrl === undefined ? '' : ' and DATABASE_URL'} to a new place, which starts empty and prints a link for its first owner; to see the demo again, set DEMO=1.`;

/** Returns why this data must not be served under this configuration; undefined if it may. */
export async function demoFault(): Promise<string | undefined> {
  return config.demo === false && (await setting(SETTING)) !== undefined ? DEMO_DATA : undefined;
}

/** Decides whether this is a demo (product.md, The demo world), and fills an empty one. */
export async function fillDemoWorld(): Promise<void> {
  const fault = await demoFault();
  if (fault !== undefined) throw new ConfigurationError(fault);
  const stored = await setting(SETTING);
  const empty =
    (await db().selectFrom('firms').select('company_id').limit(1).executeTakeFirst()) === undefined;
  demo = config.demo ?? (stored !== undefined || empty);
  if (demo) offerSandbox();
  if (!demo || !empty) return;
  log.info({ event: 'demo.filling' });
  // All of it or nothing: an interrupted demo starts again. If two nodes start at once, the second waits for
  // the first.
  await retryWhileUnavailable(() =>
    inTransaction(async () => {
      const mine = await db()
        .insertInto('settings')
        .values({ name: SETTING, value: '1' })
        .onConflict((conflict) => conflict.doNothing())
        .returning('name')
        .executeTakeFirst();
      if (mine) await makeWorld();
    }),
  );
}

export async function startDemo(): Promise<void> {
  if (demo && config.smtpUrl === undefined) await startMailbox();
}

export const stopDemo = (): Promise<void> => stopMailbox();

/**
 * Returns the text for the console when the portal has started, with the link that creates the first owner of
 * an empty one.
 */
export function welcomeText(ownerLink?: string): string {
  const address = `${config.origin}/${config.base}/`;
  const people = DEMO_PEOPLE.map(({ email, name }) => `    ${email.padEnd(28)} ${name}`).join('\n');
  const intro = demo
    ? `  This is a demo. Sign in as one of these people, password ${DEMO_PASSWORD}\n${people}\n  Their mails: ${address}en-us/mailbox\n\n`
    : '';
  const owner =
    ownerLink === undefined
      ? ''
      : `  There is no firm yet. Name yours and yourself here, once; the next start prints another link:\n  ${ownerLink}\n\n`;
  return `\n  The client portal is at ${address}\n\n${owner}${intro}  Stop it with Ctrl-C.\n\n`;
}
