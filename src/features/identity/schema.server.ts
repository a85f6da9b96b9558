import type { Generated } from 'kysely';
import type { Encrypted, Millis, TableDeclarations } from '#platform/schema.server.ts';

export const tables = {
  password_resets: { key: ['reset_id'] },
  invitations: { key: ['invitation_id'], encrypted: { email: 'always' } },
  rescue_codes: { key: ['contact_id'] },
  known_devices: { key: ['device_key'] },
  sign_in_transactions: { key: ['transaction_hash'], encrypted: { purpose: 'always' } },
  login_tickets: { key: ['ticket_hash'] },
  totp_secrets: { key: ['prism_guid'], encrypted: { secret: 'always' } },
  passkeys: { key: ['credential_id'] },
  passkey_challenges: { key: ['challenge_hash'] },
  recovery_codes: { key: ['code_hash'] },
  pending_sign_ins: { key: ['pending_hash'] },
  identities: { key: ['issuer', 'subject_key'] },
  oidc_payloads: { key: ['model', 'id'], encrypted: { payload: 'always' } },
} as const satisfies TableDeclarations;

declare module '#platform/schema.server.ts' {
  interface Tables {
    password_resets: PasswordResets;
    invitations: Invitations;
    rescue_codes: RescueCodes;
    known_devices: KnownDevices;
    sign_in_transactions: SignInTransactions;
    login_tickets: LoginTickets;
    totp_secrets: TotpSecrets;
    passkeys: Passkeys;
    passkey_challenges: PasskeyChallenges;
    recovery_codes: RecoveryCodes;
    pending_sign_ins: PendingSignIns;
    identities: Identities;
    oidc_payloads: OidcPayloads;
  }
}

/** Password reset links; at most one per person. */
interface PasswordResets {
  reset_id: string;
  prism_guid: string;
  token_hash: string;
  expires_at: Millis;
}

/** Invitations to become a contact. */
interface Invitations {
  invitation_id: string;
  company_id: string;
  email: Encrypted;
  email_key: string;
  first_name: string;
  last_name: string;
  language: string;
  client_ids: string;
  token_hash: string;
  invited_by: string;
  created_at: Millis;
  sent_at: Millis;
  expires_at: Millis;
  accepted_at: Millis | null;
  revoked_at: Millis | null;
}

/** Recovery codes that staff give a contact by phone; at most one per contact. */
interface RescueCodes {
  contact_id: string;
  prism_guid: string;
  code_hash: string;
  issued_by: string;
  expires_at: Millis;
}

/** Keyed digests of a user and a device used for sign-in. */
interface KnownDevices {
  device_key: string;
  prism_guid: string;
  last_at: Millis;
}

interface SignInTransactions {
  transaction_hash: string;
  state: string;
  nonce: string;
  code_verifier: string;
  redirect_uri: string;
  return_to: string;
  /** JSON, encrypted; null for a plain sign-in. */
  purpose: Encrypted<string | null>;
  expires_at: Millis;
}

interface LoginTickets {
  ticket_hash: string;
  prism_guid: string;
  /** JSON: authentication methods (RFC 8176). */
  amr: Generated<string>;
  expires_at: Millis;
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

/** The user of an account at an external issuer; `subject_key` is a blind index of its subject. */
interface Identities {
  issuer: string;
  subject_key: string;
  prism_guid: string;
  linked_at: Millis;
}

interface OidcPayloads {
  model: string;
  id: string;
  payload: Encrypted;
  grant_id: string | null;
  uid: string | null;
  consumed_at: Millis | null;
  expires_at: Millis | null;
}
