import pg from 'pg';
import { startPostgres } from '../../scripts/services.mjs';

/** The server of TEST_DATABASE_URL (with an administrator's account), else a temporary cluster of the installed programs. */
export async function startCluster(): Promise<{
  /** Creates an empty database and returns its URL. */
  newDatabase: () => Promise<string>;
  stop: () => Promise<void>;
}> {
  const { url, stop } = await startPostgres();
  let databases = 0;
  return {
    newDatabase: async () => {
      const name = `commands_${process.pid}_${(databases += 1)}`;
      await queryPostgres(url, `create database ${name}`);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    stop,
  };
}

export async function queryPostgres(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * The rows that both engines must have, without those that a restore changes or a backup writes about itself.
 */
export function lasting(digests: Record<string, string>): Record<string, string> {
  const {
    settings: _settings,
    audit: _audit,
    audit_heads: _heads,
    jobs: _jobs,
    shares: _shares,
    cnd_passports: _passports,
    sessions: _sessions,
    login_tickets: _tickets,
    sign_in_transactions: _transactions,
    oidc_payloads: _oidc,
    share_visits: _visits,
    ended_sessions: _ended,
    kept_forms: _forms,
    invitations: _invitations,
    mails: _mails,
    task_links: _taskLinks,
    long_tokens: _longTokens,
    task_link_visits: _taskLinkVisits,
    passkey_challenges: _challenges,
    password_resets: _resets,
    pending_sign_ins: _pending,
    recovery_codes: _recoveryCodes,
    rescue_codes: _rescueCodes,
    ...rest
  } = digests;
  return rest;
}
