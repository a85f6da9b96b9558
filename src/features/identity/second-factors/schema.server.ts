import type { Encrypted, Millis, TableDeclarations } from '#platform/database/schema.server.ts';

export const tables = {
  totp_secrets: { key: ['prism_guid'], encrypted: { secret: 'always' } },
  passkeys: { key: ['credential_id'] },
  passkey_challenges: { key: ['challenge_hash'] },
  recovery_codes: { key: ['code_hash'] },
  pending_sign_ins: { key: ['pending_hash'] },
} as const satisfies TableDeclarations;

declare module '#platform/database/schema.server.ts' {
  interface Tables {
    totp_secrets: TotpSecrets;
    passkeys: Passkeys;
    passkey_challenges: PasskeyChallenges;
    recovery_codes: RecoveryCodes;
    pending_sign_ins: PendingSignIns;
  }
}

/** The authenticator app of a user; active once confirmed. */
interface TotpSecrets {
  prism_guid: string;
  secret: Encrypted;
  /** The last accepted time step, so that no code works twice. */
  last_step: number;
  created_at: Millis;
  confirmed_at: Millis | null;
}

interface Passkeys {
  credential_id: string;
  prism_guid: string;
  name: string;
  /** SubjectPublicKeyInfo, base64url. */
  public_key: string;
  algorithm: string;
  counter: number;
  created_at: Millis;
  used_at: Millis | null;
}

interface PasskeyChallenges {
  challenge_hash: string;
  expires_at: Millis;
}

interface RecoveryCodes {
  code_hash: string;
  prism_guid: string;
  created_at: Millis;
}

/** A sign-in with a correct password that awaits the second step. */
interface PendingSignIns {
  pending_hash: string;
  prism_guid: string;
  amr: string;
  return_to: string;
  expires_at: Millis;
}
